/* The host: everything below Lua that outlives a request, in one struct that is passed around instead of
 * file-scope state.
 *
 * Lifetime: built by main.c before the first VM and taken apart after the last one. All members are borrowed
 * pointers with that same lifetime; none is NULL while a VM exists. Everything here belongs to the loop's
 * thread, except where the member's own header says otherwise. */
#ifndef SANDSTORM_HOST_H
#define SANDSTORM_HOST_H

#include <uv.h>

struct config;
struct fs_root;
struct job_table;
struct log;
struct scripts;

struct host {
    uv_loop_t *loop;
    const struct config *config;
    struct log *log;
    struct fs_root *workspace; /* the folder that file tools and working directories are confined to */
    struct job_table *jobs;    /* background processes; see process.h */
    struct scripts *scripts;   /* the generations of the VM; see scripts.h */
};

#endif
