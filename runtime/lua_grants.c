/* Module `grants` (lib/_meta/grants.lua). */
#include <errno.h>
#include <lauxlib.h>
#include <stdio.h>
#include <string.h>

#include "clock.h"
#include "grants.h"
#include "lua_modules.h"
#include "vm.h"

static struct grants *grants_of(lua_State *L)
{
    return vm_of(L)->host->grants;
}

static int report(lua_State *L, bool ok)
{
    if (ok) {
        lua_pushboolean(L, 1);
        return 1;
    }
    luaL_pushfail(L);
    lua_pushfstring(L, "the list of grants cannot be written: %s", strerror(errno));
    return 2;
}

static void text_field(lua_State *L, const char *name, char *out, size_t size)
{
    if (lua_getfield(L, 1, name) != LUA_TSTRING)
        luaL_error(L, "grants.add: %s: expected a string, got %s", name, luaL_typename(L, -1));
    snprintf(out, size, "%s", lua_tostring(L, -1));
    lua_pop(L, 1);
}

static int64_t integer_field(lua_State *L, const char *name)
{
    int whole;
    lua_getfield(L, 1, name);
    int64_t value = lua_tointegerx(L, -1, &whole);
    if (!whole) luaL_error(L, "grants.add: %s: expected an integer, got %s", name, luaL_typename(L, -1));
    lua_pop(L, 1);
    return value;
}

static int l_add(lua_State *L)
{
    struct grant grant = {.used = 0};
    luaL_checktype(L, 1, LUA_TTABLE);
    text_field(L, "id", grant.id, sizeof grant.id);
    text_field(L, "name", grant.name, sizeof grant.name);
    text_field(L, "where", grant.where, sizeof grant.where);
    grant.start_ms = integer_field(L, "start_ms");
    grant.finish = integer_field(L, "finish");
    return report(L, grants_add(grants_of(L), &grant));
}

static const char *check_id(lua_State *L)
{
    size_t len;
    const char *id = luaL_checklstring(L, 1, &len);
    luaL_argcheck(L, len > 0 && len < GRANT_ID_SIZE, 1, "expected an id");
    return id;
}

static int l_use(lua_State *L)
{
    grants_use(grants_of(L), check_id(L), clock_unix_ms() / 1000);
    return 0;
}

static int l_revoke(lua_State *L)
{
    return report(L, grants_revoke(grants_of(L), check_id(L), luaL_optinteger(L, 2, 0)));
}

static int l_revoke_all(lua_State *L)
{
    return report(L, grants_revoke_all(grants_of(L), luaL_checkinteger(L, 1)));
}

static int l_is_revoked(lua_State *L)
{
    lua_pushboolean(L, grants_refuse(grants_of(L), check_id(L), luaL_checkinteger(L, 2)));
    return 1;
}

static int l_not_before(lua_State *L)
{
    lua_pushinteger(L, grants_not_before(grants_of(L)));
    return 1;
}

static void push_grant(lua_State *L, const struct grant *grant)
{
    const struct {
        const char *name, *value;
    } texts[] = {{"id", grant->id}, {"name", grant->name}, {"where", grant->where}};
    const struct {
        const char *name;
        int64_t value;
    } numbers[] = {{"start_ms", grant->start_ms}, {"finish", grant->finish}, {"used", grant->used}};
    lua_createtable(L, 0, 7);
    for (size_t i = 0; i < sizeof texts / sizeof *texts; i++) {
        lua_pushstring(L, texts[i].value);
        lua_setfield(L, -2, texts[i].name);
    }
    for (size_t i = 0; i < sizeof numbers / sizeof *numbers; i++) {
        lua_pushinteger(L, numbers[i].value);
        lua_setfield(L, -2, numbers[i].name);
    }
    lua_pushboolean(L, grant->revoked);
    lua_setfield(L, -2, "revoked");
}

static int l_list(lua_State *L)
{
    size_t count;
    if (!grants_readable(grants_of(L))) {
        luaL_pushfail(L);
        lua_pushfstring(L, "the list of grants cannot be read: %s", strerror(errno));
        return 2;
    }
    const struct grant *list = grants_list(grants_of(L), &count);
    lua_createtable(L, (int)count, 0);
    for (size_t i = 0; i < count; i++) {
        push_grant(L, &list[i]);
        lua_rawseti(L, -2, (lua_Integer)i + 1);
    }
    return 1;
}

int luaopen_grants(lua_State *L)
{
    static const luaL_Reg functions[] = {
        {"add", l_add},       {"is_revoked", l_is_revoked}, {"list", l_list}, {"not_before", l_not_before},
        {"revoke", l_revoke}, {"revoke_all", l_revoke_all}, {"use", l_use},   {NULL, NULL},
    };
    luaL_newlib(L, functions);
    return 1;
}
