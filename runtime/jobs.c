#include "jobs.h"

#include <errno.h>
#include <limits.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>

#include "buf.h"
#include "clock.h"
#include "process_spawn.h"
#include "utf8.h"

#define NS_PER_MS 1000000u

struct entry {
    struct job job; /* first: a `struct job *` is a `struct entry *` */
    struct job_table *table;
    struct process *process; /* NULL once it has ended */
    uint64_t ended_ns;
    struct entry *next; /* older */
    char text[];        /* command, cwd */
};

struct job_table {
    struct process_set *processes;
    struct entry *newest;
    unsigned running;
};

static void drop(struct entry **place)
{
    struct entry *e = *place;
    *place = e->next;
    if (e->process != NULL) process_release(e->process);
    if (e->job.state == JOB_RUNNING) e->table->running--;
    ring_free(&e->job.output);
    free(e);
}

static bool is_outdated(const struct entry *e)
{
    return e->job.state != JOB_RUNNING && clock_ns() - e->ended_ns > (uint64_t)JOBS_KEPT_MS * NS_PER_MS;
}

/* Drops the ended jobs that are kept long enough and, of the others, all but the newest JOBS_ENDED_MAX. */
static void tidy(struct job_table *t)
{
    unsigned kept = 0;
    for (struct entry **place = &t->newest; *place != NULL;) {
        bool ended = (*place)->job.state != JOB_RUNNING;
        if (ended && (kept == JOBS_ENDED_MAX || is_outdated(*place))) {
            drop(place);
            continue;
        }
        if (ended) kept++;
        place = &(*place)->next;
    }
}

static void on_output(void *data, int stream, const char *bytes, size_t len)
{
    struct entry *e = data;
    (void)stream;
    ring_add(&e->job.output, bytes, len);
}

static void note_end(struct entry *e, const struct process_status *status)
{
    if (e->job.state != JOB_RUNNING) return;
    e->job.state = status->lost ? JOB_LOST : status->signal != 0 ? JOB_KILLED : JOB_EXITED;
    e->job.exit_code = status->exit_code;
    e->job.signal = status->signal;
    e->job.ended_ms = clock_unix_ms();
    e->ended_ns = clock_ns();
    e->table->running--;
}

static void on_exited(void *data, const struct process_status *status)
{
    note_end(data, status);
}

static void on_ended(void *data, const struct process_status *status)
{
    struct entry *e = data;
    e->process = NULL;
    note_end(e, status);
}

/* The beginning of what is run, as one text. */
static void describe(struct buf *text, const struct process_request *r)
{
    if (r->command != NULL)
        buf_add(text, r->command, r->command_len < JOBS_COMMAND_BYTES ? r->command_len : JOBS_COMMAND_BYTES);
    for (size_t i = 0; r->command == NULL && r->argv[i] != NULL && text->len < JOBS_COMMAND_BYTES; i++) {
        if (i > 0) buf_byte(text, ' ');
        buf_puts(text, r->argv[i]);
    }
    if (text->len > JOBS_COMMAND_BYTES) text->len = JOBS_COMMAND_BYTES;
    if (text->len == JOBS_COMMAND_BYTES) text->len = utf8_cut(text->data, text->len);
}

static struct entry *new_entry(struct job_table *t, const struct process_request *r)
{
    struct buf text = BUF_INIT;
    describe(&text, r);
    size_t cwd_size = strlen(r->cwd_name) + 1;
    struct entry *e = text.failed ? NULL : calloc(1, sizeof *e + text.len + cwd_size);
    if (e != NULL) {
        e->table = t;
        if (text.len > 0) memcpy(e->text, text.data, text.len);
        memcpy(e->text + text.len, r->cwd_name, cwd_size);
        e->job.command = e->text;
        e->job.command_len = text.len;
        e->job.cwd = e->text + text.len;
        ring_init(&e->job.output, JOBS_OUTPUT_BYTES);
    }
    buf_free(&text);
    return e;
}

/* A number that is given out again belongs to its new process alone. */
static void drop_namesake(struct job_table *t, pid_t pid)
{
    for (struct entry **place = &t->newest; *place != NULL;) {
        if ((*place)->job.pid == pid)
            drop(place);
        else
            place = &(*place)->next;
    }
}

static void enter(struct job_table *t, struct entry *e)
{
    e->job.pid = process_pid(e->process);
    e->job.started_ms = clock_unix_ms();
    drop_namesake(t, e->job.pid);
    e->next = t->newest;
    t->newest = e;
    t->running++;
}

const struct job *job_start(struct job_table *t, const struct process_request *request,
                            struct process_error *error)
{
    tidy(t);
    if (t->running >= JOBS_RUNNING_MAX) {
        process_fail(error, EAGAIN, "%u background processes run already, which is the limit", t->running);
        return NULL;
    }
    struct process_request r = *request;
    r.merge = r.linger = true;
    r.timeout_ms = 0;
    struct entry *e = new_entry(t, &r);
    if (e == NULL) {
        process_fail(error, ENOMEM, "cannot start a process: %s", strerror(ENOMEM));
        return NULL;
    }
    e->process =
        process_start(t->processes, &r, &(struct process_handler){e, on_output, on_exited, on_ended}, error);
    if (e->process == NULL) {
        free(e);
        return NULL;
    }
    enter(t, e);
    return &e->job;
}

static bool exists(int64_t pid)
{
    return pid <= INT_MAX && (kill((pid_t)pid, 0) == 0 || errno == EPERM);
}

bool job_signal(struct job_table *t, int64_t pid, int signal, struct process_error *error)
{
    if (pid <= 0)
        return process_fail(error, EINVAL, "a process id is a positive number, got %lld", (long long)pid);
    struct entry *e = (struct entry *)job_find(t, pid);
    if (e == NULL && exists(pid))
        return process_fail(error, EPERM, "process %lld was not started by this server in the background",
                            (long long)pid);
    int code = e == NULL || e->process == NULL ? ESRCH : process_signal(e->process, signal);
    if (code == ESRCH) return process_fail(error, code, "No such process %lld", (long long)pid);
    if (code != 0) return process_fail(error, code, "process %lld: %s", (long long)pid, strerror(code));
    return true;
}

const struct job *job_find(struct job_table *t, int64_t pid)
{
    tidy(t);
    for (struct entry *e = t->newest; e != NULL; e = e->next)
        if (e->job.pid == pid) return &e->job;
    return NULL;
}

const struct job *job_next(struct job_table *t, const struct job *job)
{
    if (job == NULL) tidy(t);
    struct entry *e = job == NULL ? t->newest : ((const struct entry *)job)->next;
    return e == NULL ? NULL : &e->job;
}

unsigned job_table_running(const struct job_table *t)
{
    return t->running;
}

struct process_set *job_table_processes(struct job_table *t)
{
    return t->processes;
}

struct job_table *job_table_new(uv_loop_t *loop)
{
    struct job_table *t = calloc(1, sizeof *t);
    if (t == NULL) return NULL;
    t->processes = process_set_new(loop);
    if (t->processes != NULL) return t;
    free(t);
    return NULL;
}

void job_table_stop_all(struct job_table *t)
{
    process_set_stop(t->processes);
}

void job_table_kill_all(struct job_table *t)
{
    process_set_kill(t->processes);
}

void job_table_free(struct job_table *t)
{
    if (t == NULL) return;
    while (t->newest != NULL)
        drop(&t->newest);
    process_set_free(t->processes);
    free(t);
}
