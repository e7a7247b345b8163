/* Module `fiber`: handlers that run beside the request, and stopping others (lib/_meta/fiber.lua). */
#include <lauxlib.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "config.h"
#include "fiber.h"
#include "log.h"
#include "lua_modules.h"
#include "scripts.h"
#include "vm.h"

#define LIVE_MAX 10000 /* functions that spawn more of themselves would fill the memory of all */
#define LOGGER "sandstorm_mcp.fiber"

static int l_tag(lua_State *L)
{
    struct fiber *f = fiber_running(L);
    if (f == NULL)
        return luaL_error(L, "fiber.tag: there is no handler to name while the scripts are loaded");
    if (!fiber_set_tag(f, luaL_optstring(L, 1, NULL))) return luaL_error(L, "fiber.tag: not enough memory");
    return 0;
}

static int l_stop(lua_State *L)
{
    vm_check_serving(L, "fiber.stop");
    char reason[160];
    struct vm *vm = vm_of(L);
    const char *tag = luaL_checkstring(L, 1);
    snprintf(reason, sizeof reason, "stopped: %s", luaL_checkstring(L, 2));
    unsigned stopped = vm->host->scripts != NULL ? scripts_stop_tagged(vm->host->scripts, tag, reason)
                                                 : fiber_stop_tagged(vm, tag, reason);
    lua_pushinteger(L, stopped);
    return 1;
}

static int l_count(lua_State *L)
{
    struct vm *vm = vm_of(L);
    const char *tag = luaL_checkstring(L, 1);
    lua_pushinteger(L, vm->host->scripts != NULL ? scripts_count_tagged(vm->host->scripts, tag)
                                                 : fiber_count_tagged(vm, tag));
    return 1;
}

/* version 2 hex, trace 32, parent 16, flags 2; trace and parent are not all zeros (W3C Trace Context 3.2.2).
 */
static bool is_traceparent(const char *text)
{
    static const char form[] = "hh-hhhhhhhhhhhhhhhhhhhhhhhhhhhhhhhh-hhhhhhhhhhhhhhhh-hh";
    if (strlen(text) != sizeof form - 1 || strncmp(text, "ff", 2) == 0) return false;
    for (size_t i = 0; i < sizeof form - 1; i++) {
        bool digit = (text[i] >= '0' && text[i] <= '9') || (text[i] >= 'a' && text[i] <= 'f');
        if (form[i] == 'h' ? !digit : text[i] != '-') return false;
    }
    return strspn(text + 3, "0") < 32 && strspn(text + 36, "0") < 16;
}

static int l_trace(lua_State *L)
{
    struct fiber *f = fiber_running(L);
    if (f == NULL)
        return luaL_error(L, "fiber.trace: there is no handler to trace while the scripts are loaded");
    if (lua_type(L, 1) == LUA_TSTRING && is_traceparent(lua_tostring(L, 1)))
        fiber_set_trace(f, lua_tostring(L, 1));
    const char *trace = fiber_trace(f);
    lua_pushstring(L, trace[0] != '\0' ? trace : NULL);
    return 1;
}

static int l_time_left(lua_State *L)
{
    int64_t ms = fiber_time_left(L);
    if (ms < 0)
        lua_pushnil(L);
    else
        lua_pushinteger(L, ms);
    return 1;
}

/* A spawned function, while it runs. */
struct spawned {
    struct vm *vm;
    int on_stop; /* registry reference of the function to call when it is stopped, or LUA_NOREF */
};

static void log_failure(const struct log *log, lua_State *L, enum fiber_outcome outcome)
{
    const char *text = lua_type(L, -1) == LUA_TSTRING ? lua_tostring(L, -1) : luaL_typename(L, -1);
    const char *trace = outcome == FIBER_RAISED ? lua_tostring(L, -2) : NULL;
    log_line((struct log *)log, LOG_ERROR, LOGGER, "a spawned function failed: %s %s", text,
             trace != NULL ? trace : "");
}

static void on_stop_done(void *data, lua_State *L, enum fiber_outcome outcome, int count)
{
    (void)count;
    if (outcome != FIBER_RETURNED) log_failure(data, L, outcome);
}

