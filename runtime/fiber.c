#include "fiber.h"

#include <lauxlib.h>
#include <stdlib.h>

#include "clock.h"
#include "fiber_internal.h"
#include "fiber_slice.h"

#define IDLE_FIBERS_MAX 64 /* coroutines kept for the next calls */

static int new_thread(lua_State *L)
{
    struct fiber *f = lua_touserdata(L, 1);
    f->L = lua_newthread(L);
    f->thread = luaL_ref(L, LUA_REGISTRYINDEX);
    return 0;
}

static struct fiber *fiber_make(struct vm *vm)
{
    struct fiber *f = calloc(1, sizeof *f);
    if (f == NULL) return NULL;
    f->vm = vm;
    lua_pushcfunction(vm->L, new_thread);
    lua_pushlightuserdata(vm->L, f);
    if (lua_pcall(vm->L, 1, 0, 0) == LUA_OK) return f;
    lua_pop(vm->L, 1);
    free(f);
    return NULL;
}

static struct fiber *fiber_acquire(struct vm *vm)
{
    struct fiber_scheduler *s = fiber_scheduler_of(vm);
    if (s == NULL || !lua_checkstack(vm->L, 4)) return NULL;
    if (s->kept == NULL) return fiber_make(vm);
    struct fiber *f = s->kept;
    s->kept = f->next;
    s->kept_count--;
    return f;
}

static void fiber_keep(struct fiber *f)
{
    struct fiber_scheduler *s = f->vm->scheduler;
    if (f->stopped) lua_sethook(f->L, NULL, 0, 0);
    if (s->kept_count >= IDLE_FIBERS_MAX) {
        luaL_unref(f->vm->L, LUA_REGISTRYINDEX, f->thread);
        free(f);
        return;
    }
    f->next = s->kept;
    s->kept = f;
    s->kept_count++;
}

/* The outcome is on top of f->L. */
static void finish(struct fiber *f, enum fiber_outcome outcome, int count)
{
    struct vm *vm = f->vm;
    f->state = FIBER_DONE;
    fiber_set_tag(f, NULL);
    f->trace[0] = '\0';
    fiber_unlink(f);
    f->done(f->data, f->L, outcome, count);
    lua_settop(f->L, 0);
    fiber_keep(f);
    vm_release(vm);
}

/* Wraps what was raised: {error, traceback}. A stop passes as it is, for Lua calls this handler with hooks
 * off when a hook raised. */
static int keep_traceback(lua_State *L)
{
    struct fiber *f = vm_of(L)->running;
    if (f->stopped) return 1;
    lua_settop(L, 1);
    luaL_traceback(L, L, NULL, 1);
    lua_createtable(L, 2, 0);
    lua_insert(L, 1);
    lua_rawseti(L, 1, 2);
    lua_rawseti(L, 1, 1);
    f->wrapped = true;
    return 1;
}

static int main_finish(lua_State *L, int status, lua_KContext context)
{
    struct fiber *f = vm_of(L)->running;
    (void)context;
    if (status == LUA_OK || status == LUA_YIELD) return lua_gettop(L) - 1;
    f->failed = true;
    if (status == LUA_ERRMEM) fiber_stop_for_memory(L);
    if (f->wrapped && lua_istable(L, -1)) {
        lua_rawgeti(L, -1, 2);
        lua_rawgeti(L, -2, 1);
    } else {
        lua_pushnil(L);
        lua_insert(L, -2);
    }
    return 2;
}

/* The first function of every coroutine. An error that a hook raises leaves hooks off until a protected call
 * has caught it; so the handler runs in one, and its to-be-closed variables are closed under the hook. */
static int fiber_main(lua_State *L)
{
    lua_pushcfunction(L, keep_traceback);
    lua_insert(L, 1);
    int status = lua_pcallk(L, lua_gettop(L) - 2, LUA_MULTRET, 1, 0, main_finish);
    return main_finish(L, status, 0);
}

static int push_reason(lua_State *L)
{
    lua_pushstring(L, ((const struct fiber *)lua_touserdata(L, 1))->reason);
    return 1;
}

static void finish_main(struct fiber *f, int count)
{
    if (!f->failed) {
        finish(f, FIBER_RETURNED, count);
    } else if (f->stopped) {
        lua_settop(f->L, 0);
        lua_pushcfunction(f->L, push_reason);
        lua_pushlightuserdata(f->L, f);
        lua_pcall(f->L, 1, 1, 0); /* without memory for it, that is the reason */
        finish(f, FIBER_STOPPED, 1);
    } else {
        finish(f, FIBER_RAISED, 2);
    }
}

