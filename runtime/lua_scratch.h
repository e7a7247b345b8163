/* A byte buffer across Lua calls that may raise. */
#ifndef SANDSTORM_LUA_SCRATCH_H
#define SANDSTORM_LUA_SCRATCH_H

#include <lua.h>

#include "buf.h"

/* Calls `fill` with an empty buffer and the `args` values from the top of the stack, which it finds
 * at 1..args. The buffer is freed whatever happens; an error in `fill` is raised on. Leaves the results of
 * `fill` on the stack and returns their number, so a lua_CFunction may end in `return lua_scratch(...)`.
 * `fill` must not yield. */
int lua_scratch(lua_State *L, int args, int (*fill)(lua_State *L, struct buf *scratch));

/* An empty buffer that belongs to the state, whose room stays for the next who asks: only for a text that is
 * used up before any Lua code runs. An error may leave it as it is. Raises when memory is short. */
struct buf *lua_scratch_kept(lua_State *L);

#endif
