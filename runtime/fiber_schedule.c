#include "fiber_internal.h"

#include <stdlib.h>

#include "clock.h"

#define TURN_MS 20 /* what fibers that compute may take of one turn of the loop */

static struct fiber *take_ready(struct fiber_scheduler *s)
{
    struct fiber *f = s->ready;
    s->ready = f->next_ready;
    if (s->ready == NULL) s->ready_tail = NULL;
    return f;
}

/* One turn: each that is ready now, until the time is up. Others wait for the loop too. */
static void on_idle(uv_idle_t *idle)
{
    struct fiber_scheduler *s = idle->data;
    const uint64_t end = clock_ns() + TURN_MS * UINT64_C(1000000);
    const struct fiber *last = s->ready_tail, *f = NULL;
    while (s->ready != NULL && f != last && clock_ns() < end) {
        struct fiber *next = take_ready(s);
        f = next;
        fiber_resume(next, next->state == FIBER_NEW ? next->start_args : 0);
    }
    if (s->ready == NULL) uv_idle_stop(&s->idle);
}

void fiber_make_ready(struct fiber *f)
{
    struct fiber_scheduler *s = f->vm->scheduler;
    if (f->state != FIBER_NEW) f->state = FIBER_PREEMPTED;
    f->next_ready = NULL;
    if (s->ready_tail != NULL)
        s->ready_tail->next_ready = f;
    else
        s->ready = f;
    s->ready_tail = f;
    uv_idle_start(&s->idle, on_idle);
}

static void arm_timer(struct fiber_scheduler *s, uint64_t deadline_ns);

static void on_timer(uv_timer_t *timer)
{
    struct fiber_scheduler *s = timer->data;
    uint64_t now = clock_ns(), next = 0;
    s->timer_ns = 0;
    for (struct fiber *f = s->live; f != NULL; f = f->next) {
        if (f->deadline_ns == 0) continue;
        if (f->deadline_ns <= now)
            fiber_stop(f, "stopped: the call took longer than its deadline");
        else if (next == 0 || f->deadline_ns < next)
            next = f->deadline_ns;
    }
    if (next != 0) arm_timer(s, next);
}

static void arm_timer(struct fiber_scheduler *s, uint64_t deadline_ns)
{
    if (s->timer_ns != 0 && s->timer_ns <= deadline_ns) return;
    uint64_t now = clock_ns();
    uint64_t wait_ms = deadline_ns > now ? (deadline_ns - now) / 1000000 + 1 : 0;
    s->timer_ns = deadline_ns;
    uv_timer_start(&s->timer, on_timer, wait_ms, 0);
}

struct fiber_scheduler *fiber_scheduler_of(struct vm *vm)
{
    if (vm->scheduler != NULL) return vm->scheduler;
    struct fiber_scheduler *s = calloc(1, sizeof *s);
    if (s == NULL) return NULL;
    uv_idle_init(vm->host->loop, &s->idle);
    uv_timer_init(vm->host->loop, &s->timer);
    uv_unref((uv_handle_t *)&s->timer);
    s->idle.data = s->timer.data = s;
    s->handles = 2;
    vm->scheduler = s;
    return s;
}

static void on_handle_closed(uv_handle_t *handle)
{
    struct fiber_scheduler *s = handle->data;
    if (--s->handles == 0) free(s);
}

void fiber_teardown(struct vm *vm)
{
    struct fiber_scheduler *s = vm->scheduler;
    if (s == NULL) return;
    while (s->kept != NULL) {
        struct fiber *next = s->kept->next;
        free(s->kept);
        s->kept = next;
    }
    uv_close((uv_handle_t *)&s->idle, on_handle_closed);
    uv_close((uv_handle_t *)&s->timer, on_handle_closed);
    vm->scheduler = NULL;
}

unsigned fiber_live_count(const struct vm *vm)
{
    return vm->scheduler != NULL ? vm->scheduler->live_count : 0;
}

void fiber_stop_all(struct vm *vm, const char *reason)
{
    if (vm->scheduler == NULL) return;
    for (struct fiber *f = vm->scheduler->live; f != NULL; f = f->next)
        fiber_stop(f, reason);
}

void fiber_watch_deadline(struct fiber *f)
{
    if (f->deadline_ns != 0) arm_timer(f->vm->scheduler, f->deadline_ns);
}

void fiber_link(struct fiber *f)
{
    struct fiber_scheduler *s = f->vm->scheduler;
    f->prev = NULL;
    f->next = s->live;
    if (f->next != NULL) f->next->prev = f;
    s->live = f;
    s->live_count++;
    vm_hold(f->vm);
}

void fiber_unlink(struct fiber *f)
{
    struct fiber_scheduler *s = f->vm->scheduler;
    if (f->prev != NULL)
        f->prev->next = f->next;
    else
        s->live = f->next;
    if (f->next != NULL) f->next->prev = f->prev;
    s->live_count--;
}
