#include "fiber.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "clock.h"
#include "fiber_internal.h"
#include "fiber_slice.h"

#define STOPPING_HOOK_COUNT 1000 /* a stopped handler is reminded this often */

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
        char reason[FIBER_REASON_SIZE];
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
    lua_State *runs = f->state == FIBER_RUNNING ? slice_timer_watched(f->vm->host->slices) : f->L;
    if (f->state != FIBER_WAITING) {
        lua_sethook(runs, fiber_hook, LUA_MASKCOUNT, 1);
        return;
    }
    struct fiber_op *op = f->waiting;
    f->waiting = NULL;
    fiber_op_cancel(op);
    fiber_make_ready(f);
}

void fiber_stop_for_memory(lua_State *L)
{
    struct fiber *f = vm_of(L)->running;
    if (f != NULL) fiber_stop(f, "stopped: the scripts hold all the memory they may (SANDSTORM_LUA_MEMORY)");
}

bool fiber_set_tag(struct fiber *f, const char *tag)
{
    char *copy = tag != NULL ? strdup(tag) : NULL;
    if (tag != NULL && copy == NULL) return false;
    free(f->tag);
    f->tag = copy;
    return true;
}

static bool tag_fits(const char *tag, const char *wanted)
{
    size_t len = strlen(wanted);
    if (len > 0 && wanted[len - 1] == '*') return strncmp(tag, wanted, len - 1) == 0;
    return strcmp(tag, wanted) == 0;
}

unsigned fiber_stop_tagged(struct vm *vm, const char *tag, const char *reason)
{
    unsigned stopped = 0;
    if (vm->scheduler == NULL) return 0;
    for (struct fiber *f = vm->scheduler->live; f != NULL; f = f->next) {
        if (f->tag == NULL || !tag_fits(f->tag, tag)) continue;
        fiber_stop(f, reason);
        stopped++;
    }
    return stopped;
}

void fiber_set_trace(struct fiber *f, const char *traceparent)
{
    snprintf(f->trace, sizeof f->trace, "%s", traceparent);
}

const char *fiber_trace(const struct fiber *f)
{
    return f->trace;
}

unsigned fiber_count_tagged(const struct vm *vm, const char *tag)
{
    unsigned count = 0;
    if (vm->scheduler == NULL) return 0;
    for (const struct fiber *f = vm->scheduler->live; f != NULL; f = f->next)
        if (f->tag != NULL && strcmp(f->tag, tag) == 0) count++;
    return count;
}

/* `level` as in luaL_where. */
static void check_loading(lua_State *L, struct vm *vm, int level)
{
    if (!vm->loading || clock_ns() < vm->load_deadline) return;
    vm->load_stopped = true;
    lua_sethook(L, fiber_hook, LUA_MASKCOUNT, STOPPING_HOOK_COUNT);
    luaL_where(L, level);
    lua_pushliteral(L, "reading the scripts took too long; is there an endless loop?");
    lua_concat(L, 2);
    lua_error(L);
}

void fiber_count_cpu(struct fiber *f)
{
    unsigned now = slice_timer_count(f->vm->host->slices);
    f->cpu_ms += (uint64_t)(now - f->slices_seen) * SLICE_MS;
    f->slices_seen = now;
}

/* Raises what is due; whether the running fiber should let the loop have a turn, and can. */
static bool turn_is_due(lua_State *L, int level)
{
    struct vm *vm = vm_of(L);
    struct fiber *f = vm->running;
    if (f == NULL) {
        check_loading(L, vm, level);
        return false;
    }
    fiber_count_cpu(f);
    vm_pace(f->vm, L);
    if (!f->stopped && f->cpu_ms > f->cpu_limit_ms) {
        f->stopped = true;
        snprintf(f->reason, sizeof f->reason, "stopped: it computed for more than %u ms",
                 (unsigned)f->cpu_limit_ms);
    }
    if (f->stopped) raise_stop(L, f, level);
    return f->slices_seen - f->slices_at_resume > 1 && fiber_can_pause(L);
}

/* A handler that was told of its stop is closing its variables. The slice timer must not cut that short; what
 * closes without end is reminded. */
static bool is_closing(lua_State *L, const struct fiber *f)
{
    if (!f->stopped || !f->located || lua_gethookcount(L) != 1) return false;
    lua_sethook(L, fiber_hook, LUA_MASKCOUNT, STOPPING_HOOK_COUNT);
    return true;
}

void fiber_hook(lua_State *L, lua_Debug *ar)
{
    (void)ar;
    const struct fiber *f = vm_of(L)->running;
    if (f != NULL && is_closing(L, f)) return;
    if (f != NULL) lua_sethook(L, NULL, 0, 0);
    if (!turn_is_due(L, 0)) return;
    vm_of(L)->running->slice_over = true;
    lua_yield(L, 0);
}

bool fiber_turn_is_due(lua_State *L)
{
    return turn_is_due(L, 1);
}

int fiber_pause(lua_State *L, lua_KContext context, lua_KFunction go_on)
{
    vm_of(L)->running->slice_over = true;
    return lua_yieldk(L, 0, context, go_on);
}

bool fiber_can_pause(lua_State *L)
{
    return lua_isyieldable(L) && !vm_of(L)->pinned;
}

int fiber_raise_if_stopped(lua_State *L)
{
    struct fiber *f = vm_of(L)->running;
    return f != NULL && f->stopped ? raise_stop(L, f, 1) : 0;
}
