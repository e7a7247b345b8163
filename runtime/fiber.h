/* A fiber: the record of one running Lua handler.
 *
 * A handler is written as blocking code. Where a capability has to wait, its binding parks the fiber and the
 * loop goes on; the capability's callback wakes it. States: new -> running <-> waiting -> done, and
 * running <-> preempted for code that computes longer than a time slice. Both work in coroutines of the
 * script and in what the standard library calls back (lua_sandbox.h), but not below a C function that cannot
 * be continued: there waiting raises, and code that computes is stopped at its limit, giving no turn before.
 *
 * Limits, each costing one call and never the server:
 *
 *   - deadline: wall time of the whole handler, waits included
 *   - CPU: time that its code computes, as the kernel counts it (a busy machine is not held against it), in
 *     steps of some 10 ms
 *   - memory: the VM's ceiling (vm.h)
 *
 * A fiber that is cancelled or hits a limit is "stopped": an error is raised at the point where it stands and
 * again at whatever runs next, so that neither pcall nor a coroutine of the script can swallow it;
 * to-be-closed variables are closed on the way out.
 *
 * Operations. A binding that waits creates an operation, starts the capability with it, and returns
 * fiber_wait(...). The memory is shared by the coroutine (through a guard userdata) and the loop, and
 * freed when both have let go, so neither a late callback nor a collected coroutine can dangle:
 *
 *     static int l_sleep(lua_State *L)
 *     {
 *         struct sleep *op = fiber_op_new(L, "clock.sleep", sizeof *op, NULL);   // raises while loading
 *         ... start the capability; on failure to start: return what the function returns on failure ...
 *         fiber_op_hold(op);                                // the loop's share; dropped by fiber_op_done
 *         return fiber_wait(L, op, sleep_finish, sleep_cancel);
 *     }
 *     static void sleep_fired(uv_timer_t *t) { ...; fiber_op_done(op); }       // callback on the loop
 *     static int sleep_finish(lua_State *L, void *op) { push results; return count; }  // may raise
 *     static void sleep_cancel(void *op) { make sleep_fired happen soon }      // must not call back at once
 *
 * `finish` runs in the coroutine, after fiber_op_done; it is not called if the fiber was stopped meanwhile.
 * `release` (may be NULL) frees what the operation owns beside its own memory; it runs once, on the loop's
 * thread with no Lua state at hand.
 *
 * Everything here belongs to the loop's thread. */
#ifndef SANDSTORM_FIBER_H
#define SANDSTORM_FIBER_H

#include <lauxlib.h>
#include <lua.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "vm.h"

enum fiber_state { FIBER_NEW, FIBER_RUNNING, FIBER_WAITING, FIBER_PREEMPTED, FIBER_DONE };

enum fiber_outcome {
    FIBER_RETURNED, /* results are on top of L */
    FIBER_RAISED,   /* the error object is on top of L, a traceback string below it */
    FIBER_STOPPED   /* the reason is on top of L as a string */
};

struct fiber;
struct fiber_op;

/* Called once, when the fiber ends; `L` holds `count` results and is valid only during the call. Must not
 * raise: wrap what can in a protected call. */
typedef void (*fiber_done_cb)(void *data, lua_State *L, enum fiber_outcome outcome, int count);

struct fiber_limits {
    uint64_t deadline_ms; /* 0: none */
    uint64_t cpu_ms;
};

/* Takes the function and `args` arguments from the top of vm->L and runs it in a fiber, up to its first wait;
 * `done` may have run when this returns. False when there is no memory: function and arguments are popped,
 * `done` is not called. */
bool fiber_start(struct vm *vm, int args, const struct fiber_limits *limits, fiber_done_cb done, void *data);

/* The same for the function at index `function` of a running handler's stack, without arguments; nothing is
 * popped. The new fiber runs from the loop, after the caller's has paused or ended. */
bool fiber_spawn(lua_State *L, int function, const struct fiber_limits *limits, fiber_done_cb done,
                 void *data);

/* Stops a fiber that is not done (fiber_running gives it): whatever it waits for is cancelled and `reason`
 * (copied) is raised in it. Safe to call on the running fiber and more than once. */
void fiber_stop(struct fiber *f, const char *reason);

/* Stops the running fiber, if there is one: a protected call of its code caught LUA_ERRMEM. */
void fiber_stop_for_memory(lua_State *L);

/* Number of fibers that are started and not done, in this VM. */
unsigned fiber_live_count(const struct vm *vm);

/* Stops all of them. */
void fiber_stop_all(struct vm *vm, const char *reason);

