/* The functions of the standard library that are Lua's own C code and could run for long without a hook: each
 * gets a bound on what it takes, at which it runs for some 50 ms; collectgarbage goes in steps. */
#include <lauxlib.h>
#include <lualib.h>
#include <string.h>

#include "fiber.h"
#include "lua_sandbox.h"
#include "vm.h"

/* ---- long arguments ---------------------------------------------------------------------------------- */

struct bound {
    const char *library, *name;
    int argument; /* a string there ... */
    int bytes;    /* ... has so many at most */
};

#define MIB (1 << 20)

static const struct bound bounds[] = {
    {LUA_STRLIBNAME, "lower", 1, 32 * MIB},   {LUA_STRLIBNAME, "upper", 1, 32 * MIB},
    {LUA_STRLIBNAME, "reverse", 1, 32 * MIB}, {LUA_STRLIBNAME, "pack", 1, MIB},
    {LUA_STRLIBNAME, "packsize", 1, MIB},     {LUA_STRLIBNAME, "unpack", 1, MIB},
    {LUA_UTF8LIBNAME, "len", 1, 32 * MIB},    {LUA_UTF8LIBNAME, "offset", 1, 32 * MIB},
    {LUA_UTF8LIBNAME, "codes", 1, 32 * MIB},  {LUA_OSLIBNAME, "date", 1, 4096},
    {LUA_GNAME, "tonumber", 1, 32 * MIB},
};

/* Upvalues: the function of Lua, the argument, the bound. It runs in the place of this one. */
static int l_bounded(lua_State *L)
{
    int argument = (int)lua_tointeger(L, lua_upvalueindex(2));
    lua_Integer most = lua_tointeger(L, lua_upvalueindex(3));
    if (lua_type(L, argument) == LUA_TSTRING && lua_rawlen(L, argument) > (lua_Unsigned)most)
        luaL_argerror(L, argument, lua_pushfstring(L, "string of more than %I bytes", (LUAI_UACINT)most));
    return lua_tocfunction(L, lua_upvalueindex(1))(L);
}

static void set_bound(lua_State *L, const struct bound *b)
{
    lua_getglobal(L, b->library);
    lua_getfield(L, -1, b->name);
    lua_pushinteger(L, b->argument);
    lua_pushinteger(L, b->bytes);
    lua_pushcclosure(L, l_bounded, 3);
    lua_setfield(L, -2, b->name);
    lua_pop(L, 1);
}

/* ---- string.format ----------------------------------------------------------------------------------- */

#define FORMAT_BYTES_MAX MIB
#define FORMAT_VALUES_MAX 10000
#define QUOTED_BYTES_MAX (MIB / 2)

static bool quotes(const char *format)
{
    for (const char *at = strchr(format, '%'); at != NULL && at[1] != '\0'; at = strchr(at + 2, '%'))
        if (at[1] == 'q') return true;
    return false;
}

/* The upvalue is string.format. */
static int l_format(lua_State *L)
{
    size_t len;
    const char *format = luaL_checklstring(L, 1, &len);
    luaL_argcheck(L, len <= FORMAT_BYTES_MAX, 1, "format of more than 1048576 bytes");
    if (lua_gettop(L) > FORMAT_VALUES_MAX)
        return luaL_error(L, "string.format: more than %d values", FORMAT_VALUES_MAX - 1);
    if (quotes(format))
        for (int i = 2; i <= lua_gettop(L); i++)
            if (lua_type(L, i) == LUA_TSTRING)
                luaL_argcheck(L, lua_rawlen(L, i) <= QUOTED_BYTES_MAX, i, "%q of more than 524288 bytes");
    return lua_tocfunction(L, lua_upvalueindex(1))(L);
}

/* ---- string.rep -------------------------------------------------------------------------------------- */

#define STRING_BYTES_MAX ((size_t)LUA_MAXINTEGER)

/* Doubles what is there until it is all: each step copies a long piece. */
static void fill(char *bytes, size_t there, size_t all)
{
    while (there < all) {
        size_t more = there < all - there ? there : all - there;
        memcpy(bytes + there, bytes, more);
        there += more;
    }
}

static int l_rep(lua_State *L)
{
    size_t len, separator_len;
    const char *text = luaL_checklstring(L, 1, &len);
    lua_Integer times = luaL_checkinteger(L, 2);
    const char *separator = luaL_optlstring(L, 3, "", &separator_len);
    size_t unit = len + separator_len;
    if (times <= 0 || unit == 0) {
        lua_pushliteral(L, "");
        return 1;
    }
    if (unit < len || unit > STRING_BYTES_MAX / (size_t)times)
        return luaL_error(L, "resulting string too large");
    size_t all = unit * (size_t)times - separator_len;
    luaL_Buffer b;
    char *bytes = luaL_buffinitsize(L, &b, all);
    memcpy(bytes, text, len);
    if (times > 1) {
        memcpy(bytes + len, separator, separator_len);
        fill(bytes, unit, all);
    }
    luaL_pushresultsize(&b, all);
    return 1;
}

/* ---- collectgarbage ---------------------------------------------------------------------------------- */

/* To the end of as many cycles: the one that may have begun does not find all. */
static int collect(lua_State *L, int status, lua_KContext cycles)
{
    (void)status;
    if (vm_of(L)->by_generations) {
        lua_gc(L, LUA_GCCOLLECT);
        cycles = 0;
    }
    while (cycles > 0) {
        if (lua_gc(L, LUA_GCSTEP, 0)) cycles--;
        if (fiber_turn_is_due(L)) return fiber_pause(L, cycles, collect);
    }
    lua_pushinteger(L, 0);
    return 1;
}

static int l_collectgarbage(lua_State *L)
{
    static const char *const options[] = {"collect", "count", NULL};
    if (luaL_checkoption(L, 1, "collect", options) == 0) return collect(L, LUA_OK, 2);
    lua_pushnumber(L, (lua_Number)vm_of(L)->memory.used / 1024);
    return 1;
}

void lua_sandbox_bounds(lua_State *L)
{
    for (size_t i = 0; i < sizeof bounds / sizeof bounds[0]; i++)
        set_bound(L, &bounds[i]);
    lua_getglobal(L, LUA_STRLIBNAME);
    lua_pushcfunction(L, l_rep);
    lua_setfield(L, -2, "rep");
    lua_getfield(L, -1, "format");
    lua_pushcclosure(L, l_format, 1);
    lua_setfield(L, -2, "format");
    lua_pop(L, 1);
    lua_pushcfunction(L, l_collectgarbage);
    lua_setglobal(L, "collectgarbage");
}