/* Calls on_stop with the reason on top of L, in a fiber of its own. */
static void tell_stopped(const struct spawned *spawned, lua_State *L)
{
    const struct fiber_limits limits = {.deadline_ms = 5000, .cpu_ms = 500};
    lua_State *M = spawned->vm->L;
    if (!lua_checkstack(M, 4)) return;
    lua_rawgeti(M, LUA_REGISTRYINDEX, spawned->on_stop);
    lua_pushvalue(L, -1);
    lua_xmove(L, M, 1);
    fiber_start(spawned->vm, 1, &limits, on_stop_done, spawned->vm->host->log);
}

static void on_spawned_done(void *data, lua_State *L, enum fiber_outcome outcome, int count)
{
    struct spawned *spawned = data;
    (void)count;
    if (outcome == FIBER_STOPPED && spawned->on_stop != LUA_NOREF)
        tell_stopped(spawned, L);
    else if (outcome != FIBER_RETURNED)
        log_failure(spawned->vm->host->log, L, outcome);
    luaL_unref(spawned->vm->L, LUA_REGISTRYINDEX, spawned->on_stop);
    free(spawned);
}

static lua_Integer limit_field(lua_State *L, const char *name, lua_Integer fallback)
{
    if (!lua_istable(L, 2)) return fallback;
    lua_getfield(L, 2, name);
    lua_Integer value = luaL_optinteger(L, -1, fallback);
    if (value < 1 || value > 86400000) luaL_error(L, "fiber.spawn: %s: expected 1 to 86400000 ms", name);
    lua_pop(L, 1);
    return value;
}

static int on_stop_field(lua_State *L)
{
    if (!lua_istable(L, 2) || lua_getfield(L, 2, "on_stop") == LUA_TNIL) return LUA_NOREF;
    luaL_checktype(L, -1, LUA_TFUNCTION);
    return luaL_ref(L, LUA_REGISTRYINDEX);
}

static int l_spawn(lua_State *L)
{
    struct vm *vm = vm_of(L);
    luaL_checktype(L, 1, LUA_TFUNCTION);
    const struct fiber_limits limits = {
        .deadline_ms = (uint64_t)limit_field(L, "deadline_ms", vm->host->config->call_deadline_ms),
        .cpu_ms = (uint64_t)limit_field(L, "cpu_ms", vm->host->config->script_cpu_ms)};
    vm_check_serving(L, "fiber.spawn");
    if (fiber_live_count(vm) >= LIVE_MAX)
        return luaL_error(L, "fiber.spawn: %d handlers run already, which is the limit", LIVE_MAX);
    int on_stop = on_stop_field(L);
    struct spawned *spawned = malloc(sizeof *spawned);
    if (spawned != NULL) {
        *spawned = (struct spawned){.vm = vm, .on_stop = on_stop};
        if (fiber_spawn(L, 1, &limits, on_spawned_done, spawned)) return 0;
    }
    free(spawned);
    luaL_unref(L, LUA_REGISTRYINDEX, on_stop);
    return luaL_error(L, "fiber.spawn: not enough memory");
}

/* A call through C cannot yield, so the hook lets it go on when its slice is over. */
static int l_at_once(lua_State *L)
{
    luaL_checktype(L, 1, LUA_TFUNCTION);
    lua_call(L, lua_gettop(L) - 1, LUA_MULTRET);
    return lua_gettop(L);
}

static int l_quit(lua_State *L)
{
    struct fiber *f = fiber_running(L);
    if (f == NULL)
        return luaL_error(L, "fiber.quit: there is no handler to end while the scripts are loaded");
    fiber_stop(f, luaL_checkstring(L, 1));
    return fiber_raise_if_stopped(L);
}

int luaopen_fiber(lua_State *L)
{
    static const luaL_Reg functions[] = {
        {"tag", l_tag},         {"stop", l_stop},           {"count", l_count},
        {"trace", l_trace},     {"time_left", l_time_left}, {"spawn", l_spawn},
        {"at_once", l_at_once}, {"quit", l_quit},           {NULL, NULL}};
    luaL_newlib(L, functions);
    return 1;
}
