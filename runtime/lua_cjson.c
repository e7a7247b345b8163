/* lua-cjson for scripts: its settings hold for the whole state, so only the loading of scripts may change
 * them. */
#include <lauxlib.h>

#include "lua_modules.h"
#include "vm.h"

extern int luaopen_cjson(lua_State *L);

/* Upvalues: the function of lua-cjson, its name. */
static int l_setting(lua_State *L)
{
    if (!vm_of(L)->loading)
        return luaL_error(
            L, "cjson.%s: only while the scripts are loaded; cjson.new() gives a codec of your own",
            lua_tostring(L, lua_upvalueindex(2)));
    lua_pushvalue(L, lua_upvalueindex(1));
    lua_insert(L, 1);
    lua_call(L, lua_gettop(L) - 1, LUA_MULTRET);
    return lua_gettop(L);
}

int lua_cjson_open(lua_State *L)
{
    static const char *const settings[] = {
        "encode_sparse_array", "encode_max_depth",       "decode_max_depth",       "encode_number_precision",
        "encode_keep_buffer",  "encode_invalid_numbers", "decode_invalid_numbers", NULL};
    luaopen_cjson(L);
    for (int i = 0; settings[i] != NULL; i++) {
        if (lua_getfield(L, -1, settings[i]) != LUA_TFUNCTION) luaL_error(L, "cjson has no %s", settings[i]);
        lua_pushstring(L, settings[i]);
        lua_pushcclosure(L, l_setting, 2);
        lua_setfield(L, -2, settings[i]);
    }
    return 1;
}
