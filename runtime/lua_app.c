#include "lua_app.h"

#include <lauxlib.h>
#include <stdint.h>

#include "config.h"
#include "fiber.h"
#include "log.h"
#include "vm.h"

#define LOGGER "sandstorm_mcp.app"

struct app_call {
    const char *name, *text;
    size_t len;
};

/* Leaves the function, or nil, and its argument. */
static int push_call(lua_State *L)
{
    const struct app_call *call = lua_touserdata(L, 1);
    vm_push_app(L);
    if (lua_getfield(L, -1, call->name) != LUA_TFUNCTION) lua_pushnil(L);
    if (call->text == NULL)
        lua_pushnil(L);
    else
        lua_pushlstring(L, call->text, call->len);
    return 2;
}

static void on_done(void *data, lua_State *L, enum fiber_outcome outcome, int count)
{
    const struct vm *vm = data;
    (void)count;
    if (outcome == FIBER_RETURNED) return;
    const char *text = lua_type(L, -1) == LUA_TSTRING ? lua_tostring(L, -1) : luaL_typename(L, -1);
    const char *trace = outcome == FIBER_RAISED ? lua_tostring(L, -2) : NULL;
    log_line(vm->host->log, LOG_ERROR, LOGGER, "a function of the app failed: %s %s", text,
             trace != NULL ? trace : "");
}

bool lua_app_start(struct vm *vm, const char *name, const char *text, size_t len)
{
    const struct config *config = vm->host->config;
    const struct fiber_limits limits = {.deadline_ms = (uint64_t)config->call_deadline_ms,
                                        .cpu_ms = (uint64_t)config->script_cpu_ms};
    struct app_call call = {name, text, len};
    lua_State *L = vm->L;
    int top = lua_gettop(L);
    if (!lua_checkstack(L, 8)) return false;
    lua_pushcfunction(L, push_call);
    lua_pushlightuserdata(L, &call);
    bool ok = lua_pcall(L, 1, 2, 0) == LUA_OK && lua_isfunction(L, -2);
    if (ok) return fiber_start(vm, 1, &limits, on_done, vm);
    lua_settop(L, top);
    return false;
}
