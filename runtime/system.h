/* What the machine has to offer right now, read from the kernel without starting a program. What the kernel
 * tells in files is kept open: the figures can be had also when no descriptor is left. Belongs to one thread.
 */
#ifndef SANDSTORM_SYSTEM_H
#define SANDSTORM_SYSTEM_H

#include <stdbool.h>
#include <stdint.h>

struct system;

/* NULL without memory. */
struct system *system_new(void);

/* NULL is allowed. */
void system_free(struct system *s);

struct system_figures {
    unsigned cores;           /* that this process may run on, at least 1 */
    int64_t memory_available; /* bytes that can be had without swapping */
    int64_t disk_available;   /* bytes free for this user on the file system of a folder */
    int64_t uptime_s;         /* of the machine */
    int64_t resident;         /* bytes of memory that this process holds */
};

/* A figure that cannot be had is 0. */
void system_figures(struct system *s, const char *folder, struct system_figures *out);

/* True if a program of that name (without `/`) is a file in PATH that this user may execute. */
bool system_has_program(const char *name);

#endif
