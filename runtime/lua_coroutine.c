/* The coroutines of scripts. As Lua's own, with one thing more: when the code in one is to give the loop a
 * turn or waits, every coroutine.resume below it yields in turn, down to the fiber, and resumes it again when
 * the fiber goes on (a "pause"; fiber.h). So scripts see only their own yields.
 *
 * A coroutine that has yielded by coroutine.yield stands in l_yield; one that stands elsewhere has paused,
 * and still belongs to whoever resumed it. No other record is needed of it.
 *
 * What stands on C frames that cannot be continued pauses nothing: vm->pinned. */
#include <lauxlib.h>
#include <lualib.h>

#include "fiber.h"
#include "fiber_slice.h"
#include "lua_sandbox.h"
#include "vm.h"

enum state { STATE_SUSPENDED, STATE_RUNNING, STATE_NORMAL, STATE_DEAD };

static const char *const state_names[] = {"suspended", "running", "normal", "dead"};

static lua_State *check_coroutine(lua_State *L)
{
    lua_State *co = lua_tothread(L, 1);
    luaL_argexpected(L, co != NULL, 1, "thread");
    return co;
}

/* The code of a handler itself, or of loading. */
static bool is_base(lua_State *L)
{
    const struct fiber *f = fiber_running(L);
    bool main = lua_pushthread(L);
    lua_pop(L, 1);
    return main || (f != NULL && fiber_thread(f) == L);
}

static bool may_yield(lua_State *L)
{
    return lua_isyieldable(L) && !is_base(L) && vm_of(L)->closing != L;
}

static int l_yield(lua_State *L)
{
    if (is_base(L)) return luaL_error(L, "attempt to yield from outside a coroutine");
    if (!may_yield(L)) return luaL_error(L, "attempt to yield across a C-call boundary");
    return lua_yield(L, lua_gettop(L));
}

static int body_finish(lua_State *L, int status, lua_KContext context)
{
    (void)context;
    if (status == LUA_OK || status == LUA_YIELD) return lua_gettop(L);
    if (status == LUA_ERRMEM) fiber_stop_for_memory(L);
    return lua_error(L);
}

/* The first function of a coroutine calls the script's in a protected call for the reason that fiber.c gives
 * for fiber_main. */
static int body(lua_State *L)
{
    int status = lua_pcallk(L, lua_gettop(L) - 1, LUA_MULTRET, 0, 0, body_finish);
    return body_finish(L, status, 0);
}

static bool yielded_itself(lua_State *co)
{
    lua_Debug ar;
    if (!lua_getstack(co, 0, &ar) || !lua_checkstack(co, 1)) return false;
    lua_getinfo(co, "f", &ar);
    bool itself = lua_tocfunction(co, -1) == l_yield;
    lua_pop(co, 1);
    return itself;
}

static enum state state_of(lua_State *L, lua_State *co)
{
    lua_Debug ar;
    if (co == L) return STATE_RUNNING;
    if (lua_status(co) == LUA_YIELD) return yielded_itself(co) ? STATE_SUSPENDED : STATE_NORMAL;
    if (lua_status(co) != LUA_OK) return STATE_DEAD;
    if (lua_getstack(co, 0, &ar)) return STATE_NORMAL;
    return lua_gettop(co) > 0 && lua_tocfunction(co, 1) == body ? STATE_SUSPENDED : STATE_DEAD;
}

/* ---- resuming ---------------------------------------------------------------------------------------- */

/* The slice timer must know whose code runs. */
static int run(lua_State *L, lua_State *co, int args, int *count)
{
    struct vm *vm = vm_of(L);
    bool loading = vm->loading; /* on another thread than the timer's */
    bool pinned = vm->pinned;
    vm->pinned = pinned || !lua_isyieldable(L);
    if (vm_stopping(L)) lua_sethook(co, fiber_hook, LUA_MASKCOUNT, 1);
    lua_State *before = loading ? NULL : slice_timer_watch(vm->host->slices, co);
    int status = lua_resume(co, L, args, count);
    if (!loading) slice_timer_watch(vm->host->slices, before);
    vm->pinned = pinned;
    return status;
}

/* Moves the outcome of `co` to L: the results, and returns their number; or the error object, and returns -1.
 */
static int take_outcome(lua_State *L, lua_State *co, int status, int count)
{
    if (status == LUA_OK || status == LUA_YIELD) {
        if (lua_checkstack(L, count + 1)) {
            lua_xmove(co, L, count);
            return count;
        }
        lua_pop(co, count);
        lua_pushliteral(L, "too many results to resume");
        return -1;
    }
    lua_xmove(co, L, 1);
    if (status == LUA_ERRMEM) fiber_stop_for_memory(L);
    if (vm_stopping(L)) lua_error(L);
    return -1;
}

