/* Module `audit` (lib/_meta/audit.lua). */
#include <lauxlib.h>
#include <string.h>

#include "audit.h"
#include "lua_json.h"
#include "lua_modules.h"
#include "lua_scratch.h"
#include "vm.h"

static int l_enabled(lua_State *L)
{
    lua_pushboolean(L, audit_enabled(vm_of(L)->host->audit));
    return 1;
}

static int l_error(lua_State *L)
{
    lua_pushstring(L, audit_error(vm_of(L)->host->audit));
    return 1;
}

static int fill(lua_State *L, struct buf *fields)
{
    if (!lua_json_encode(L, 1, true, fields)) return luaL_error(L, "audit.write: %s", lua_tostring(L, -1));
    if (fields->len < 3 || fields->data[0] != '{')
        return luaL_error(L, "audit.write: expected a table with names as keys");
    buf_consume(fields, 1);
    fields->len--;
    audit_line(vm_of(L)->host->audit, fields);
    return 0;
}

static int l_write(lua_State *L)
{
    lua_settop(L, 1);
    luaL_checktype(L, 1, LUA_TTABLE);
    if (!audit_enabled(vm_of(L)->host->audit)) return 0;
    return lua_scratch(L, 1, fill);
}

int luaopen_audit(lua_State *L)
{
    static const luaL_Reg functions[] = {
        {"enabled", l_enabled}, {"error", l_error}, {"write", l_write}, {NULL, NULL}};
    luaL_newlib(L, functions);
    return 1;
}
