/* The log for Lua; documented in lib/_meta/log.lua. */
#include <lauxlib.h>
#include <string.h>

#include "fiber.h"
#include "host.h"
#include "log.h"
#include "lua_json.h"
#include "lua_modules.h"
#include "lua_scratch.h"
#include "nearest.h"
#include "vm.h"

#define LOGGER "sandstorm_mcp"

static const struct {
    const char *name;
    enum log_level level;
    const char *fields; /* what messages about the fields begin with */
} functions[] = {{"trace", LOG_TRACE, "log.trace: fields"},
                 {"debug", LOG_DEBUG, "log.debug: fields"},
                 {"info", LOG_INFO, "log.info: fields"},
                 {"warning", LOG_WARNING, "log.warning: fields"},
                 {"error", LOG_ERROR, "log.error: fields"}};

#define FUNCTION_COUNT (sizeof functions / sizeof *functions)

static struct log *log_of(lua_State *L)
{
    return vm_of(L)->host->log;
}

static void check_names(lua_State *L, const char *what)
{
    static const char *const taken[] = {"ts", "level", "logger", "msg"};
    for (size_t i = 0; i < sizeof taken / sizeof *taken; i++) {
        lua_pushstring(L, taken[i]);
        if (lua_rawget(L, 2) != LUA_TNIL)
            luaL_error(L, "%s: the name %s is taken by the log", what, taken[i]);
        lua_pop(L, 1);
    }
}

/* What the fiber works for, unless the caller's fields say so themselves. */
static void add_trace(lua_State *L, struct buf *fields)
{
    const struct fiber *fiber = fiber_running(L);
    if (fiber == NULL || fiber_trace(fiber)[0] == '\0') return;
    bool said = lua_istable(L, 2) && lua_getfield(L, 2, "traceparent") != LUA_TNIL;
    lua_settop(L, 2);
    if (!said) buf_printf(fields, "%s\"traceparent\":\"%s\"", fields->len > 0 ? "," : "", fiber_trace(fiber));
}

/* The fields, a table at 2, as members of a JSON object. */
static void write_fields(lua_State *L, const char *what, struct buf *fields)
{
    check_names(L, what);
    lua_json_write(L, 2, true, fields, what);
    if (fields->data[0] != '{') luaL_error(L, "%s: expected names as keys, got an array", what);
    buf_consume(fields, 1);
    fields->len--;
}

/* Upvalues: logger, place in `functions`. */
static int l_write(lua_State *L)
{
    lua_Integer place = lua_tointeger(L, lua_upvalueindex(2));
    const char *name = functions[place].name;
    size_t len;
    if (lua_type(L, 1) != LUA_TSTRING)
        return luaL_error(L, "log.%s: message: expected a string, got %s", name, luaL_typename(L, 1));
    if (!lua_isnoneornil(L, 2) && !lua_istable(L, 2))
        return luaL_error(L, "log.%s: fields: expected a table, got %s", name, luaL_typename(L, 2));
    if (!log_enabled(log_of(L), functions[place].level)) return 0;
    lua_settop(L, 2);
    struct buf *fields = lua_scratch_kept(L);
    if (!lua_isnil(L, 2)) write_fields(L, functions[place].fields, fields);
    add_trace(L, fields);
    const char *message = lua_tolstring(L, 1, &len);
    log_fields(log_of(L), functions[place].level, lua_tostring(L, lua_upvalueindex(1)), message, len, fields);
    return 0;
}

/* Adds the functions to the table on top; they write as the logger of that name. */
static void add_functions(lua_State *L, const char *logger)
{
    for (size_t i = 0; i < FUNCTION_COUNT; i++) {
        lua_pushstring(L, logger);
        lua_pushinteger(L, (lua_Integer)i);
        lua_pushcclosure(L, l_write, 2);
        lua_setfield(L, -2, functions[i].name);
    }
}

static int l_enabled(lua_State *L)
{
    enum log_level level;
    if (lua_type(L, 1) != LUA_TSTRING)
        return luaL_error(L, "log.enabled: expected the name of a level, got %s", luaL_typename(L, 1));
    const char *name = lua_tostring(L, 1);
    if (!log_level_parse(name, &level)) {
        struct nearest near = NEAREST_INIT(name);
        for (size_t i = 0; i < FUNCTION_COUNT; i++)
            nearest_offer(&near, functions[i].name);
        return luaL_error(L, "log.enabled: expected the name of a level, got \"%s\"; did you mean %s?", name,
                          near.name);
    }
    lua_pushboolean(L, log_enabled(log_of(L), level));
    return 1;
}

static int l_logger(lua_State *L)
{
    if (lua_type(L, 1) != LUA_TSTRING)
        return luaL_error(L, "log.logger: expected a name, got %s", luaL_typename(L, 1));
    const char *name = lua_pushfstring(L, LOGGER ".%s", lua_tostring(L, 1));
    lua_createtable(L, 0, FUNCTION_COUNT + 1);
    add_functions(L, name);
    lua_pushcfunction(L, l_enabled);
    lua_setfield(L, -2, "enabled");
    return 1;
}

int luaopen_log(lua_State *L)
{
    static const luaL_Reg others[] = {{"enabled", l_enabled}, {"logger", l_logger}, {NULL, NULL}};
    luaL_newlib(L, others);
    add_functions(L, LOGGER ".script");
    return 1;
}
