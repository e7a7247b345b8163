#include "fiber_slice.h"

#include <signal.h>
#include <stdlib.h>
#include <time.h>
#include <unistd.h>

#define SLICE_SIGNAL SIGVTALRM

#ifndef sigev_notify_thread_id
#define sigev_notify_thread_id _sigev_un._tid
#endif

struct slice_timer {
    timer_t timer;
    lua_State *volatile running;
    volatile unsigned count;
};

static void on_signal(int number, siginfo_t *info, void *context)
{
    struct slice_timer *timer = info->si_value.sival_ptr;
    (void)number;
    (void)context;
    if (info->si_code != SI_TIMER || timer == NULL) return;
    timer->count += 1 + (unsigned)info->si_overrun;
    /* Setting a hook takes as long as the stack is deep: where one is set already it is on its way. */
    if (timer->running != NULL && lua_gethookmask(timer->running) == 0)
        lua_sethook(timer->running, fiber_hook, LUA_MASKCOUNT, 1);
}

static bool start(struct slice_timer *timer)
{
    const struct itimerspec slices = {{0, SLICE_MS * 1000000}, {0, SLICE_MS * 1000000}};
    struct sigaction action = {.sa_sigaction = on_signal, .sa_flags = SA_SIGINFO | SA_RESTART};
    struct sigevent event = {.sigev_notify = SIGEV_THREAD_ID, .sigev_signo = SLICE_SIGNAL};
    event.sigev_value.sival_ptr = timer;
    event.sigev_notify_thread_id = gettid();
    sigemptyset(&action.sa_mask);
    if (sigaction(SLICE_SIGNAL, &action, NULL) != 0) return false;
    if (timer_create(CLOCK_THREAD_CPUTIME_ID, &event, &timer->timer) != 0) return false;
    if (timer_settime(timer->timer, 0, &slices, NULL) == 0) return true;
    timer_delete(timer->timer);
    return false;
}

struct slice_timer *slice_timer_new(void)
{
    struct slice_timer *timer = calloc(1, sizeof *timer);
    if (timer == NULL || start(timer)) return timer;
    free(timer);
    return NULL;
}

/* A signal that is already on its way finds a handler that ignores it: si_value is not looked into. */
void slice_timer_free(struct slice_timer *timer)
{
    if (timer == NULL) return;
    timer_delete(timer->timer);
    signal(SLICE_SIGNAL, SIG_IGN);
    free(timer);
}

lua_State *slice_timer_watch(struct slice_timer *timer, lua_State *L)
{
    lua_State *before = timer->running;
    timer->running = L;
    return before;
}

unsigned slice_timer_count(const struct slice_timer *timer)
{
    return timer->count;
}

lua_State *slice_timer_watched(const struct slice_timer *timer)
{
    return timer->running;
}
