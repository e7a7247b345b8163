/* Background jobs: processes that nobody waits for, their last output and how they ended.
 *
 * The table lives below Lua, outlives every request and every generation of the scripts, and holds the set of
 * all processes (process.h), so that one call ends them all.
 *
 * A job is in the table from its start until an hour after its end, but no more than JOBS_ENDED_MAX ended
 * ones: the oldest goes first. Its output (stdout and stderr in one, in their true order) is read to the end
 * even if that comes from descendants after the exit, and the last JOBS_OUTPUT_BYTES of it are kept in
 * memory.
 *
 * Everything belongs to the loop's thread. */
#ifndef SANDSTORM_JOBS_H
#define SANDSTORM_JOBS_H

#include <stdbool.h>
#include <stdint.h>
#include <uv.h>

#include "capture.h"
#include "process.h"

#define JOBS_RUNNING_MAX 256
#define JOBS_ENDED_MAX 64
#define JOBS_KEPT_MS 3600000
#define JOBS_OUTPUT_BYTES 262144
#define JOBS_COMMAND_BYTES 4096 /* of the command, for showing it */

struct job_table;

enum job_state { JOB_RUNNING, JOB_EXITED, JOB_KILLED, JOB_LOST };

/* To be read only. Valid until the loop turns or a job is started. */
struct job {
    pid_t pid;
    const char *command; /* its beginning; of an argv, joined by blanks */
    size_t command_len;
    const char *cwd; /* absolute */
    enum job_state state;
    int exit_code; /* JOB_EXITED */
    int signal;    /* JOB_KILLED: the signal that ended it */
    int64_t started_ms;
    int64_t ended_ms; /* 0 while it runs; as started_ms in milliseconds since 1970 */
    struct ring output;
};

/* NULL without memory. */
struct job_table *job_table_new(uv_loop_t *loop);

/* The set of all processes, for calls (process_call.h) to start theirs in. */
struct process_set *job_table_processes(struct job_table *t);

/* Starts a job; `merge`, `linger` and `timeout_ms` of the request are ignored. NULL on failure: EAGAIN when
 * JOBS_RUNNING_MAX run, else as process_start. */
const struct job *job_start(struct job_table *t, const struct process_request *request,
                            struct process_error *error);

/* Sends a signal to the group of a job that runs. False with ESRCH for a job that has ended and for a number
 * that no process has; EPERM for a process that is no job of this table; EINVAL for a number that is none of
 * a process. */
bool job_signal(struct job_table *t, int64_t pid, int signal, struct process_error *error);

/* The newest job with that number, or NULL. */
const struct job *job_find(struct job_table *t, int64_t pid);

/* Walks the jobs, newest first: job_next(t, NULL) is the first one. NULL at the end. */
const struct job *job_next(struct job_table *t, const struct job *job);

/* Jobs that run. */
unsigned job_table_running(const struct job_table *t);

/* Terminates every process, jobs and calls: SIGTERM now, SIGKILL PROCESS_GRACE_MS later. Nothing can be
 * started afterwards, and the loop has no handle of the table once its processes are gone. */
void job_table_stop_all(struct job_table *t);

/* SIGKILL to every process at once, for a server that exits without waiting. */
void job_table_kill_all(struct job_table *t);

/* To be called when the loop has run to its end after job_table_stop_all. NULL is allowed. */
void job_table_free(struct job_table *t);

#endif
