/* The host: everything below Lua that outlives a request, in one struct that is passed around instead of
 * file-scope state.
 *
 * Lifetime: opened by main.c before the first VM and closed after the last one. None of the members is NULL
 * in between, except `scripts`, `origins`, `stdio` and `http`, whose lines below say when. Everything
 * here belongs to the loop's thread, except where the member's own header says otherwise. */
#ifndef SANDSTORM_HOST_H
#define SANDSTORM_HOST_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <uv.h>

struct audit;
struct config;
struct config_secrets;
struct db_table;
struct fs_root;
struct grants;
struct http_server;
struct inbox_table;
struct job_table;
struct keys;
struct log;
struct origin_policy;
struct metrics;
struct scripts;
struct shared;
struct stdio;
struct slice_timer;
struct stream_hub;
struct system;
struct turn_table;

struct host {
    uv_loop_t *loop;
    const struct config *config;
    struct log *log;
    struct keys *keys;             /* the secrets, and what is derived from them; see keys.h */
    struct grants *grants;         /* who was given access; see grants.h */
    struct db_table *databases;    /* the server's own SQLite files; see db.h */
    struct fs_root *workspace;     /* the folder that file tools and working directories are confined to */
    struct job_table *jobs;        /* background jobs, and the set of all children; see jobs.h */
    struct inbox_table *inboxes;   /* messages for fibers that wait; see inbox.h */
    struct shared *shared;         /* small memory across requests; see shared.h */
    struct turn_table *turns;      /* who does what first; see turns.h */
    struct slice_timer *slices;    /* interrupts long computations; see fiber_slice.h */
    struct audit *audit;           /* who did what; see audit.h */
    struct metrics *metrics;       /* figures for monitoring; see metrics.h */
    struct system *system;         /* what the machine has to offer; see system.h */
    int64_t started_ms;            /* since 1970 */
    struct stream_hub *streams;    /* event streams; see stream.h */
    atomic_uint fetches;           /* that run; see lua_fetch.c */
    struct origin_policy *origins; /* NULL for one-shot commands; see origin.h */
    struct scripts *scripts;       /* the generations of the VM; see scripts.h; NULL for one-shot commands */
    struct stdio *stdio;           /* NULL unless messages come on standard input */
    struct http_server *http;      /* NULL when nothing listens */
};

/* Opens all but origins, scripts, stdio and http. False: one line in `error`, nothing needs closing. `loop`,
 * `config`, `secrets` and `log` are borrowed. */
bool host_open(struct host *host, uv_loop_t *loop, const struct config *config,
               const struct config_secrets *secrets, struct log *log, char *error, size_t error_size);

/* Ends what still runs - children get SIGTERM, later SIGKILL -, runs the loop until it is empty and frees. */
void host_close(struct host *host);

#endif
