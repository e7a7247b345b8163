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

typedef void write_line(struct audit *audit, const struct buf *fields);

static int fill(lua_State *L, const char *function, struct buf *fields, write_line *write)
{
    lua_json_write(L, 1, true, fields, function);
    if (fields->len < 3 || fields->data[0] != '{')
        return luaL_error(L, "%s: argument 1 (fields): expected a table with names as keys", function);
    buf_consume(fields, 1);
    fields->len--;
    write(vm_of(L)->host->audit, fields);
    return 0;
}

static int fill_line(lua_State *L, struct buf *fields)
{
    return fill(L, "audit.write", fields, audit_line);
}

static int fill_refusal(lua_State *L, struct buf *fields)
{
    return fill(L, "audit.write_bounded", fields, audit_refusal);
}

static int write_with(lua_State *L, int (*filler)(lua_State *L, struct buf *fields))
{
    lua_settop(L, 1);
    luaL_checktype(L, 1, LUA_TTABLE);
    if (!audit_enabled(vm_of(L)->host->audit)) return 0;
    return lua_scratch(L, 1, filler);
}

static int l_write(lua_State *L)
{
    return write_with(L, fill_line);
}

static int l_write_bounded(lua_State *L)
{
    return write_with(L, fill_refusal);
}

int luaopen_audit(lua_State *L)
{
    static const luaL_Reg functions[] = {{"enabled", l_enabled},
                                         {"error", l_error},
                                         {"write", l_write},
                                         {"write_bounded", l_write_bounded},
                                         {NULL, NULL}};
    luaL_newlib(L, functions);
    return 1;
}
