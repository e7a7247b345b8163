#include "lua_text.h"

#include <lauxlib.h>
#include <string.h>

#include "lua_scratch.h"
#include "utf8.h"

#define CLEAN_MAX (32 << 20) /* what is computed in one piece stays short */

static const char *check_bytes(lua_State *L, const char *function, size_t *len)
{
    if (lua_type(L, 1) != LUA_TSTRING)
        luaL_error(L, "text.%s: expected a string, got %s", function, luaL_typename(L, 1));
    return lua_tolstring(L, 1, len);
}

static int fill_clean(lua_State *L, struct buf *out)
{
    size_t len;
    const char *bytes = lua_tolstring(L, 1, &len);
    size_t replaced = utf8_clean(out, bytes, len);
    if (out->failed) return luaL_error(L, "text.clean: not enough memory");
    lua_pushlstring(L, out->data, out->len);
    lua_pushinteger(L, (lua_Integer)replaced);
    return 2;
}

static int l_clean(lua_State *L)
{
    size_t len;
    const char *bytes = check_bytes(L, "clean", &len);
    if (len > CLEAN_MAX)
        return luaL_error(L, "text.clean: expected at most %d bytes, got %I; clean what is shown of them",
                          CLEAN_MAX, (LUAI_UACINT)len);
    lua_settop(L, 1);
    if (utf8_valid_length(bytes, len) < len) return lua_scratch(L, 1, fill_clean);
    lua_pushinteger(L, 0);
    return 2;
}

static int l_valid(lua_State *L)
{
    size_t len;
    const char *bytes = check_bytes(L, "valid", &len);
    lua_pushboolean(L, utf8_valid_length(bytes, len) == len);
    return 1;
}

static int l_cut(lua_State *L)
{
    size_t len;
    const char *bytes = check_bytes(L, "cut", &len);
    lua_settop(L, 2);
    if (!lua_isinteger(L, 2) || lua_tointeger(L, 2) < 0)
        return luaL_error(L, "text.cut: expected a number of bytes, got %s", luaL_tolstring(L, 2, NULL));
    lua_Unsigned most = (lua_Unsigned)lua_tointeger(L, 2);
    if (most >= len)
        lua_pushvalue(L, 1);
    else
        lua_pushlstring(L, bytes, utf8_cut(bytes, (size_t)most));
    return 1;
}

/* Position after the next `count` newlines from position `from`, and how many of them there were. */
static int l_skip_lines(lua_State *L)
{
    size_t len;
    const char *bytes = check_bytes(L, "skip_lines", &len);
    lua_Integer from = luaL_checkinteger(L, 2), count = luaL_checkinteger(L, 3), found = 0;
    luaL_argcheck(L, from >= 1 && (lua_Unsigned)from <= len + 1, 2, "expected a position in the bytes");
    const char *at = bytes + from - 1, *end = bytes + len;
    for (; found < count && at < end; found++) {
        const char *newline = memchr(at, '\n', (size_t)(end - at));
        if (newline == NULL) break;
        at = newline + 1;
    }
    lua_pushinteger(L, (found < count ? end : at) - bytes + 1);
    lua_pushinteger(L, found);
    return 2;
}

int luaopen_text(lua_State *L)
{
    static const luaL_Reg functions[] = {
        {"clean", l_clean}, {"cut", l_cut}, {"skip_lines", l_skip_lines}, {"valid", l_valid}, {NULL, NULL}};
    luaL_newlib(L, functions);
    return 1;
}
