/* The system calls that start a program. Internal to the process engine; no event loop. Thread-safe. */
#ifndef SANDSTORM_PROCESS_SPAWN_H
#define SANDSTORM_PROCESS_SPAWN_H

#include <stdbool.h>

#include "process.h"

/* Owned by the caller. Descriptors are close-on-exec. */
struct process_child {
    pid_t pid;     /* leads its own session and group */
    int pidfd;     /* readable when the leader has exited */
    int output[2]; /* read ends of stdout and stderr; output[1] is -1 if they are merged */
};

/* `environment`: see environment_vector. False on failure, with `error` filled and nothing left behind. */
bool process_spawn(const struct process_request *request, char *const *environment,
                   struct process_child *child, struct process_error *error);

/* Fills `error` with the code and a formatted message; returns false. */
bool process_fail(struct process_error *error, int code, const char *format, ...)
    __attribute__((format(printf, 3, 4)));

#endif