/* Names a fiber, so that another handler can stop it; NULL takes the name away. False without memory. */
bool fiber_set_tag(struct fiber *f, const char *tag);

/* The W3C trace context that a fiber works for: goes into the log lines and the children's environment of
 * whatever it does, and to the fibers that it spawns. "" for none. */
#define FIBER_TRACE_SIZE 56
void fiber_set_trace(struct fiber *f, const char *traceparent);
const char *fiber_trace(const struct fiber *f);

/* How many fibers of this VM have that name. */
unsigned fiber_count_tagged(const struct vm *vm, const char *tag);

/* Stops the fibers of this VM with that name, or, if it ends in `*`, with names that begin so; returns how
 * many. */
unsigned fiber_stop_tagged(struct vm *vm, const char *tag, const char *reason);

/* The hook that enforces the limits: of the running fiber when the slice timer (fiber_slice.h) sets it, and
 * of loading, where vm.c sets it on the main thread. */
void fiber_hook(lua_State *L, lua_Debug *ar);
#define FIBER_HOOK_COUNT 20000 /* while loading: VM instructions between two looks at the clock */

/* Prepares a state for operations; called once by vm.c. May raise. */
void fiber_setup(lua_State *L);

/* Gives back what fibers keep in the VM; no fiber may be live. Called by vm_free before the state is closed.
 */
void fiber_teardown(struct vm *vm);

/* A new operation: `size` zeroed bytes. Pushes its guard. Raises when there is no fiber to park (loading, or
 * called outside of a handler), naming `function`. */
void *fiber_op_new(lua_State *L, const char *function, size_t size, void (*release)(void *op));

/* Takes the loop's share of the operation. */
void fiber_op_hold(void *op);

/* `lost` is called when the coroutine is collected before the operation is over: one that yielded to the
 * script in the middle of it, and was never resumed. As a canceller it must not call back at once. */
void fiber_op_if_lost(void *op, void (*lost)(void *op));

/* The operation is over: wakes its fiber if that still waits for it and drops the loop's share. */
void fiber_op_done(void *op);

/* Parks the running fiber; used as `return fiber_wait(...)` by a lua_CFunction. */
int fiber_wait(lua_State *L, void *op, int (*finish)(lua_State *L, void *op), void (*cancel)(void *op));

/* Runs `work` on the thread pool, then `finish` in the coroutine. `work` must not touch Lua or the loop. The
 * operation comes from fiber_op_new; work that has started is not interrupted, a stopped fiber just stops
 * waiting for it. Used as `return fiber_work(...)`. */
int fiber_work(lua_State *L, void *op, void (*work)(void *op), int (*finish)(lua_State *L, void *op));

/* Long computing in C. A C function whose work is not bounded asks fiber_turn_is_due about every 50 us: that
 * raises the stop of a handler which is to be stopped or has computed for too long, and of loading that takes
 * too long (so the caller holds nothing but what Lua collects). True: others wait; the function keeps its
 * state in a userdata on its stack and returns fiber_pause(...), and `go_on` is called in a later turn of the
 * loop:
 *
 *     static int count(lua_State *L, struct count *c)
 *     {
 *         while (!step(c))
 *             if (fiber_turn_is_due(L)) return fiber_pause(L, (lua_KContext)c, count_on);
 *         ...
 *     }
 */
bool fiber_turn_is_due(lua_State *L);
int fiber_pause(lua_State *L, lua_KContext context, lua_KFunction go_on);

/* Whether what runs can pause or wait: no C function that cannot be continued stands between it and the loop.
 */
bool fiber_can_pause(lua_State *L);

/* The milliseconds that the running fiber has left before its deadline, or -1 for no deadline. */
int64_t fiber_time_left(lua_State *L);

/* ---- between fiber.c and lua_operation.c ------------------------------------------------------------- */

/* The fiber whose code runs, or NULL; its base coroutine. */
struct fiber *fiber_running(lua_State *L);
lua_State *fiber_thread(const struct fiber *f);

/* Marks the running fiber as waiting for `op`; the caller yields. */
void fiber_park(struct fiber *f, struct fiber_op *op);

/* Resumes the fiber if it still waits for `op`. */
void fiber_wake(struct fiber *f, const struct fiber_op *op);

/* The fiber no longer waits: calls the canceller unless the operation is over. */
void fiber_op_cancel(struct fiber_op *op);

/* Raises the stop of the running fiber, if it is being stopped. */
int fiber_raise_if_stopped(lua_State *L);

#endif
