/* Globals are read-only once the scripts are read (lua_sandbox.h). */
#include <lauxlib.h>

#include "lua_sandbox.h"

static int l_sealed(lua_State *L)
{
    return luaL_error(L, "assigning the global '%s': nothing outlives a request; use a local",
                      luaL_tolstring(L, 2, NULL));
}

void lua_sandbox_seal(lua_State *L)
{
    lua_pushglobaltable(L);
    lua_createtable(L, 0, 2);
    lua_pushcfunction(L, l_sealed);
    lua_setfield(L, -2, "__newindex");
    lua_pushboolean(L, 0);
    lua_setfield(L, -2, "__metatable");
    lua_setmetatable(L, -2);
    lua_pop(L, 1);
}