/* Takes `args` values from the top of L. In a pause it does not return but yields, and `go_on` is called. */
static int resume(lua_State *L, lua_State *co, int args, lua_KFunction go_on)
{
    int count = 0;
    enum state state = state_of(L, co);
    if (state != STATE_SUSPENDED) {
        lua_pushstring(L, state == STATE_DEAD ? "cannot resume dead coroutine"
                                              : "cannot resume non-suspended coroutine");
        return -1;
    }
    if (!lua_checkstack(co, args)) {
        lua_pushliteral(L, "too many arguments to resume");
        return -1;
    }
    bool fresh = lua_status(co) == LUA_OK;
    lua_xmove(L, co, args);
    int status = run(L, co, args + fresh, &count);
    if (status == LUA_YIELD && !yielded_itself(co)) return lua_yieldk(L, 0, 0, go_on);
    return take_outcome(L, co, status, count);
}

/* The fiber goes on after a pause of `co`. */
static int resume_again(lua_State *L, lua_State *co, lua_KFunction go_on)
{
    int count = 0;
    int status = run(L, co, 0, &count);
    if (status == LUA_YIELD && !yielded_itself(co)) return lua_yieldk(L, 0, 0, go_on);
    return take_outcome(L, co, status, count);
}

static int resume_finish(lua_State *L, int results)
{
    lua_pushboolean(L, results >= 0);
    if (results < 0) results = 1;
    lua_insert(L, -1 - results);
    return results + 1;
}

static int resume_go_on(lua_State *L, int status, lua_KContext context)
{
    (void)status, (void)context;
    return resume_finish(L, resume_again(L, lua_tothread(L, 1), resume_go_on));
}

static int l_resume(lua_State *L)
{
    lua_State *co = check_coroutine(L);
    return resume_finish(L, resume(L, co, lua_gettop(L) - 1, resume_go_on));
}

static int wrapped_finish(lua_State *L, int results)
{
    if (results >= 0) return results;
    if (lua_type(L, -1) == LUA_TSTRING) {
        luaL_where(L, 1);
        lua_insert(L, -2);
        lua_concat(L, 2);
    }
    return lua_error(L);
}

static int wrapped_go_on(lua_State *L, int status, lua_KContext context)
{
    (void)status, (void)context;
    return wrapped_finish(L, resume_again(L, lua_tothread(L, lua_upvalueindex(1)), wrapped_go_on));
}

/* What coroutine.wrap returns; the upvalue is the coroutine. */
static int wrapped(lua_State *L)
{
    lua_State *co = lua_tothread(L, lua_upvalueindex(1));
    return wrapped_finish(L, resume(L, co, lua_gettop(L), wrapped_go_on));
}

/* ---- the rest ---------------------------------------------------------------------------------------- */

static int l_create(lua_State *L)
{
    luaL_checktype(L, 1, LUA_TFUNCTION);
    lua_State *co = lua_newthread(L);
    lua_pushcfunction(co, body);
    lua_pushvalue(L, 1);
    lua_xmove(L, co, 1);
    return 1;
}

static int l_wrap(lua_State *L)
{
    l_create(L);
    lua_pushcclosure(L, wrapped, 1);
    return 1;
}

/* Runs to-be-closed variables of `co`; leaves the error object, if there is one, on top of it. */
static int close_coroutine(lua_State *L, lua_State *co)
{
    struct vm *vm = vm_of(L);
    bool loading = vm->loading, pinned = vm->pinned;
    lua_State *closing = vm->closing;
    lua_State *before = loading ? NULL : slice_timer_watch(vm->host->slices, co);
    vm->pinned = true;
    vm->closing = co;
    int status = lua_resetthread(co);
    vm->closing = closing;
    vm->pinned = pinned;
    if (!loading) slice_timer_watch(vm->host->slices, before);
    return status;
}

static int l_close(lua_State *L)
{
    lua_State *co = check_coroutine(L);
    enum state state = state_of(L, co);
    if (state != STATE_SUSPENDED && state != STATE_DEAD)
        return luaL_error(L, "cannot close a %s coroutine", state_names[state]);
    bool over = state == STATE_DEAD && lua_status(co) == LUA_OK;
    int status = over ? LUA_OK : close_coroutine(L, co);
    fiber_raise_if_stopped(L);
    lua_pushboolean(L, status == LUA_OK);
    if (status == LUA_OK) return 1;
    lua_xmove(co, L, 1);
    return 2;
}

static int l_status(lua_State *L)
{
    lua_pushstring(L, state_names[state_of(L, check_coroutine(L))]);
    return 1;
}

static int l_isyieldable(lua_State *L)
{
    lua_State *co = lua_isnone(L, 1) ? L : check_coroutine(L);
    lua_pushboolean(L, may_yield(co));
    return 1;
}

static int l_running(lua_State *L)
{
    bool base = is_base(L);
    lua_pushthread(L);
    lua_pushboolean(L, base);
    return 2;
}

void lua_sandbox_coroutine(lua_State *L)
{
    static const luaL_Reg functions[] = {
        {"close", l_close},   {"create", l_create},   {"isyieldable", l_isyieldable},
        {"resume", l_resume}, {"running", l_running}, {"status", l_status},
        {"wrap", l_wrap},     {"yield", l_yield},     {NULL, NULL},
    };
    lua_getglobal(L, LUA_COLIBNAME);
    luaL_setfuncs(L, functions, 0);
    lua_pop(L, 1);
}
