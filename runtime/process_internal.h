/* What process.c (the life of a process) and process_set.c (its start, and the list of all) share. Internal
 * to the process engine. */
#ifndef SANDSTORM_PROCESS_INTERNAL_H
#define SANDSTORM_PROCESS_INTERNAL_H

#include "process.h"
#include "process_lost.h"
#include "process_spawn.h"

#define PROCESS_READ_BYTES 65536
#define PROCESS_RUN_ID "SANDSTORM_RUN_ID"
#define PROCESS_RUN_ID_SIZE 17 /* 16 hex digits and NUL */

enum process_stage {
    STAGE_RUNNING,     /* timer: the time limit, or the end of a pause in reading */
    STAGE_TERMINATING, /* SIGTERM sent; timer: the grace */
    STAGE_KILLED,      /* SIGKILL sent, not exited; timer: giving up */
    STAGE_HELD,        /* exited, but a tracer holds it; timer: next try to reap */
    STAGE_DRAINING,    /* reaped or given up, pipes open; timer: the drain, or the end of a pause */
    STAGE_ENDED        /* handles are being closed */
};

struct process_stream {
    uv_poll_t poll;
    struct process *process;
    int fd; /* -1: at its end, closed */
};

struct process {
    struct process_set *set;
    struct process *next;
    struct process **link; /* what points here */
    struct process_handler handler;
    struct process_status status;
    enum process_stage stage;
    pid_t pid;
    char run_id[PROCESS_RUN_ID_SIZE];
    int pidfd;
    bool exited; /* the leader is a zombie, or gone */
    bool linger;
    bool paused;           /* the first stream is not read until the timer comes */
    size_t unpaused_bytes; /* that came since the last pause */
    unsigned held_ms;
    unsigned handles; /* that the loop has not let go of */
    uv_poll_t exit_watch;
    uv_timer_t timer;
    struct process_stream streams[2];
};

struct process_set {
    uv_loop_t *loop;
    struct environment *environment;
    struct process *first;
    struct process_lost *lost;
    unsigned count;
    unsigned strays; /* process_stray.h */
    bool stopping;
    char scratch[PROCESS_READ_BYTES];
};

/* Watches a new child: takes its descriptors and starts the time limit (0: none). 0 or a libuv error; then
 * the child was killed, and `p` is freed by the loop, as it is after a success. */
int process_watch(struct process *p, const struct process_child *child, uint64_t timeout_ms);

#endif
