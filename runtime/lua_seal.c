/* Sealing: a handler changes nothing that a later call sees, as far as the state can know.
 *
 * Modules of the library run in an environment of their own, with the tables of the standard library and of
 * the other modules as they are, at full speed. Everything else, the operator's scripts, runs in the globals
 * (`_G` of both), where each of those tables is a read-only view (lua_view.h), `require` returns views of
 * what is not the operator's, and a metatable that the scripts have not set themselves can neither be had nor
 * replaced nor got around with rawset. So scripts cannot reach a table that the library lives on, and what it
 * costs, one more look into a table, only they pay.
 *
 * What the operator's own files keep in their own locals and tables is theirs and stays as long as the state:
 * Lua has no way to tell that from a constant. */
#include <lauxlib.h>
#include <lualib.h>

#include "lua_sandbox.h"
#include "lua_view.h"
#include "vm.h"

static const char library_key = 'l'; /* registry: the environment of the library */
static const char known_key = 'k';   /* registry: the metatables that scripts have set, weak */
static const char own_key = 'o';     /* registry: names of the operator's modules */

void lua_seal_push_library(lua_State *L)
{
    lua_rawgetp(L, LUA_REGISTRYINDEX, &library_key);
}

static void add_to(lua_State *L, const char *key, int index)
{
    lua_pushvalue(L, index);
    lua_rawgetp(L, LUA_REGISTRYINDEX, key);
    lua_insert(L, -2);
    lua_pushboolean(L, 1);
    lua_rawset(L, -3);
    lua_pop(L, 1);
}

static bool is_in(lua_State *L, const char *key, int index)
{
    lua_pushvalue(L, index);
    lua_rawgetp(L, LUA_REGISTRYINDEX, key);
    lua_insert(L, -2);
    bool in = lua_rawget(L, -2) != LUA_TNIL;
    lua_pop(L, 2);
    return in;
}

void lua_seal_own_module(lua_State *L, int name)
{
    add_to(L, &own_key, lua_absindex(L, name));
}

void lua_seal_know(lua_State *L, int metatable)
{
    add_to(L, &known_key, lua_absindex(L, metatable));
}

/* Whether the table at 1 has a metatable that no script has set. */
static bool is_foreign(lua_State *L)
{
    if (!lua_getmetatable(L, 1)) return false;
    bool known = is_in(L, &known_key, lua_gettop(L));
    lua_pop(L, 1);
    return !known;
}

/* ---- what scripts get -------------------------------------------------------------------------------- */

static int l_getmetatable(lua_State *L)
{
    luaL_checkany(L, 1);
    if (!lua_getmetatable(L, 1)) {
        lua_pushnil(L);
        return 1;
    }
    bool known = is_in(L, &known_key, lua_gettop(L));
    if (luaL_getmetafield(L, 1, "__metatable") == LUA_TNIL && !known) lua_pushboolean(L, 0);
    return 1;
}

static void check_no_gc(lua_State *L, int metatable)
{
    lua_pushliteral(L, "__gc");
    if (lua_rawget(L, metatable) != LUA_TNIL)
        luaL_error(L, "setmetatable: __gc is not available to scripts; "
                      "use a to-be-closed variable (local x <close>)");
    lua_pop(L, 1);
}

/* The upvalue is that of the library. */
static int l_setmetatable(lua_State *L)
{
    luaL_checktype(L, 1, LUA_TTABLE);
    if (is_foreign(L)) return luaL_error(L, "cannot change a protected metatable");
    if (lua_istable(L, 2)) {
        check_no_gc(L, 2);
        lua_seal_know(L, 2);
    }
    lua_pushvalue(L, lua_upvalueindex(1));
    lua_insert(L, 1);
    lua_call(L, lua_gettop(L) - 1, 1);
    return 1;
}

static int l_rawset(lua_State *L)
{
    luaL_checktype(L, 1, LUA_TTABLE);
    luaL_checkany(L, 2);
    luaL_checkany(L, 3);
    lua_settop(L, 3);
    if (is_foreign(L))
        return luaL_error(L, "rawset: the table is read-only, for nothing outlives a request; use a local");
    lua_rawset(L, 1);
    return 1;
}

/* Replaces the module on top by what scripts get of it; `name` is the index of its name. */
static void view_module(lua_State *L, int name)
{
    if (lua_istable(L, -1) && !is_in(L, &own_key, name)) lua_view(L, lua_tostring(L, name));
}

