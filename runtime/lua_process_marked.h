/* process.signal_marked (lib/_meta/process.lua). */
#ifndef SANDSTORM_LUA_PROCESS_MARKED_H
#define SANDSTORM_LUA_PROCESS_MARKED_H

#include <lua.h>

int lua_process_signal_marked(lua_State *L);

#endif
