/* The calls that catch errors and the coroutines of the sandbox: as Lua's own, except that a stop passes
 * through them and that the slice timer knows whose code runs. */
#include <lauxlib.h>
#include <lualib.h>

#include "fiber.h"
#include "fiber_slice.h"
#include "lua_sandbox.h"
#include "vm.h"

static int finish_protected(lua_State *L, int status, lua_KContext extra)
{
    if (status == LUA_OK || status == LUA_YIELD) return lua_gettop(L) - (int)extra;
    if (status == LUA_ERRMEM) fiber_stop_for_memory(L);
    if (vm_stopping(L)) return lua_error(L);
    lua_pushboolean(L, 0);
    lua_pushvalue(L, -2);
    return 2;
}

static int l_pcall(lua_State *L)
{
    luaL_checkany(L, 1);
    lua_pushboolean(L, 1);
    lua_insert(L, 1);
    int status = lua_pcallk(L, lua_gettop(L) - 2, LUA_MULTRET, 0, 0, finish_protected);
    return finish_protected(L, status, 0);
}

/* Lua switches hooks off while a handler runs for an error that a hook raised: a handler of the script
 * must not get a stop, or it could loop for ever. */
static int guarded_handler(lua_State *L)
{
    if (vm_stopping(L)) return 1;
    lua_pushvalue(L, lua_upvalueindex(1));
    lua_insert(L, 1);
    lua_call(L, 1, 1);
    return 1;
}

static int l_xpcall(lua_State *L)
{
    luaL_checktype(L, 2, LUA_TFUNCTION);
    lua_pushvalue(L, 2);
    lua_pushcclosure(L, guarded_handler, 1);
    lua_replace(L, 2);
    int n = lua_gettop(L);
    lua_pushboolean(L, 1);
    lua_pushvalue(L, 1);
    lua_rotate(L, 3, 2);
    int status = lua_pcallk(L, n - 2, LUA_MULTRET, 2, 2, finish_protected);
    return finish_protected(L, status, 2);
}

/* Calls the coroutine.resume of Lua, which lies at index `first` with its arguments above it; leaves its
 * results there. The slice timer must know whose code runs. */
static void resume_watched(lua_State *L, int first, lua_State *co)
{
    const struct vm *vm = vm_of(L);
    bool loading = vm->loading; /* on another thread than the timer's */
    lua_State *before = loading ? NULL : slice_timer_watch(vm->host->slices, co);
    int status = lua_pcall(L, lua_gettop(L) - first, LUA_MULTRET, 0);
    if (!loading) slice_timer_watch(vm->host->slices, before);
    if (status != LUA_OK || (vm_stopping(L) && !lua_toboolean(L, first))) lua_error(L);
}

/* coroutine.resume; the original is the upvalue. */
static int l_resume(lua_State *L)
{
    lua_State *co = lua_tothread(L, 1);
    luaL_argexpected(L, co != NULL, 1, "coroutine");
    lua_pushvalue(L, lua_upvalueindex(1));
    lua_insert(L, 1);
    resume_watched(L, 1, co);
    return lua_gettop(L);
}

static int body_finish(lua_State *L, int status, lua_KContext context)
{
    (void)context;
    if (status == LUA_OK || status == LUA_YIELD) return lua_gettop(L);
    if (status == LUA_ERRMEM) fiber_stop_for_memory(L);
    return lua_error(L);
}

/* A coroutine's function (the upvalue) runs in a protected call of its own for the reason that fiber.c gives
 * for fiber_main. */
static int coroutine_body(lua_State *L)
{
    lua_pushvalue(L, lua_upvalueindex(1));
    lua_insert(L, 1);
    int status = lua_pcallk(L, lua_gettop(L) - 1, LUA_MULTRET, 0, 0, body_finish);
    return body_finish(L, status, 0);
}

/* coroutine.create; the original is the upvalue. */
static int l_create(lua_State *L)
{
    luaL_checktype(L, 1, LUA_TFUNCTION);
    lua_settop(L, 1);
    lua_pushvalue(L, lua_upvalueindex(1));
    lua_insert(L, 1);
    lua_pushcclosure(L, coroutine_body, 1);
    lua_call(L, 1, 1);
    return 1;
}

/* What coroutine.wrap returns; upvalues: the coroutine, the original coroutine.resume. */
static int wrapped(lua_State *L)
{
    lua_pushvalue(L, lua_upvalueindex(2));
    lua_pushvalue(L, lua_upvalueindex(1));
    lua_rotate(L, 1, 2);
    resume_watched(L, 1, lua_tothread(L, lua_upvalueindex(1)));
    if (lua_toboolean(L, 1)) return lua_gettop(L) - 1;
    if (lua_type(L, -1) == LUA_TSTRING) {
        luaL_where(L, 1);
        lua_insert(L, -2);
        lua_concat(L, 2);
    }
    return lua_error(L);
}

/* coroutine.wrap; upvalues: the originals of coroutine.create and coroutine.resume. */
static int l_wrap(lua_State *L)
{
    luaL_checktype(L, 1, LUA_TFUNCTION);
    lua_settop(L, 1);
    lua_pushcclosure(L, coroutine_body, 1);
    lua_pushvalue(L, lua_upvalueindex(1));
    lua_insert(L, 1);
    lua_call(L, 1, 1);
    lua_pushvalue(L, lua_upvalueindex(2));
    lua_pushcclosure(L, wrapped, 2);
    return 1;
}

static void replace_coroutine_functions(lua_State *L)
{
    lua_getglobal(L, LUA_COLIBNAME);
    lua_getfield(L, 1, "create");
    lua_getfield(L, 1, "resume");
    lua_pushcclosure(L, l_wrap, 2);
    lua_setfield(L, 1, "wrap");
    lua_getfield(L, 1, "create");
    lua_pushcclosure(L, l_create, 1);
    lua_setfield(L, 1, "create");
    lua_getfield(L, 1, "resume");
    lua_pushcclosure(L, l_resume, 1);
    lua_setfield(L, 1, "resume");
    lua_pop(L, 1);
}

void lua_sandbox_calls(lua_State *L)
{
    lua_pushcfunction(L, l_pcall);
    lua_setglobal(L, "pcall");
    lua_pushcfunction(L, l_xpcall);
    lua_setglobal(L, "xpcall");
    replace_coroutine_functions(L);
}
