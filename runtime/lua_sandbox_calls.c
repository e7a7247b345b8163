/* The calls that catch errors: as Lua's own, except that a stop passes through them. */
#include <lauxlib.h>

#include "fiber.h"
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

void lua_sandbox_calls(lua_State *L)
{
    lua_pushcfunction(L, l_pcall);
    lua_setglobal(L, "pcall");
    lua_pushcfunction(L, l_xpcall);
    lua_setglobal(L, "xpcall");
}
