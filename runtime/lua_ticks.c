#include "lua_ticks.h"

#include <lauxlib.h>
#include <stdlib.h>
#include <string.h>

#include "clock.h"
#include "config.h"
#include "fiber.h"
#include "log.h"
#include "vm.h"

#define LOGGER "sandstorm_mcp.tick"
#define TICKS_MAX 32
#define NS_PER_MS 1000000u

struct tick {
    struct log *log;
    int handler; /* registry reference */
    uint64_t every_ns, due_ns;
    bool running;
};

struct tick_list {
    size_t count;
    struct tick items[TICKS_MAX];
};

static void read_tick(lua_State *L, struct tick *tick, size_t position)
{
    lua_getfield(L, -1, "every_ms");
    lua_Integer ms = lua_isinteger(L, -1) ? lua_tointeger(L, -1) : 0;
    if (ms < 100 || ms > 86400000)
        luaL_error(L, "app.load: tick %d: every_ms: expected 100 to 86400000, got %s", (int)position,
                   luaL_tolstring(L, -1, NULL));
    if (lua_getfield(L, -2, "run") != LUA_TFUNCTION)
        luaL_error(L, "app.load: tick %d: run: expected a function, got %s", (int)position,
                   luaL_typename(L, -1));
    tick->handler = luaL_ref(L, LUA_REGISTRYINDEX);
    tick->every_ns = (uint64_t)ms * NS_PER_MS;
    lua_pop(L, 2);
}

static int fill(lua_State *L)
{
    struct tick_list *list = lua_touserdata(L, 2);
    luaL_checktype(L, 1, LUA_TTABLE);
    lua_settop(L, 1);
    for (lua_Integer i = 1; lua_rawgeti(L, 1, i) == LUA_TTABLE; i++) {
        if (list->count == TICKS_MAX) luaL_error(L, "app.load: ticks: expected at most %d", TICKS_MAX);
        struct tick *tick = &list->items[list->count++];
        tick->log = vm_of(L)->host->log;
        read_tick(L, tick, (size_t)i);
    }
    return 0;
}

struct tick_list *lua_ticks_read(lua_State *L)
{
    if (lua_isnil(L, -1)) {
        lua_pop(L, 1);
        return NULL;
    }
    struct tick_list *list = calloc(1, sizeof *list);
    if (list == NULL) luaL_error(L, "not enough memory");
    lua_pushcfunction(L, fill);
    lua_insert(L, -2);
    lua_pushlightuserdata(L, list);
    if (lua_pcall(L, 2, 0, 0) == LUA_OK) return list;
    free(list);
    lua_error(L);
    return NULL;
}

static void on_done(void *data, lua_State *L, enum fiber_outcome outcome, int count)
{
    struct tick *tick = data;
    (void)count;
    tick->running = false;
    tick->due_ns = clock_ns() + tick->every_ns;
    if (outcome == FIBER_RETURNED) return;
    const char *text = lua_type(L, -1) == LUA_TSTRING ? lua_tostring(L, -1) : luaL_typename(L, -1);
    if (outcome == FIBER_STOPPED && strstr(text, TICKS_STOP) != NULL) return;
    const char *trace = outcome == FIBER_RAISED ? lua_tostring(L, -2) : NULL;
    log_line(tick->log, LOG_ERROR, LOGGER, "what is done again and again failed: %s %s", text,
             trace != NULL ? trace : "");
}

static int finish(lua_State *L, int status, lua_KContext context)
{
    (void)L, (void)status, (void)context;
    return 0;
}

/* Upvalue-free body of the fiber: the handler is on the stack. */
static int body(lua_State *L)
{
    if (!fiber_set_tag(fiber_running(L), TICKS_TAG)) return luaL_error(L, "not enough memory");
    lua_callk(L, 0, 0, 0, finish);
    return 0;
}

static void start(struct vm *vm, struct tick *tick)
{
    const struct config *config = vm->host->config;
    const struct fiber_limits limits = {.deadline_ms = (uint64_t)config->call_deadline_ms,
                                        .cpu_ms = (uint64_t)config->script_cpu_ms};
    if (!lua_checkstack(vm->L, 4)) return;
    tick->running = true;
    lua_pushcfunction(vm->L, body);
    lua_rawgeti(vm->L, LUA_REGISTRYINDEX, tick->handler);
    if (!fiber_start(vm, 1, &limits, on_done, tick)) tick->running = false;
}

void lua_ticks_run(struct vm *vm)
{
    if (vm->ticks == NULL) return;
    uint64_t now = clock_ns();
    for (size_t i = 0; i < vm->ticks->count; i++) {
        struct tick *tick = &vm->ticks->items[i];
        if (!tick->running && now >= tick->due_ns) start(vm, tick);
    }
}

void lua_ticks_free(struct tick_list *list)
{
    free(list);
}
