#include "process_internal.h"
#include "process_stray.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>

#define READ_BYTES_PER_TURN (8 * PROCESS_READ_BYTES) /* then others get their turn */
#define PACE_MS 10 /* after that much of a background job, before it is read again: some 50 MB a second */
#define HOLD_RETRY_MS 50

static void advance(struct process *p);
static void on_timer(uv_timer_t *timer);
static void on_readable(uv_poll_t *poll, int status, int events);

/* -- handles ------------------------------------------------------------------------------------------- */

static void on_handle_closed(uv_handle_t *handle)
{
    struct process *p = handle->data;
    if (--p->handles == 0) free(p);
}

static void set_timer(struct process *p, uint64_t ms)
{
    uv_update_time(p->set->loop);
    uv_timer_start(&p->timer, on_timer, ms, 0);
}

static void close_stream(struct process_stream *s)
{
    if (s->fd < 0) return;
    uv_close((uv_handle_t *)&s->poll, on_handle_closed);
    close(s->fd);
    s->fd = -1;
}

static bool is_silent(const struct process *p)
{
    return p->streams[0].fd < 0 && p->streams[1].fd < 0;
}

/* -- output -------------------------------------------------------------------------------------------- */

static void give_output(struct process *p, const struct process_stream *s, size_t len)
{
    if (p->handler.output != NULL)
        p->handler.output(p->handler.data, s == &p->streams[0] ? 1 : 2, p->set->scratch, len);
}

/* Reads until the pipe is empty, at its end (then it is closed), or `limit` is reached. */
static void read_stream(struct process_stream *s, size_t limit)
{
    size_t done = 0;
    while (s->fd >= 0 && done < limit) {
        ssize_t n = read(s->fd, s->process->set->scratch, PROCESS_READ_BYTES);
        if (n < 0 && errno == EINTR) continue;
        if (n < 0 && errno == EAGAIN) return;
        if (n <= 0) {
            close_stream(s);
            return;
        }
        done += (size_t)n;
        s->process->unpaused_bytes += (size_t)n;
        give_output(s->process, s, (size_t)n);
    }
}

/* Nobody waits for the output, and the timer is free. */
static bool has_time(const struct process *p)
{
    return p->linger && !p->set->stopping && (p->stage == STAGE_RUNNING || p->stage == STAGE_DRAINING);
}

/* One that writes without end must not keep the loop busy, whether or not its pipe is ever found empty. */
static void pause_reading(struct process *p)
{
    if (p->streams[0].fd < 0 || p->unpaused_bytes < READ_BYTES_PER_TURN || !has_time(p)) return;
    p->paused = true;
    p->unpaused_bytes = 0;
    uv_poll_stop(&p->streams[0].poll);
    set_timer(p, PACE_MS);
}

static void resume_reading(struct process *p)
{
    if (p->paused && p->streams[0].fd >= 0) uv_poll_start(&p->streams[0].poll, UV_READABLE, on_readable);
    p->paused = false;
}

static void on_readable(uv_poll_t *poll, int status, int events)
{
    (void)status; /* reading tells */
    (void)events;
    struct process *p = poll->data;
    read_stream(poll == &p->streams[0].poll ? &p->streams[0] : &p->streams[1], READ_BYTES_PER_TURN);
    pause_reading(p);
    advance(p);
}

/* All that the leader wrote lies in the pipes when its exit is seen, and no more than they can hold. */
static void read_rest(struct process *p)
{
    for (int i = 0; i < 2; i++) {
        if (p->streams[i].fd < 0) continue;
        int held = fcntl(p->streams[i].fd, F_GETPIPE_SZ);
        read_stream(&p->streams[i], (held > 0 ? (size_t)held : 0) + PROCESS_READ_BYTES);
    }
}

/* -- exit ---------------------------------------------------------------------------------------------- */

static bool has_exited(const struct process *p)
{
    struct pollfd watched = {.fd = p->pidfd, .events = POLLIN};
    return p->exited || poll(&watched, 1, 0) > 0;
}

/* False while a tracer holds the leader. */
static bool reap(struct process *p)
{
    siginfo_t info = {.si_pid = 0};
    if (waitid(P_PIDFD, (id_t)p->pidfd, &info, WEXITED | WNOHANG) != 0 || info.si_pid == 0) return false;
    if (info.si_code == CLD_EXITED)
        p->status.exit_code = info.si_status;
    else
        p->status.signal = info.si_status;
    p->status.lost = false;
    return true;
}

/* Nothing is left to be seen of the leader; one that is not reaped is handed on. */
static void close_exit(struct process *p)
{
    if (p->pidfd < 0) return;
    if (p->exit_watch.data != NULL) uv_close((uv_handle_t *)&p->exit_watch, on_handle_closed);
    if (p->status.lost)
        process_lost_add(&p->set->lost, p->pidfd);
    else
        close(p->pidfd);
    p->pidfd = -1;
}

static void end(struct process *p)
{
    p->stage = STAGE_ENDED;
    close_exit(p);
    close_stream(&p->streams[0]);
    close_stream(&p->streams[1]);
    uv_close((uv_handle_t *)&p->timer, on_handle_closed);
    *p->link = p->next;
    if (p->next != NULL) p->next->link = p->link;
    p->set->count--;
    if (p->handler.ended != NULL) p->handler.ended(p->handler.data, &p->status);
}

