/* Module `inbox`: messages between requests (lib/_meta/inbox.lua). */
#include <lauxlib.h>
#include <stdlib.h>
#include <string.h>
#include <uv.h>

#include "fiber.h"
#include "inbox.h"
#include "lua_modules.h"
#include "vm.h"

#define METATABLE "sandstorm.inbox"
#define WAIT_MS_MAX 86400000

/* One wait of one handler. */
struct take {
    uv_timer_t timer;
    struct inbox *inbox; /* NULL once the wait is over */
    struct inbox_message *message;
};

static struct inbox *check_inbox(lua_State *L)
{
    struct inbox **box = luaL_checkudata(L, 1, METATABLE);
    if (*box == NULL) luaL_error(L, "the inbox is closed");
    return *box;
}

static int l_open(lua_State *L)
{
    vm_check_serving(L, "inbox.open");
    struct inbox **box = lua_newuserdatauv(L, sizeof *box, 0);
    *box = NULL;
    luaL_setmetatable(L, METATABLE);
    *box = inbox_open(vm_of(L)->host->inboxes);
    return *box != NULL ? 1 : luaL_error(L, "inbox.open: not enough memory");
}

static int l_close(lua_State *L)
{
    struct inbox **box = luaL_checkudata(L, 1, METATABLE);
    if (*box != NULL) inbox_close(*box);
    *box = NULL;
    return 0;
}

static int l_listen(lua_State *L)
{
    struct inbox *box = check_inbox(L);
    lua_pushboolean(L, inbox_listen(box, luaL_checkstring(L, 2)));
    return 1;
}

static int l_deliver(lua_State *L)
{
    vm_check_serving(L, "inbox.deliver");
    size_t len;
    const char *key = luaL_checkstring(L, 1), *data = luaL_checklstring(L, 2, &len);
    lua_pushboolean(L, inbox_deliver(vm_of(L)->host->inboxes, key, data, len));
    return 1;
}

/* ---- take -------------------------------------------------------------------------------------------- */

static void on_timer_closed(uv_handle_t *handle)
{
    fiber_op_done(handle->data);
}

static void end_wait(struct take *take)
{
    if (take->inbox == NULL) return;
    inbox_on_message(take->inbox, NULL, NULL);
    take->inbox = NULL;
    uv_close((uv_handle_t *)&take->timer, on_timer_closed);
}

static void on_timer(uv_timer_t *timer)
{
    end_wait(timer->data);
}

static void on_message(void *data)
{
    struct take *take = data;
    take->message = inbox_take(take->inbox);
    end_wait(take);
}

static void take_cancel(void *op)
{
    end_wait(op);
}

static void take_release(void *op)
{
    struct take *take = op;
    free(take->message);
}

static int push_message(lua_State *L, const struct inbox_message *m)
{
    lua_pushstring(L, m->key);
    lua_pushlstring(L, m->data, m->len);
    return 2;
}

static int take_finish(lua_State *L, void *op)
{
    const struct take *take = op;
    if (take->message != NULL) return push_message(L, take->message);
    lua_pushnil(L);
    lua_pushliteral(L, "no message came in time");
    lua_pushliteral(L, "ETIMEDOUT");
    return 3;
}

/* Protected memory for a message that is there already. */
static int take_now(lua_State *L, struct inbox *box)
{
    struct inbox_message *m = inbox_take(box);
    if (m == NULL) return 0;
    int results = push_message(L, m);
    free(m);
    return results;
}

static int l_take(lua_State *L)
{
    struct inbox *box = check_inbox(L);
    lua_Integer ms = luaL_checkinteger(L, 2);
    luaL_argcheck(L, ms >= 1 && ms <= WAIT_MS_MAX, 2, "expected 1 to 86400000 milliseconds");
    int results = take_now(L, box);
    if (results > 0) return results;
    struct take *take = fiber_op_new(L, "inbox:take", sizeof *take, take_release);
    take->inbox = box;
    uv_timer_init(vm_of(L)->host->loop, &take->timer);
    take->timer.data = take;
    uv_timer_start(&take->timer, on_timer, (uint64_t)ms, 0);
    inbox_on_message(box, on_message, take);
    fiber_op_hold(take);
    return fiber_wait(L, take, take_finish, take_cancel);
}

int luaopen_inbox(lua_State *L)
{
    static const luaL_Reg functions[] = {{"open", l_open}, {"deliver", l_deliver}, {NULL, NULL}};
    static const luaL_Reg methods[] = {
        {"listen", l_listen}, {"take", l_take}, {"close", l_close}, {NULL, NULL}};
    luaL_newmetatable(L, METATABLE);
    luaL_newlib(L, methods);
    lua_setfield(L, -2, "__index");
    lua_pushcfunction(L, l_close);
    lua_setfield(L, -2, "__gc");
    lua_pushcfunction(L, l_close);
    lua_setfield(L, -2, "__close");
    luaL_newlib(L, functions);
    return 1;
}