/* Not even fiber_main could run: memory is short. */
static void finish_dead(struct fiber *f)
{
    lua_resetthread(f->L);
    lua_settop(f->L, 0);
    lua_pushnil(f->L);
    lua_pushliteral(f->L, "not enough memory");
    finish(f, FIBER_RAISED, 2);
}

/* Its code can lead here again, through a response that ends and the next request. */
static int run(struct fiber *f, int args, int *count)
{
    struct vm *vm = f->vm;
    struct fiber *outer = vm->running;
    lua_State *from = outer != NULL ? outer->L : vm->L, *closing = vm->closing;
    bool pinned = vm->pinned;
    lua_State *before = slice_timer_watch(vm->host->slices, f->L);
    vm->running = f;
    vm->pinned = false;
    vm->closing = NULL;
    f->state = FIBER_RUNNING;
    f->slices_at_resume = f->slices_seen = slice_timer_count(vm->host->slices);
    vm_pace(vm, from);
    int status = lua_resume(f->L, from, args, count);
    fiber_count_cpu(f);
    vm->running = outer;
    vm->pinned = pinned;
    vm->closing = closing;
    slice_timer_watch(vm->host->slices, before);
    return status;
}

void fiber_resume(struct fiber *f, int args)
{
    int count = 0;
    int status = run(f, args, &count);
    if (status == LUA_OK) {
        finish_main(f, count);
    } else if (status != LUA_YIELD) {
        finish_dead(f);
    } else if (f->slice_over) {
        f->slice_over = false;
        fiber_make_ready(f);
    }
}

/* A fiber that is live, with fiber_main on its stack, and has not run. NULL without memory. */
static struct fiber *fiber_prepare(struct vm *vm, int args, const struct fiber_limits *limits,
                                   fiber_done_cb done, void *data)
{
    struct fiber *f = fiber_acquire(vm);
    if (f == NULL) return NULL;
    if (!lua_checkstack(f->L, args + 8)) {
        fiber_keep(f);
        return NULL;
    }
    f->stopped = f->located = f->slice_over = f->failed = f->wrapped = false;
    f->state = FIBER_NEW;
    f->start_args = args + 1;
    f->cpu_ms = 0;
    f->cpu_limit_ms = limits->cpu_ms;
    f->deadline_ns = limits->deadline_ms != 0 ? clock_ns() + limits->deadline_ms * 1000000 : 0;
    f->waiting = NULL;
    f->done = done;
    f->data = data;
    f->reason[0] = '\0';
    fiber_link(f);
    fiber_watch_deadline(f);
    lua_pushcfunction(f->L, fiber_main);
    return f;
}

bool fiber_start(struct vm *vm, int args, const struct fiber_limits *limits, fiber_done_cb done, void *data)
{
    struct fiber *f = fiber_prepare(vm, args, limits, done, data);
    if (f == NULL) {
        lua_pop(vm->L, args + 1);
        return false;
    }
    lua_xmove(vm->L, f->L, args + 1);
    fiber_resume(f, args + 1);
    return true;
}

bool fiber_spawn(lua_State *L, int function, const struct fiber_limits *limits, fiber_done_cb done,
                 void *data)
{
    struct fiber *f = fiber_prepare(vm_of(L), 0, limits, done, data);
    if (f == NULL) return false;
    if (fiber_running(L) != NULL) fiber_set_trace(f, fiber_trace(fiber_running(L)));
    lua_pushvalue(L, function);
    lua_xmove(L, f->L, 1);
    fiber_make_ready(f);
    return true;
}

struct fiber *fiber_running(lua_State *L)
{
    return vm_of(L)->running;
}

lua_State *fiber_thread(const struct fiber *f)
{
    return f->L;
}

void fiber_park(struct fiber *f, struct fiber_op *op)
{
    f->waiting = op;
    f->state = FIBER_WAITING;
}

void fiber_wake(struct fiber *f, const struct fiber_op *op)
{
    if (f->state != FIBER_WAITING || f->waiting != op) return;
    f->waiting = NULL;
    if (f->vm->running != NULL)
        fiber_make_ready(f); /* woken by another handler, which goes on first */
    else
        fiber_resume(f, 0);
}

int64_t fiber_time_left(lua_State *L)
{
    const struct fiber *f = vm_of(L)->running;
    if (f == NULL || f->deadline_ns == 0) return -1;
    uint64_t now = clock_ns();
    return f->deadline_ns > now ? (int64_t)((f->deadline_ns - now) / 1000000) : 0;
}
