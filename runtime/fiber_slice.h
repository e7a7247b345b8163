/* The slice timer: interrupts Lua code that computes for long, and costs nothing while none does.
 *
 * A count hook would do, but Lua 5.4 then leaves its fast path at every instruction. So a timer on the CPU
 * time of the loop's thread sends that thread a signal every SLICE_MS that it computes; the handler sets the
 * hook of fiber.h for the next instruction of whatever Lua code runs (lua_sethook is made for that, see the
 * manual), and the hook takes itself away. An idle thread uses no CPU time and gets no signal.
 * timer_create(2), SIGEV_THREAD_ID.
 *
 * Everything here belongs to the loop's thread. */
#ifndef SANDSTORM_FIBER_SLICE_H
#define SANDSTORM_FIBER_SLICE_H

#include "fiber.h"

#define SLICE_MS 10 /* how long a handler may compute while others wait */

struct slice_timer;

/* Starts the timer for the calling thread. NULL when the system has none left or memory is short. */
struct slice_timer *slice_timer_new(void);

/* Stops it. NULL is allowed. */
void slice_timer_free(struct slice_timer *timer);

/* Names the state whose code runs from here on, or NULL; returns the one before. */
lua_State *slice_timer_watch(struct slice_timer *timer, lua_State *L);

/* How often the timer has fired: the CPU time of the thread in slices. */
unsigned slice_timer_count(const struct slice_timer *timer);

/* The state whose code runs, or NULL. */
lua_State *slice_timer_watched(const struct slice_timer *timer);

#endif
