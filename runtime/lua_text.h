/* Text for Lua; documented in lib/_meta/text.lua. Stands on nothing but UTF-8, so specs load it alone. */
#ifndef SANDSTORM_LUA_TEXT_H
#define SANDSTORM_LUA_TEXT_H

#include <lua.h>

int luaopen_text(lua_State *L);

#endif
