/* lua-cjson for scripts: its settings hold for the whole state, so only the loading of scripts may change
 * them, and what it reads in one piece has a bound. */
#include <lauxlib.h>

#include "lua_modules.h"
#include "vm.h"

#define TEXT_MAX (16 << 20)

extern int luaopen_cjson(lua_State *L);

/* Calls the function of lua-cjson that is the first upvalue. */
static int pass_on(lua_State *L)
{
    lua_pushvalue(L, lua_upvalueindex(1));
    lua_insert(L, 1);
    lua_call(L, lua_gettop(L) - 1, LUA_MULTRET);
    return lua_gettop(L);
}

/* The second upvalue is its name. */
static int l_setting(lua_State *L)
{
    if (!vm_of(L)->loading)
        return luaL_error(
            L, "cjson.%s: only while the scripts are loaded; cjson.new() gives a codec of your own",
            lua_tostring(L, lua_upvalueindex(2)));
    return pass_on(L);
}

static int l_decode(lua_State *L)
{
    if (lua_type(L, 1) == LUA_TSTRING && lua_rawlen(L, 1) > TEXT_MAX)
        return luaL_error(L, "cjson.decode: expected at most %d bytes, got %I", TEXT_MAX,
                          (LUAI_UACINT)lua_rawlen(L, 1));
    return pass_on(L);
}

/* Puts `f` in the place of a function of the codec on top. */
static void wrap(lua_State *L, const char *name, lua_CFunction f)
{
    if (lua_getfield(L, -1, name) != LUA_TFUNCTION) luaL_error(L, "cjson has no %s", name);
    lua_pushstring(L, name);
    lua_pushcclosure(L, f, 2);
    lua_setfield(L, -2, name);
}

static int l_new(lua_State *L)
{
    pass_on(L);
    wrap(L, "decode", l_decode);
    return 1;
}

int lua_cjson_open(lua_State *L)
{
    static const char *const settings[] = {
        "encode_sparse_array", "encode_max_depth",       "decode_max_depth",       "encode_number_precision",
        "encode_keep_buffer",  "encode_invalid_numbers", "decode_invalid_numbers", NULL};
    luaopen_cjson(L);
    for (int i = 0; settings[i] != NULL; i++)
        wrap(L, settings[i], l_setting);
    wrap(L, "decode", l_decode);
    wrap(L, "new", l_new);
    return 1;
}
