/* Processes that are known by a variable in the environment that they were started with, wherever they moved
 * since: other group, other session, other parent. Knows no Lua.
 *
 * A process can be missed only if it was started without the variable. May block on /proc and is meant for
 * the thread pool; may be used from any thread. */
#ifndef SANDSTORM_PROCESS_MARKED_H
#define SANDSTORM_PROCESS_MARKED_H

#include <stddef.h>
#include <sys/types.h>

struct process_mark {
    const char *name;          /* of the variable */
    const char *const *values; /* any of them marks */
    size_t count;
    pid_t but_group; /* processes of this group are left out; 0: none are */
};

/* Sends `signal` (0: none, only counts) to every marked process but this one, as far as this user may;
 * returns how many there were. A number that passes to another process meanwhile does no harm. */
unsigned process_marked_signal(const struct process_mark *mark, int signal);

#endif
