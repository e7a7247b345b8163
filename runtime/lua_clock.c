/* Time for Lua; documented in lib/_meta/clock.lua. */
#include <lauxlib.h>
#include <math.h>
#include <uv.h>

#include "clock.h"
#include "fiber.h"
#include "host.h"
#include "lua_modules.h"
#include "vm.h"

#define SLEEP_MS_MAX 86400000.0

struct sleep {
    uv_timer_t timer;
};

static void sleep_closed(uv_handle_t *timer)
{
    fiber_op_done(timer->data);
}

static void sleep_fired(uv_timer_t *timer)
{
    uv_close((uv_handle_t *)timer, sleep_closed);
}

static void sleep_cancel(void *op)
{
    struct sleep *sleep = op;
    uv_handle_t *handle = (uv_handle_t *)&sleep->timer;
    if (!uv_is_closing(handle)) uv_close(handle, sleep_closed);
}

static int sleep_finish(lua_State *L, void *op)
{
    (void)L, (void)op;
    return 0;
}

static int l_sleep(lua_State *L)
{
    lua_settop(L, 1);
    if (lua_type(L, 1) != LUA_TNUMBER || !(lua_tonumber(L, 1) >= 0 && lua_tonumber(L, 1) <= SLEEP_MS_MAX))
        return luaL_error(L, "clock.sleep: expected milliseconds from 0 to %d, got %s", (int)SLEEP_MS_MAX,
                          luaL_tolstring(L, 1, NULL));
    double ms = ceil(lua_tonumber(L, 1));
    struct sleep *sleep = fiber_op_new(L, "clock.sleep", sizeof *sleep, NULL);
    uv_timer_init(vm_of(L)->host->loop, &sleep->timer);
    sleep->timer.data = sleep;
    uv_update_time(vm_of(L)->host->loop);
    uv_timer_start(&sleep->timer, sleep_fired, (uint64_t)ms, 0);
    fiber_op_hold(sleep);
    return fiber_wait(L, sleep, sleep_finish, sleep_cancel);
}

static int l_now_ms(lua_State *L)
{
    lua_pushinteger(L, clock_unix_ms());
    return 1;
}

static int l_monotonic_ms(lua_State *L)
{
    lua_pushnumber(L, (double)clock_ns() / 1e6);
    return 1;
}

static int l_iso(lua_State *L)
{
    struct clock_stamp now = {.second = 0};
    lua_pushstring(L, clock_stamp(&now));
    return 1;
}

int luaopen_clock(lua_State *L)
{
    static const luaL_Reg functions[] = {{"iso", l_iso},
                                         {"monotonic_ms", l_monotonic_ms},
                                         {"now_ms", l_now_ms},
                                         {"sleep", l_sleep},
                                         {NULL, NULL}};
    luaL_newlib(L, functions);
    return 1;
}
