/* Methods of userdata whose first upvalue is the metatable of their kind. */
#ifndef SANDSTORM_LUA_SELF_H
#define SANDSTORM_LUA_SELF_H

#include <lauxlib.h>

/* As luaL_checkudata of argument 1, without looking the metatable up by its name: for what each call needs
 * many times. */
static inline void *lua_self(lua_State *L, const char *name)
{
    void *self = lua_touserdata(L, 1);
    if (self == NULL || !lua_getmetatable(L, 1)) return luaL_checkudata(L, 1, name);
    if (!lua_rawequal(L, -1, lua_upvalueindex(1))) return luaL_checkudata(L, 1, name);
    lua_pop(L, 1);
    return self;
}

#endif
