/* The first process of a PID namespace, as the only program of a container is one: whatever loses its parent
 * there is left to it and has to be reaped, and signals without a handler do not reach it. */
#ifndef SANDSTORM_INIT_H
#define SANDSTORM_INIT_H

#include <stdbool.h>

/* In such a process: forks. True in the child, which does the work, and so its children are reaped by nobody
 * else. The parent hands signals on to it (those of a terminal reach both by themselves), reaps everything
 * until the child has ended, and returns false with what to exit with: the child's exit code, or 128 and the
 * signal.
 *
 * In every other process, and where there can be no child: true. Called before there are threads. */
bool init_split(int *status);

#endif
