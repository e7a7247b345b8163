/* Strays: descendants of a process that left its group, and are known by its run id. Internal to the process
 * engine. */
#ifndef SANDSTORM_PROCESS_STRAY_H
#define SANDSTORM_PROCESS_STRAY_H

#include "process_internal.h"

/* Sends a signal to the strays of `p`, which may end meanwhile; searching for them happens on the thread
 * pool. Without memory nothing happens. */
void process_stray_signal(const struct process *p, int signal);

/* Ends them: SIGTERM, and SIGKILL to those that are there PROCESS_GRACE_MS later. Counted in set->strays
 * while that lasts. */
void process_stray_end(const struct process *p);

#endif
