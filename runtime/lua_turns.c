/* Module `turns`: work that must not run side by side (lib/_meta/turns.lua). */
#include <lauxlib.h>
#include <stdio.h>
#include <uv.h>

#include "fiber.h"
#include "lua_modules.h"
#include "turns.h"
#include "vm.h"

#define METATABLE "sandstorm.turn"
#define WAIT_MS_MAX 86400000
#define ARGUMENTS 3
#define BOX (ARGUMENTS + 1) /* where the result stands while its function waits */

/* One wait of one handler. */
struct wait {
    uv_timer_t timer;
    struct turn *turn; /* owned, until the result has it */
    bool ended;
    char message[128]; /* when the time was over */
};

static void leave(struct turn **turn)
{
    if (*turn != NULL) turn_leave(*turn);
    *turn = NULL;
}

static int l_leave(lua_State *L)
{
    leave(luaL_checkudata(L, 1, METATABLE));
    return 0;
}

static void on_timer_closed(uv_handle_t *handle)
{
    fiber_op_done(handle->data);
}

static void end_wait(void *data)
{
    struct wait *wait = data;
    if (wait->ended) return;
    wait->ended = true;
    uv_close((uv_handle_t *)&wait->timer, on_timer_closed);
}

static void wait_cancel(void *op)
{
    struct wait *wait = op;
    leave(&wait->turn);
    end_wait(wait);
}

static void wait_release(void *op)
{
    struct wait *wait = op;
    leave(&wait->turn);
}

static void on_timer(uv_timer_t *timer)
{
    struct wait *wait = timer->data;
    struct turn_holder holder = turn_holder(wait->turn);
    snprintf(wait->message, sizeof wait->message, "it is the turn of %.64s, for %llu s already", holder.work,
             (unsigned long long)(holder.held_ms / 1000));
    wait_cancel(wait);
}

static int wait_finish(lua_State *L, void *op)
{
    struct wait *wait = op;
    struct turn **box = lua_touserdata(L, BOX);
    if (wait->turn == NULL) {
        luaL_pushfail(L);
        lua_pushstring(L, wait->message);
        lua_pushliteral(L, "ETIMEDOUT");
        return 3;
    }
    *box = wait->turn;
    wait->turn = NULL;
    lua_pushvalue(L, BOX);
    return 1;
}

/* Moves the turn in the box to an operation that waits for it. */
static int wait_for(lua_State *L, struct turn **box, lua_Integer ms)
{
    struct wait *wait = fiber_op_new(L, "turns.take", sizeof *wait, wait_release);
    wait->turn = *box;
    *box = NULL;
    uv_timer_init(vm_of(L)->host->loop, &wait->timer);
    wait->timer.data = wait;
    uv_timer_start(&wait->timer, on_timer, (uint64_t)ms, 0);
    turn_on_come(wait->turn, end_wait, wait);
    fiber_op_hold(wait);
    return fiber_wait(L, wait, wait_finish, wait_cancel);
}

static int l_take(lua_State *L)
{
    size_t len;
    const char *key = luaL_checklstring(L, 1, &len), *work = luaL_checkstring(L, 2);
    lua_Integer ms = luaL_checkinteger(L, ARGUMENTS);
    luaL_argcheck(L, ms >= 1 && ms <= WAIT_MS_MAX, ARGUMENTS, "expected 1 to 86400000 milliseconds");
    vm_check_serving(L, "turns.take");
    lua_settop(L, ARGUMENTS);
    struct turn **box = lua_newuserdatauv(L, sizeof *box, 0);
    *box = NULL;
    luaL_setmetatable(L, METATABLE);
    *box = turn_join(vm_of(L)->host->turns, key, len, work);
    if (*box == NULL) return luaL_error(L, "turns.take: not enough memory");
    return turn_has_come(*box) ? 1 : wait_for(L, box, ms);
}

int luaopen_turns(lua_State *L)
{
    static const luaL_Reg functions[] = {{"take", l_take}, {NULL, NULL}};
    static const luaL_Reg methods[] = {{"leave", l_leave}, {NULL, NULL}};
    luaL_newmetatable(L, METATABLE);
    luaL_newlib(L, methods);
    lua_setfield(L, -2, "__index");
    lua_pushcfunction(L, l_leave);
    lua_setfield(L, -2, "__gc");
    lua_pushcfunction(L, l_leave);
    lua_setfield(L, -2, "__close");
    luaL_newlib(L, functions);
    return 1;
}
