#include "fiber.h"

#include <lauxlib.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <uv.h>

#include "clock.h"

#define SLICE_NS (10 * UINT64_C(1000000)) /* how long a handler may compute while others wait */
#define STOPPING_HOOK_COUNT 1000          /* a stopped handler is reminded this often */
#define IDLE_FIBERS_MAX 64                /* coroutines kept for the next calls */
#define REASON_SIZE 192

struct fiber {
    struct vm *vm;
    lua_State *L;
    int thread; /* registry reference of L */
    enum fiber_state state;
    bool stopped;
    bool located;         /* `reason` starts with the place where the handler stood */
    bool slice_over;      /* the hook has given the loop a turn */
    int start_args;       /* of a fiber that has not run yet */
    bool failed, wrapped; /* the handler raised; the error is wrapped with its traceback */
    uint64_t deadline_ns; /* 0: none */
    uint64_t cpu_ns, cpu_limit_ns, slice_start_ns;
    struct fiber_op *waiting;
    fiber_done_cb done;
    void *data;
    char *tag; /* owned; NULL: none */
    char reason[REASON_SIZE];
    struct fiber *next, *prev; /* live list; `next` also links the records kept for later */
    struct fiber *next_ready;
};

struct fiber_scheduler {
    uv_idle_t idle;   /* active while a fiber is ready */
    uv_timer_t timer; /* the earliest deadline */
    uint64_t timer_ns;
    unsigned handles; /* open libuv handles; the memory goes with the last */
    struct fiber *live, *kept, *ready, *ready_tail;
    unsigned live_count, kept_count;
};

/* ---- scheduling -------------------------------------------------------------------------------------- */

static void resume(struct fiber *f, int args);

static void on_idle(uv_idle_t *idle)
{
    struct fiber_scheduler *s = idle->data;
    struct fiber *f = s->ready;
    s->ready = s->ready_tail = NULL;
    while (f != NULL) {
        struct fiber *next = f->next_ready;
        int args = f->state == FIBER_NEW ? f->start_args : 0;
        resume(f, args);
        f = next;
    }
    if (s->ready == NULL) uv_idle_stop(&s->idle);
}

static void make_ready(struct fiber *f)
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

static struct fiber_scheduler *scheduler_of(struct vm *vm)
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

/* ---- life of a fiber --------------------------------------------------------------------------------- */

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
    struct fiber_scheduler *s = scheduler_of(vm);
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
    if (f->stopped) lua_sethook(f->L, fiber_hook, LUA_MASKCOUNT, FIBER_HOOK_COUNT);
    if (s->kept_count >= IDLE_FIBERS_MAX) {
        luaL_unref(f->vm->L, LUA_REGISTRYINDEX, f->thread);
        free(f);
        return;
    }
    f->next = s->kept;
    s->kept = f;
    s->kept_count++;
}

static void link_live(struct fiber *f)
{
    struct fiber_scheduler *s = f->vm->scheduler;
    f->prev = NULL;
    f->next = s->live;
    if (f->next != NULL) f->next->prev = f;
    s->live = f;
    s->live_count++;
    vm_hold(f->vm);
}

static void unlink_live(struct fiber *f)
{
    struct fiber_scheduler *s = f->vm->scheduler;
    if (f->prev != NULL)
        f->prev->next = f->next;
    else
        s->live = f->next;
    if (f->next != NULL) f->next->prev = f->prev;
    s->live_count--;
}

/* The outcome is on top of f->L. */
static void finish(struct fiber *f, enum fiber_outcome outcome, int count)
{
    struct vm *vm = f->vm;
    f->state = FIBER_DONE;
    fiber_set_tag(f, NULL);
    unlink_live(f);
    f->done(f->data, f->L, outcome, count);
    lua_settop(f->L, 0);
    fiber_keep(f);
    vm_release(vm);
}

/* Wraps what was raised: {error, traceback}. A stop passes as it is, for Lua calls this handler with hooks off
 * when a hook raised. */
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
    if (f->wrapped && lua_istable(L, -1)) {
        lua_rawgeti(L, -1, 2);
        lua_rawgeti(L, -2, 1);
    } else {
        lua_pushnil(L);
        lua_insert(L, -2);
    }
    return 2;
}

/* The first function of every coroutine. An error that a hook raises leaves hooks off until a protected call has
 * caught it; so the handler runs in one, and its to-be-closed variables are closed under the hook. */
static int fiber_main(lua_State *L)
{
    lua_pushcfunction(L, keep_traceback);
    lua_insert(L, 1);
    int status = lua_pcallk(L, lua_gettop(L) - 2, LUA_MULTRET, 1, 0, main_finish);
    return main_finish(L, status, 0);
}