static void drain(struct process *p)
{
    p->stage = STAGE_DRAINING;
    resume_reading(p);
    close_exit(p);
    if (has_time(p))
        uv_timer_stop(&p->timer);
    else
        set_timer(p, PROCESS_DRAIN_MS);
    if (p->handler.exited != NULL) p->handler.exited(p->handler.data, &p->status);
}

static void hold(struct process *p)
{
    p->stage = STAGE_HELD;
    set_timer(p, HOLD_RETRY_MS);
}

static void kill_group(struct process *p)
{
    kill(-p->pid, SIGKILL);
    p->stage = STAGE_KILLED;
}

/* Goes as far as what is known about the exit and the pipes allows. */
static void advance(struct process *p)
{
    if (!p->exited || p->stage == STAGE_ENDED) return;
    if (p->stage == STAGE_TERMINATING && is_silent(p)) kill_group(p);
    if (p->stage == STAGE_RUNNING || p->stage == STAGE_KILLED) {
        if (reap(p))
            drain(p);
        else
            hold(p);
    }
    if (p->stage == STAGE_DRAINING && is_silent(p)) end(p);
}

static void note_exit(struct process *p)
{
    if (p->exited) return;
    p->exited = true;
    uv_poll_stop(&p->exit_watch);
    read_rest(p);
    advance(p);
}

static void on_exit_seen(uv_poll_t *poll, int status, int events)
{
    (void)status;
    (void)events;
    note_exit(poll->data);
}

/* -- time ---------------------------------------------------------------------------------------------- */

static void begin_termination(struct process *p, enum process_stop why)
{
    kill(-p->pid, SIGTERM);
    process_stray_end(p);
    p->status.stop = why;
    p->stage = STAGE_TERMINATING;
    resume_reading(p);
    set_timer(p, PROCESS_GRACE_MS);
}

static void try_again(struct process *p)
{
    p->held_ms += HOLD_RETRY_MS;
    if (reap(p) || p->held_ms >= PROCESS_LOST_MS)
        drain(p);
    else
        set_timer(p, HOLD_RETRY_MS);
    advance(p);
}

static void on_timer(uv_timer_t *timer)
{
    struct process *p = timer->data;
    enum process_stage stage = p->stage;
    if (has_exited(p)) note_exit(p); /* after a busy loop the timer may be seen before the exit */
    if (p->stage != stage) return;
    if (p->paused && has_time(p)) {
        resume_reading(p);
        return;
    }
    switch (stage) {
    case STAGE_RUNNING:
        begin_termination(p, PROCESS_TIMED_OUT);
        break;
    case STAGE_TERMINATING:
        kill_group(p);
        set_timer(p, PROCESS_LOST_MS);
        advance(p);
        break;
    case STAGE_HELD:
        try_again(p);
        break;
    case STAGE_KILLED:
    case STAGE_DRAINING:
        end(p);
        break;
    case STAGE_ENDED:
        break;
    }
}

/* -- start ------------------------------------------------------------------------------------------- */

static int watch_stream(struct process *p, int i, int fd)
{
    struct process_stream *s = &p->streams[i];
    s->process = p;
    s->poll.data = p;
    s->fd = -1;
    if (fd < 0) return 0;
    int rc = uv_poll_init(p->set->loop, &s->poll, fd);
    if (rc != 0) {
        close(fd);
        return rc;
    }
    s->fd = fd;
    p->handles++;
    return uv_poll_start(&s->poll, UV_READABLE, on_readable);
}

/* 0 or a libuv error; the handles that are open then are counted either way. */
static int open_handles(struct process *p, const struct process_child *child)
{
    uv_timer_init(p->set->loop, &p->timer);
    p->timer.data = p;
    p->handles = 1;
    int first = watch_stream(p, 0, child->output[0]);
    int second = watch_stream(p, 1, child->output[1]);
    int rc = uv_poll_init(p->set->loop, &p->exit_watch, p->pidfd);
    if (rc != 0) return rc;
    p->exit_watch.data = p;
    p->handles++;
    rc = uv_poll_start(&p->exit_watch, UV_READABLE, on_exit_seen);
    return first != 0 ? first : second != 0 ? second : rc;
}

/* A child that cannot be watched is killed; its record goes when its handles have closed. */
static void discard(struct process *p)
{
    kill(-p->pid, SIGKILL);
    reap(p);
    p->stage = STAGE_ENDED;
    close_stream(&p->streams[0]);
    close_stream(&p->streams[1]);
    close_exit(p);
    uv_close((uv_handle_t *)&p->timer, on_handle_closed);
}

int process_watch(struct process *p, const struct process_child *child, uint64_t timeout_ms)
{
    p->pid = child->pid;
    p->pidfd = child->pidfd;
    p->status = (struct process_status){.lost = true, .exit_code = -1};
    int rc = open_handles(p, child);
    if (rc != 0)
        discard(p);
    else if (timeout_ms > 0)
        set_timer(p, timeout_ms);
    return rc;
}

/* -- control ------------------------------------------------------------------------------------------- */

pid_t process_pid(const struct process *p)
{
    return p->pid;
}

void process_terminate(struct process *p, enum process_stop why)
{
    if (p->stage == STAGE_RUNNING && !has_exited(p)) begin_termination(p, why);
    if (p->stage == STAGE_DRAINING && p->linger) end(p);
}

int process_signal(struct process *p, int signal)
{
    if (has_exited(p)) return ESRCH;
    if (kill(-p->pid, signal) != 0) return errno;
    process_stray_signal(p, signal);
    return 0;
}

void process_release(struct process *p)
{
    p->handler = (struct process_handler){0};
    if (p->stage == STAGE_DRAINING) end(p);
}
