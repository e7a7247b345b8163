#include "lua_scratch.h"

#include <lauxlib.h>

struct scratch {
    struct buf buf;
    int (*fill)(lua_State *L, struct buf *scratch);
};

static int call_fill(lua_State *L)
{
    struct scratch *s = lua_touserdata(L, -1);
    lua_pop(L, 1);
    return s->fill(L, &s->buf);
}

int lua_scratch(lua_State *L, int args, int (*fill)(lua_State *L, struct buf *scratch))
{
    struct scratch s = {.buf = BUF_INIT, .fill = fill};
    int base = lua_gettop(L) - args;
    luaL_checkstack(L, 3, NULL);
    lua_pushcfunction(L, call_fill);
    lua_insert(L, base + 1);
    lua_pushlightuserdata(L, &s);
    int status = lua_pcall(L, args + 1, LUA_MULTRET, 0);
    buf_free(&s.buf);
    if (status != LUA_OK) return lua_error(L);
    return lua_gettop(L) - base;
}