static void finish_main(struct fiber *f, int count)
{
    if (!f->failed) {
        finish(f, FIBER_RETURNED, count);
    } else if (f->stopped) {
        lua_settop(f->L, 0);
        lua_pushstring(f->L, f->reason);
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

static void resume(struct fiber *f, int args)
{
    struct vm *vm = f->vm;
    struct fiber *outer = vm->running; /* its code can lead here, through a response that ends and the next request */
    int count = 0;
    vm->running = f;
    f->state = FIBER_RUNNING;
    f->slice_start_ns = clock_ns();
    int status = lua_resume(f->L, outer != NULL ? outer->L : vm->L, args, &count);
    f->cpu_ns += clock_ns() - f->slice_start_ns;
    vm->running = outer;
    if (status == LUA_OK) {
        finish_main(f, count);
    } else if (status != LUA_YIELD) {
        finish_dead(f);
    } else if (f->slice_over) {
        f->slice_over = false;
        make_ready(f);
    } else if (f->state != FIBER_WAITING) {
        lua_pop(f->L, count);
        fiber_stop(f, "stopped: coroutine.yield outside of a coroutine of the script");
        make_ready(f);
    }
}

/* A fiber that is live, with fiber_main on its stack, and has not run. NULL without memory. */
static struct fiber *fiber_prepare(struct vm *vm, int args, const struct fiber_limits *limits, fiber_done_cb done,
                                   void *data)
{
    struct fiber *f = fiber_acquire(vm);
    if (f == NULL || !lua_checkstack(f->L, args + 8)) return NULL;
    f->stopped = f->located = f->slice_over = f->failed = f->wrapped = false;
    f->state = FIBER_NEW;
    f->start_args = args + 1;
    f->cpu_ns = 0;
    f->cpu_limit_ns = limits->cpu_ms * 1000000;
    f->deadline_ns = limits->deadline_ms != 0 ? clock_ns() + limits->deadline_ms * 1000000 : 0;
    f->waiting = NULL;
    f->done = done;
    f->data = data;
    f->reason[0] = '\0';
    link_live(f);
    if (f->deadline_ns != 0) arm_timer(vm->scheduler, f->deadline_ns);
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
    resume(f, args + 1);
    return true;
}

bool fiber_spawn(lua_State *L, int function, const struct fiber_limits *limits, fiber_done_cb done, void *data)
{
    struct fiber *f = fiber_prepare(vm_of(L), 0, limits, done, data);
    if (f == NULL) return false;
    lua_pushvalue(L, function);
    lua_xmove(L, f->L, 1);
    make_ready(f);
    return true;
}

/* ---- stopping ---------------------------------------------------------------------------------------- */

bool vm_stopping(lua_State *L)
{
    const struct vm *vm = vm_of(L);
    return vm->running != NULL ? vm->running->stopped : vm->loading && vm->load_stopped;
}

/* `level` as in luaL_where. */
static int raise_stop(lua_State *L, struct fiber *f, int level)
{
    lua_sethook(L, fiber_hook, LUA_MASKCOUNT, STOPPING_HOOK_COUNT);
    if (!f->located) {
        char reason[REASON_SIZE];
        luaL_where(L, level);
        snprintf(reason, sizeof reason, "%.60s%.120s", lua_tostring(L, -1), f->reason);
        memcpy(f->reason, reason, sizeof reason);
        f->located = true;
        lua_pop(L, 1);
    }
    lua_pushstring(L, f->reason);
    return lua_error(L);
}

void fiber_stop(struct fiber *f, const char *reason)
{
    if (f->state == FIBER_DONE || f->stopped) return;
    f->stopped = true;
    snprintf(f->reason, sizeof f->reason, "%s", reason);
    if (f->state == FIBER_RUNNING || f->state == FIBER_NEW) lua_sethook(f->L, fiber_hook, LUA_MASKCOUNT, 1);
    if (f->state != FIBER_WAITING) return;
    struct fiber_op *op = f->waiting;
    f->waiting = NULL;
    fiber_op_cancel(op);
    make_ready(f);
}

bool fiber_set_tag(struct fiber *f, const char *tag)
{
    char *copy = tag != NULL ? strdup(tag) : NULL;
    if (tag != NULL && copy == NULL) return false;
    free(f->tag);
    f->tag = copy;
    return true;
}

unsigned fiber_stop_tagged(struct vm *vm, const char *tag, const char *reason)
{
    unsigned stopped = 0;
    if (vm->scheduler == NULL) return 0;
    for (struct fiber *f = vm->scheduler->live; f != NULL; f = f->next) {
        if (f->tag == NULL || strcmp(f->tag, tag) != 0) continue;
        fiber_stop(f, reason);
        stopped++;
    }
    return stopped;
}

static void check_loading(lua_State *L, struct vm *vm)
{
    if (!vm->loading || clock_ns() < vm->load_deadline) return;
    vm->load_stopped = true;
    lua_sethook(L, fiber_hook, LUA_MASKCOUNT, STOPPING_HOOK_COUNT);
    luaL_where(L, 0);
    lua_pushliteral(L, "reading the scripts took too long; is there an endless loop?");
    lua_concat(L, 2);
    lua_error(L);
}

void fiber_hook(lua_State *L, lua_Debug *ar)
{
    (void)ar;
    struct vm *vm = vm_of(L);
    struct fiber *f = vm->running;
    if (f == NULL) {
        check_loading(L, vm);
        return;
    }
    uint64_t slice = clock_ns() - f->slice_start_ns;
    if (!f->stopped && f->cpu_ns + slice > f->cpu_limit_ns) {
        f->stopped = true;
        snprintf(f->reason, sizeof f->reason, "stopped: it computed for more than %u ms",
                 (unsigned)(f->cpu_limit_ns / 1000000));
    }
    if (f->stopped) {
        raise_stop(L, f, 0);
    } else if (slice > SLICE_NS && L == f->L && lua_isyieldable(L)) {
        f->slice_over = true;
        lua_yield(L, 0);
    }
}

/* ---- what operations need ---------------------------------------------------------------------------- */

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
        make_ready(f); /* woken by another handler, which goes on first */
    else
        resume(f, 0);
}

int fiber_raise_if_stopped(lua_State *L)
{
    struct fiber *f = vm_of(L)->running;
    return f->stopped ? raise_stop(L, f, 1) : 0;
}

int64_t fiber_time_left(lua_State *L)
{
    const struct fiber *f = vm_of(L)->running;
    if (f == NULL || f->deadline_ns == 0) return -1;
    uint64_t now = clock_ns();
    return f->deadline_ns > now ? (int64_t)((f->deadline_ns - now) / 1000000) : 0;
}