/* The upvalue is that of the library. */
static int l_require(lua_State *L)
{
    luaL_checkstring(L, 1);
    lua_settop(L, 1);
    lua_pushvalue(L, lua_upvalueindex(1));
    lua_pushvalue(L, 1);
    lua_call(L, 1, 1);
    view_module(L, 1);
    return 1;
}

/* Index of package.loaded. */
static int l_loaded(lua_State *L)
{
    lua_settop(L, 2);
    luaL_getsubtable(L, LUA_REGISTRYINDEX, LUA_LOADED_TABLE);
    lua_pushvalue(L, 2);
    lua_rawget(L, -2);
    if (lua_type(L, 2) == LUA_TSTRING) view_module(L, 2);
    return 1;
}

static int l_sealed_loaded(lua_State *L)
{
    return luaL_error(L, "assigning package.loaded.%s: it is read-only, for nothing outlives a request",
                      luaL_tolstring(L, 2, NULL));
}

/* Upvalue: what the globals read from. */
static int l_sealed_global(lua_State *L)
{
    if (!vm_of(L)->loading)
        return luaL_error(L, "assigning the global '%s': nothing outlives a request; use a local",
                          luaL_tolstring(L, 2, NULL));
    lua_rawset(L, lua_upvalueindex(1));
    return 0;
}

/* ---- making it --------------------------------------------------------------------------------------- */

static void new_set(lua_State *L, const char *key, bool weak)
{
    lua_newtable(L);
    if (weak) {
        lua_createtable(L, 0, 1);
        lua_pushliteral(L, "k");
        lua_setfield(L, -2, "__mode");
        lua_setmetatable(L, -2);
    }
    lua_rawsetp(L, LUA_REGISTRYINDEX, key);
}

/* Puts `f`, with the field that is there as its upvalue, into the table on top. */
static void wrap(lua_State *L, const char *field, lua_CFunction f)
{
    lua_getfield(L, -1, field);
    lua_pushcclosure(L, f, 1);
    lua_setfield(L, -2, field);
}

static void set(lua_State *L, const char *field, lua_CFunction f)
{
    lua_pushcfunction(L, f);
    lua_setfield(L, -2, field);
}

/* Pushes `package` for scripts: nothing but `loaded`. */
static void push_package(lua_State *L)
{
    lua_newtable(L);
    lua_newtable(L);
    lua_createtable(L, 0, 2);
    set(L, "__index", l_loaded);
    set(L, "__newindex", l_sealed_loaded);
    lua_setmetatable(L, -2);
    lua_setfield(L, -2, "loaded");
    lua_view(L, "package");
}

/* Pushes what the globals of scripts read from; the globals of the library are at `library`. */
static void push_contents(lua_State *L, int library)
{
    lua_newtable(L);
    for (lua_pushnil(L); lua_next(L, library);) {
        lua_pushvalue(L, -2);
        lua_insert(L, -2);
        if (lua_istable(L, -1) && !lua_rawequal(L, -1, library)) lua_view(L, lua_tostring(L, -2));
        lua_rawset(L, -4);
    }
    wrap(L, "setmetatable", l_setmetatable);
    wrap(L, "require", l_require);
    set(L, "getmetatable", l_getmetatable);
    set(L, "rawset", l_rawset);
    push_package(L);
    lua_setfield(L, -2, LUA_LOADLIBNAME);
}

void lua_sandbox_seal(lua_State *L)
{
    new_set(L, &known_key, true);
    new_set(L, &own_key, false);
    lua_pushglobaltable(L);
    int library = lua_gettop(L);
    lua_pushvalue(L, library);
    lua_rawsetp(L, LUA_REGISTRYINDEX, &library_key);
    lua_pushnil(L);
    lua_setfield(L, library, LUA_LOADLIBNAME);
    push_contents(L, library);
    lua_pushvalue(L, -1);
    lua_pushvalue(L, -1);
    lua_pushcclosure(L, l_sealed_global, 1);
    lua_view_new(L);
    lua_view_set(L, library, -1);
    lua_pushvalue(L, -1);
    lua_rawseti(L, LUA_REGISTRYINDEX, LUA_RIDX_GLOBALS);
    lua_pushvalue(L, -1);
    lua_setfield(L, library, LUA_GNAME);
    lua_setfield(L, -2, LUA_GNAME);
    lua_settop(L, library - 1);
}
