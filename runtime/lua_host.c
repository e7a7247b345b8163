/* The host for Lua; documented in lib/_meta/host.lua. */
#include <inttypes.h>
#include <lauxlib.h>
#include <limits.h>
#include <stdio.h>
#include <unistd.h>

#include "config.h"
#include "fs.h"
#include "host.h"
#include "http.h"
#include "jobs.h"
#include "lua_modules.h"
#include "nearest.h"
#include "scripts.h"
#include "system.h"
#include "vm.h"

static void set_integer(lua_State *L, const char *field, int64_t value)
{
    lua_pushinteger(L, value);
    lua_setfield(L, -2, field);
}

static int l_generation(lua_State *L)
{
    lua_pushinteger(L, (lua_Integer)vm_of(L)->generation);
    return 1;
}

static int l_scripts_id(lua_State *L)
{
    char text[17];
    snprintf(text, sizeof text, "%016llx", (unsigned long long)vm_of(L)->scripts_id);
    lua_pushstring(L, text);
    return 1;
}

static void add_figures(lua_State *L, const struct host *host)
{
    struct system_figures figures;
    system_figures(host->system, fs_root_path(host->workspace), &figures);
    set_integer(L, "cores", figures.cores);
    set_integer(L, "memory_available", figures.memory_available);
    set_integer(L, "disk_available", figures.disk_available);
    set_integer(L, "uptime", figures.uptime_s);
}

static int l_info(lua_State *L)
{
    const struct vm *vm = vm_of(L);
    const struct host *host = vm->host;
    char error[PATH_MAX + 64];
    if (vm->loading)
        return luaL_error(L, "host.info: cannot be asked while the scripts are loaded; call it in a handler");
    const char *script_error = host->scripts != NULL ? scripts_error(host->scripts) : NULL;
    lua_createtable(L, 0, 11);
    add_figures(L, host);
    set_integer(L, "generation", (int64_t)vm->generation);
    set_integer(L, "connections", host->http != NULL ? http_server_connections(host->http) : 0);
    set_integer(L, "live_calls", host->scripts != NULL ? scripts_live(host->scripts) : 1);
    set_integer(L, "lua_bytes", (int64_t)vm->memory.used);
    set_integer(L, "jobs", job_table_running(host->jobs));
    lua_pushstring(L, script_error);
    lua_setfield(L, -2, "script_error");
    if (!fs_root_check(host->workspace, error, sizeof error)) {
        lua_pushstring(L, error);
        lua_setfield(L, -2, "workspace_error");
    }
    return 1;
}

static const struct config_entry *check_setting(lua_State *L, const char *name)
{
    const struct config_entry *found = config_entry_named(name);
    if (found != NULL && !config_is_secret(found)) return found;
    struct nearest near = NEAREST_INIT(name);
    for (const struct config_entry *e = config_entries; e->name != NULL; e++)
        if (!config_is_secret(e)) nearest_offer(&near, e->name);
    luaL_error(L,
               found != NULL ? "host.setting: %s is a secret"
                             : "host.setting: unknown setting %s; did you mean %s?",
               name, near.name);
    return NULL;
}

static int l_setting(lua_State *L)
{
    if (lua_type(L, 1) != LUA_TSTRING)
        return luaL_error(L, "host.setting: expected the name of a setting, got %s", luaL_typename(L, 1));
    const struct config_entry *e = check_setting(L, lua_tostring(L, 1));
    const char *field = (const char *)vm_of(L)->host->config + e->offset;
    switch (e->type) {
    case CONFIG_TEXT:
    case CONFIG_PATH:
    case CONFIG_CHOICE:
        lua_pushstring(L, *(char *const *)(const void *)field);
        break;
    case CONFIG_LEVEL:
        lua_pushstring(L, log_level_name(*(const enum log_level *)(const void *)field));
        break;
    default:
        lua_pushinteger(L, *(const int64_t *)(const void *)field);
    }
    return 1;
}

static int l_which(lua_State *L)
{
    if (!lua_istable(L, 1))
        return luaL_error(L, "host.which: expected a list of names, got %s", luaL_typename(L, 1));
    lua_Integer count = (lua_Integer)lua_rawlen(L, 1), found = 0;
    lua_settop(L, 1);
    lua_newtable(L);
    for (lua_Integer i = 1; i <= count; i++) {
        if (lua_rawgeti(L, 1, i) != LUA_TSTRING)
            return luaL_error(L, "host.which: name %d: expected a string, got %s", (int)i,
                              luaL_typename(L, -1));
        if (system_has_program(lua_tostring(L, -1)))
            lua_rawseti(L, 2, ++found);
        else
            lua_pop(L, 1);
    }
    return 1;
}

static int l_random_id(lua_State *L)
{
    uint64_t number;
    char text[17];
    if (getentropy(&number, sizeof number) != 0)
        return luaL_error(L, "host.random_id: the kernel gave no random bytes");
    snprintf(text, sizeof text, "%016" PRIx64, number);
    lua_pushstring(L, text);
    return 1;
}

int luaopen_host(lua_State *L)
{
    static const luaL_Reg functions[] = {{"generation", l_generation},
                                         {"info", l_info},
                                         {"random_id", l_random_id},
                                         {"setting", l_setting},
                                         {"scripts_id", l_scripts_id},
                                         {"which", l_which},
                                         {NULL, NULL}};
    luaL_newlib(L, functions);
    lua_pushliteral(L, SANDSTORM_VERSION);
    lua_setfield(L, -2, "version");
    return 1;
}
