/* The standard library as scripts see it (vm.h says what is left out and why). */
#ifndef SANDSTORM_LUA_SANDBOX_H
#define SANDSTORM_LUA_SANDBOX_H

#include <lua.h>

/* Opens it in a fresh state. May raise. */
void lua_sandbox_open(lua_State *L);

/* Puts pcall, xpcall and the coroutine functions of the sandbox in the place of Lua's; part of
 * lua_sandbox_open. */
void lua_sandbox_calls(lua_State *L);

/* From here on, assigning a global variable raises. May raise. */
void lua_sandbox_seal(lua_State *L);

#endif
