#include "lua_view.h"

#include <lauxlib.h>

#include "lua_sandbox.h"
#include "vm.h"

static const char views_key = 'v'; /* registry: original -> view */

static void push_views(lua_State *L)
{
    if (lua_rawgetp(L, LUA_REGISTRYINDEX, &views_key) == LUA_TTABLE) return;
    lua_pop(L, 1);
    lua_newtable(L);
    lua_pushvalue(L, -1);
    lua_rawsetp(L, LUA_REGISTRYINDEX, &views_key);
}

/* Upvalues: copy, original, name. */
static int l_assign(lua_State *L)
{
    if (!vm_of(L)->loading)
        return luaL_error(L, "assigning %s.%s: it is read-only, for nothing outlives a request; use a local",
                          lua_tostring(L, lua_upvalueindex(3)), luaL_tolstring(L, 2, NULL));
    for (int table = 1; table <= 2; table++) {
        lua_pushvalue(L, 2);
        lua_pushvalue(L, 3);
        lua_rawset(L, lua_upvalueindex(table));
    }
    return 0;
}

static int l_length(lua_State *L)
{
    lua_pushinteger(L, (lua_Integer)lua_rawlen(L, lua_upvalueindex(1)));
    return 1;
}

static int l_next(lua_State *L)
{
    lua_settop(L, 2);
    return lua_next(L, lua_upvalueindex(1)) ? 2 : 0;
}

static int l_pairs(lua_State *L)
{
    lua_pushvalue(L, lua_upvalueindex(1));
    lua_pushcclosure(L, l_next, 1);
    lua_pushvalue(L, 1);
    return 2;
}

/* `f` with the table at `upvalue` becomes a field of the table on top. */
static void set_closure(lua_State *L, const char *field, lua_CFunction f, int upvalue)
{
    lua_pushvalue(L, upvalue);
    lua_pushcclosure(L, f, 1);
    lua_setfield(L, -2, field);
}

void lua_view_new(lua_State *L)
{
    int assign = lua_gettop(L), table = assign - 1;
    lua_newtable(L);
    lua_createtable(L, 0, 4);
    lua_pushvalue(L, table);
    lua_setfield(L, -2, "__index");
    lua_pushvalue(L, assign);
    lua_setfield(L, -2, "__newindex");
    set_closure(L, "__len", l_length, table);
    set_closure(L, "__pairs", l_pairs, table);
    lua_setmetatable(L, -2);
    lua_replace(L, table);
    lua_settop(L, table);
}

void lua_view_set(lua_State *L, int table, int view)
{
    table = lua_absindex(L, table);
    view = lua_absindex(L, view);
    push_views(L);
    lua_pushvalue(L, table);
    lua_pushvalue(L, view);
    lua_rawset(L, -3);
    lua_pop(L, 1);
}

static void copy_fields(lua_State *L, int from, int to, const char *name)
{
    for (lua_pushnil(L); lua_next(L, from);) {
        if (lua_istable(L, -1)) lua_view(L, name);
        lua_pushvalue(L, -2);
        lua_insert(L, -2);
        lua_rawset(L, to);
    }
}

static void make(lua_State *L, int original, const char *name)
{
    lua_newtable(L);
    int copy = lua_gettop(L);
    lua_pushvalue(L, copy);
    lua_pushvalue(L, copy);
    lua_pushvalue(L, original);
    lua_pushstring(L, name);
    lua_pushcclosure(L, l_assign, 3);
    lua_view_new(L);
    lua_view_set(L, original, -1);
    copy_fields(L, original, copy, name);
    lua_remove(L, copy);
}

void lua_view(lua_State *L, const char *name)
{
    int original = lua_gettop(L);
    luaL_checkstack(L, 12, "read-only view");
    if (lua_getmetatable(L, original)) {
        lua_pop(L, 1);
        lua_seal_know(L, original);
        return;
    }
    push_views(L);
    lua_pushvalue(L, original);
    if (lua_rawget(L, -2) == LUA_TNIL) {
        lua_settop(L, original);
        make(L, original, name);
    }
    lua_replace(L, original);
    lua_settop(L, original);
}
