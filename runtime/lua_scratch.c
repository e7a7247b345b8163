#include "lua_scratch.h"

#include <lauxlib.h>

#define KEPT_BYTES 65536 /* a text of more gives its room back */

static const char kept_key = 'b'; /* registry: the buffer of lua_scratch_kept */

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

static int kept_gc(lua_State *L)
{
    buf_free(lua_touserdata(L, 1));
    return 0;
}

static struct buf *new_kept(lua_State *L)
{
    struct buf *kept = lua_newuserdatauv(L, sizeof *kept, 0);
    *kept = (struct buf)BUF_INIT;
    lua_createtable(L, 0, 1);
    lua_pushcfunction(L, kept_gc);
    lua_setfield(L, -2, "__gc");
    lua_setmetatable(L, -2);
    lua_rawsetp(L, LUA_REGISTRYINDEX, &kept_key);
    return kept;
}

struct buf *lua_scratch_kept(lua_State *L)
{
    lua_rawgetp(L, LUA_REGISTRYINDEX, &kept_key);
    struct buf *kept = lua_touserdata(L, -1);
    lua_pop(L, 1);
    if (kept == NULL) return new_kept(L);
    if (kept->cap > KEPT_BYTES)
        buf_free(kept);
    else
        buf_clear(kept);
    return kept;
}
