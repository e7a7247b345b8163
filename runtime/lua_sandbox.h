/* The standard library as scripts see it (vm.h says what is left out and why). */
#ifndef SANDSTORM_LUA_SANDBOX_H
#define SANDSTORM_LUA_SANDBOX_H

#include <lua.h>

/* Opens it in a fresh state. May raise. */
void lua_sandbox_open(lua_State *L);

/* Parts of lua_sandbox_open; each puts functions of the sandbox in the place of Lua's. May raise. */
void lua_sandbox_calls(lua_State *L);     /* pcall, xpcall: a stop passes through them */
void lua_sandbox_coroutine(lua_State *L); /* coroutine.*: pauses pass through them */
void lua_sandbox_pattern(lua_State *L);   /* string.find, match, gmatch and gsub: searching pauses */
void lua_sandbox_table(lua_State *L);     /* table.*: work on long tables pauses */
void lua_sandbox_sort(lua_State *L);      /* table.sort, likewise */
void lua_sandbox_load(lua_State *L);      /* load: text only, and not too much of it */
void lua_sandbox_bounds(
    lua_State *L); /* what is left: collectgarbage in steps, bounds for what cannot pause */

/* From here on, assigning a global variable raises. May raise. */
void lua_sandbox_seal(lua_State *L);

#endif
