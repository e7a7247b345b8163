#include "lua_json.h"

#include <lauxlib.h>
#include <string.h>

#include "lua_scratch.h"

const char lua_json_array_mark = 'a', lua_json_object_mark = 'o';

/* encode(value [, {sort=boolean}]) */
static bool read_sort(lua_State *L)
{
    bool sort = false;
    if (lua_isnoneornil(L, 2)) return false;
    if (!lua_istable(L, 2))
        return luaL_error(L, "json.encode: options: expected a table, got %s", luaL_typename(L, 2));
    for (lua_pushnil(L); lua_next(L, 2); lua_pop(L, 1)) {
        if (lua_type(L, -2) != LUA_TSTRING || strcmp(lua_tostring(L, -2), "sort") != 0)
            return luaL_error(L, "json.encode: unknown option %s; expected sort",
                              luaL_tolstring(L, -2, NULL));
        if (!lua_isboolean(L, -1))
            return luaL_error(L, "json.encode: option sort: expected a boolean, got %s",
                              luaL_typename(L, -1));
        sort = lua_toboolean(L, -1);
    }
    return sort;
}

static int l_encode(lua_State *L)
{
    bool sort = read_sort(L);
    if (lua_isnone(L, 1)) return luaL_error(L, "json.encode: expected a value, got none");
    struct buf *out = lua_scratch_kept(L);
    lua_json_write(L, 1, sort, out, "json.encode");
    lua_pushlstring(L, out->data, out->len);
    return 1;
}

static int l_decode(lua_State *L)
{
    if (lua_type(L, 1) != LUA_TSTRING)
        return luaL_error(L, "json.decode: expected a string, got %s", luaL_typename(L, 1));
    size_t len;
    const char *text = lua_tolstring(L, 1, &len);
    return lua_json_push(L, text, len);
}

static bool has_mark(lua_State *L, int index, const void *key)
{
    lua_rawgetp(L, LUA_REGISTRYINDEX, key);
    bool has = lua_rawequal(L, -1, index);
    lua_pop(L, 1);
    return has;
}

/* Puts the mark on the table at 1, unless that has a metatable of its own. */
static int mark(lua_State *L, const char *function, const void *key)
{
    if (!lua_istable(L, 1))
        return luaL_error(L, "%s: expected a table, got %s", function, luaL_typename(L, 1));
    lua_settop(L, 1);
    if (lua_getmetatable(L, 1) && !has_mark(L, 2, &lua_json_array_mark) &&
        !has_mark(L, 2, &lua_json_object_mark))
        return luaL_error(L, "%s: expected a table without a metatable", function);
    lua_settop(L, 1);
    lua_rawgetp(L, LUA_REGISTRYINDEX, key);
    lua_setmetatable(L, 1);
    return 1;
}

static int l_array(lua_State *L)
{
    return mark(L, "json.array", &lua_json_array_mark);
}

static int l_object(lua_State *L)
{
    return mark(L, "json.object", &lua_json_object_mark);
}

/* Whether the table at 1 would be written as an array, judged by its mark or else its first key. */
static bool is_array(lua_State *L)
{
    lua_settop(L, 1);
    return lua_getmetatable(L, 1) ? has_mark(L, 2, &lua_json_array_mark) : lua_rawlen(L, 1) > 0;
}

static int l_is_array(lua_State *L)
{
    lua_pushboolean(L, lua_istable(L, 1) && is_array(L));
    return 1;
}

static int l_is_object(lua_State *L)
{
    lua_pushboolean(L, lua_istable(L, 1) && !is_array(L));
    return 1;
}

static int l_kind(lua_State *L)
{
    luaL_checkany(L, 1);
    lua_settop(L, 1);
    if (lua_istable(L, 1)) {
        bool array = lua_rawlen(L, 1) > 0 || (lua_getmetatable(L, 1) && has_mark(L, 2, &lua_json_array_mark));
        lua_pushstring(L, array ? "array" : "object");
    } else {
        bool null = lua_isnil(L, 1) || (lua_islightuserdata(L, 1) && lua_touserdata(L, 1) == NULL);
        lua_pushstring(L, null ? "null" : luaL_typename(L, 1));
    }
    return 1;
}

static int l_sealed(lua_State *L)
{
    return luaL_error(L, "the marks of json are read-only");
}

/* A table that stays empty. */
static void add_mark(lua_State *L, const void *key, const char *field)
{
    lua_createtable(L, 0, 0);
    lua_createtable(L, 0, 2);
    lua_pushcfunction(L, l_sealed);
    lua_setfield(L, -2, "__newindex");
    lua_pushboolean(L, 0);
    lua_setfield(L, -2, "__metatable");
    lua_setmetatable(L, -2);
    lua_pushvalue(L, -1);
    lua_rawsetp(L, LUA_REGISTRYINDEX, key);
    lua_setfield(L, -2, field);
}

int luaopen_json(lua_State *L)
{
    static const luaL_Reg functions[] = {
        {"array", l_array},         {"decode", l_decode}, {"encode", l_encode}, {"is_array", l_is_array},
        {"is_object", l_is_object}, {"kind", l_kind},     {"object", l_object}, {NULL, NULL}};
    luaL_newlib(L, functions);
    add_mark(L, &lua_json_array_mark, "array_mt");
    add_mark(L, &lua_json_object_mark, "object_mt");
    lua_pushlightuserdata(L, NULL);
    lua_setfield(L, -2, "null");
    return 1;
}
