/* The standard library as scripts see it (vm.h says what is left out and why).
 *
 * Nothing in it holds the loop for long. Functions whose work can grow without bound pause (fiber.h), and
 * what they call of the script may pause and wait: string.find, match, gmatch, gsub; table.sort, concat,
 * insert, move, remove; coroutine.*; pcall, xpcall, load, pairs, collectgarbage. The others have bounds on
 * their arguments (lua_bounds.c), or do work in proportion to the memory that a state can have, which is the
 * bound: `..`, string.rep, table.unpack, arithmetic on long numerals, the growing of a table, the part of
 * garbage collection that Lua does in one piece.
 *
 * What Lua's C code calls cannot pause, and waiting in it raises: metamethods that a library function meets
 * (__tostring, __name, __len; __index, __newindex and __lt below table.* and ipairs; those of a table that
 * gsub looks into), the message handler of xpcall, and __close in coroutine.close. Metamethods that an
 * expression of the script meets do pause. */
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

/* The last part: the globals become what scripts may see (lua_seal.c). May raise. */
void lua_sandbox_seal(lua_State *L);

/* Pushes the environment of the library, for its chunks. */
void lua_seal_push_library(lua_State *L);

/* The module whose name is at that index is the operator's: scripts get it as it is. May raise. */
void lua_seal_own_module(lua_State *L, int name);

/* Scripts may have and use the metatable at that index. May raise. */
void lua_seal_know(lua_State *L, int metatable);

#endif
