/* Openers of the modules that C provides to scripts; vm.c puts each into package.preload under its name.
 * What a module offers is documented in lib/_meta/<name>.lua. */
#ifndef SANDSTORM_LUA_MODULES_H
#define SANDSTORM_LUA_MODULES_H

#include <lua.h>

/* X(name) for each module luaopen_<name>. */
/* clang-format off */
#define LUA_MODULES(X) \
    X(audit) X(clock) X(crypto) X(db) X(fetch) X(fiber) X(fs) X(git) X(grants) X(host) X(inbox) X(json) X(log) \
    X(metrics) X(process) X(shared) X(stdio) X(stream) X(text) X(turns)
/* clang-format on */

#define LUA_MODULE_DECLARE(name) int luaopen_##name(lua_State *L);
LUA_MODULES(LUA_MODULE_DECLARE)
#undef LUA_MODULE_DECLARE

/* lua-cjson, for scripts that want it; a handler cannot change its settings. */
int lua_cjson_open(lua_State *L);

#endif
