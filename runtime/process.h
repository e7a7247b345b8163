/* The process engine: every program that the server runs is started, watched, ended and reaped here.
 *
 * Words used here
 *   process   a program started by the server, and the group and session that it leads
 *   leader    the program itself (mostly /bin/bash); its descendants are in its group unless they leave it
 *   ended     the leader is reaped, or given up, and nothing is read from its pipes any more
 *   set       all processes of a server: the one list of what runs
 *
 * What a program gets: stdin /dev/null (or a file holding `input`), stdout and stderr as pipes, no other
 * descriptor, default signal actions, an empty signal mask, its own session without a terminal, the working
 * directory by descriptor, the environment of environment.h. Starting one costs the same however much memory
 * the server holds.
 *
 * It also gets SANDSTORM_RUN_ID, a value of its own: by that descendants are known that left the group
 * (setsid, a shell with job control, timeout(1)), unless they were started without it.
 *
 * How a process ends
 *
 * By itself: the leader is reaped at once. Its pipes are read until their end, but no longer than
 * PROCESS_DRAIN_MS after the exit, however much comes. Descendants live on. With `linger` the pipes are read
 * to their end without that bound.
 *
 * Terminated (time limit, cancel, stop): SIGTERM to the group. SIGKILL to the group PROCESS_GRACE_MS later,
 * or as soon as the leader has exited and both pipes are at their end; the leader stays unreaped until then,
 * so that the number of the group cannot have passed to a stranger. Descendants that left the group get
 * SIGTERM too, and SIGKILL PROCESS_GRACE_MS later, whatever became of the leader.
 *
 * Not at all: a leader that cannot be reaped PROCESS_LOST_MS after SIGKILL (the kernel or a tracer holds it)
 * is given up: `ended` says so, and it is reaped when it can be.
 *
 * Lifetime: a `struct process` is freed by the engine after `ended` has returned; forget it then. No callback
 * runs inside process_start or process_terminate, `ended` excepted for a lingering process whose leader has
 * exited. Callbacks may start and terminate processes. Everything belongs to the loop's thread. */
#ifndef SANDSTORM_PROCESS_H
#define SANDSTORM_PROCESS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>
#include <uv.h>

#include "environment.h"

#define PROCESS_DRAIN_MS 250
#define PROCESS_GRACE_MS 2000
#define PROCESS_LOST_MS 5000
#define PROCESS_TIMEOUT_MAX_MS 86400000u /* a day */
#define PROCESS_ERROR_SIZE 512

struct process_set;
struct process;

/* Why something did not start. */
struct process_error {
    int code;                         /* errno value */
    char message[PROCESS_ERROR_SIZE]; /* names what it is about: the directory or the program */
};

/* What to run. Everything is borrowed for the time of the call. */
struct process_request {
    const char *command;     /* text for `/bin/bash -c`, of any length, or NULL: then argv */
    size_t command_len;      /* a NUL byte inside is refused */
    const char *const *argv; /* ended by NULL; argv[0] without a slash is searched in the server's PATH */
    int cwd;                 /* directory descriptor; O_PATH is enough */
    const char *cwd_name;    /* its absolute path, for messages */
    const struct environment_variable *env;
    size_t env_count;
    const char *input; /* bytes for stdin; NULL: /dev/null */
    size_t input_len;
    bool merge;  /* stderr goes to the pipe of stdout, so their order is kept */
    bool linger; /* read the output on after the leader's exit; no time limit, and at a bounded pace */
    uint64_t timeout_ms; /* 0: none; at most PROCESS_TIMEOUT_MAX_MS */
};

enum process_stop { PROCESS_NOT_STOPPED, PROCESS_TIMED_OUT, PROCESS_CANCELLED, PROCESS_SHUT_DOWN };

struct process_status {
    bool lost;              /* given up: neither exit code nor signal is known */
    int exit_code;          /* -1 unless it exited */
    int signal;             /* 0 unless a signal ended it */
    enum process_stop stop; /* why the server terminated it, if it did */
};

struct process_handler {
    void *data;
    /* Output came; `stream` is 1 or 2. */
    void (*output)(void *data, int stream, const char *bytes, size_t len);
    /* The leader has exited and is reaped (or held for so long that it is given up); may be NULL. */
    void (*exited)(void *data, const struct process_status *status);
    /* The last callback. */
    void (*ended)(void *data, const struct process_status *status);
};

/* NULL without memory. Sets SIGCHLD to its default action, which must stay, as must descriptors 0 to 2 stay
 * open. */
struct process_set *process_set_new(uv_loop_t *loop);

/* NULL on failure, with `error` filled. The handler is copied. */
struct process *process_start(struct process_set *set, const struct process_request *request,
                              const struct process_handler *handler, struct process_error *error);

pid_t process_pid(const struct process *p);

/* Ends it as described above. Without effect on one that is ending already. A lingering process whose leader
 * has exited is only read no longer: its descendants live on. */
void process_terminate(struct process *p, enum process_stop why);

/* Sends a signal to the whole group, and to descendants that left it. 0, or an errno value; ESRCH once the
 * leader has exited. */
int process_signal(struct process *p, int signal);

/* No callback from now on, and a lingering process is read no longer. The pointer must be forgotten. */
void process_release(struct process *p);

/* Processes that have not ended, and terminated ones whose descendants are still being ended. */
unsigned process_set_count(const struct process_set *set);

/* Terminates all of them; starting another fails with ECANCELED from now on. Once they have ended the set has
 * no active handle on the loop. */
void process_set_stop(struct process_set *set);

/* SIGKILL to every group at once, for a server that is about to exit without waiting. */
void process_set_kill(struct process_set *set);

/* Frees a set whose count is 0 and whose closed handles the loop has let go of. NULL is allowed. */
void process_set_free(struct process_set *set);

#endif
