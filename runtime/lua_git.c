/* The Lua face of the git engine; documented in lib/_meta/git.lua. */
#include <lauxlib.h>

#include "fiber.h"
#include "git.h"
#include "lua_modules.h"

#define COUNT_MAX 1000

struct repo_call {
    struct fs_root *root;
    struct buf path;
    unsigned count;
    bool ok;
    struct buf out;
    struct repo_place place;
    struct repo_error error;
    char refusal[REPO_REFUSAL_SIZE];
};

static void release(void *op)
{
    struct repo_call *call = op;
    buf_free(&call->path);
    buf_free(&call->out);
    repo_place_free(&call->place);
}

/* A new operation with the path from argument 1. */
static struct repo_call *new_call(lua_State *L, const char *function)
{
    if (lua_type(L, 1) != LUA_TSTRING)
        luaL_error(L, "%s: a path expected as a string, got %s", function, luaL_typename(L, 1));
    size_t len;
    const char *path = lua_tolstring(L, 1, &len);
    struct repo_call *call = fiber_op_new(L, function, sizeof *call, release);
    if (!buf_add(&call->path, path, len + 1)) luaL_error(L, "%s: not enough memory", function);
    call->path.len = len;
    call->root = vm_of(L)->host->workspace;
    return call;
}

/* ---- where a repository lies ------------------------------------------------------------------------- */

static void work_locate(void *op)
{
    struct repo_call *c = op;
    c->ok = repo_locate(c->root, c->path.data, c->path.len, &c->place, &c->error);
}

static void set_string(lua_State *L, const char *key, const char *value)
{
    lua_pushstring(L, value);
    lua_setfield(L, -2, key);
}

static int finish_locate(lua_State *L, void *op)
{
    struct repo_call *call = op;
    if (!call->ok) {
        luaL_pushfail(L);
        lua_pushstring(L, call->error.message);
        lua_pushstring(L, call->error.code);
        return 3;
    }
    lua_createtable(L, 0, 3);
    set_string(L, "directory", call->place.directory);
    set_string(L, "git_dir", call->place.git_dir);
    set_string(L, "common_dir", call->place.common_dir);
    return 1;
}

static int l_locate(lua_State *L)
{
    return fiber_work(L, new_call(L, "git.locate"), work_locate, finish_locate);
}

/* ---- what it holds ----------------------------------------------------------------------------------- */

static int finish_lines(lua_State *L, void *op)
{
    struct repo_call *call = op;
    if (!call->ok) {
        luaL_pushfail(L);
        lua_pushstring(L, call->refusal);
        return 2;
    }
    lua_pushlstring(L, call->out.len > 0 ? call->out.data : "", call->out.len);
    return 1;
}

static void work_history(void *op)
{
    struct repo_call *c = op;
    c->ok = repo_history(c->root, c->path.data, c->path.len, c->count, &c->out, c->refusal);
}

static int l_history(lua_State *L)
{
    lua_settop(L, 2);
    struct repo_call *call = new_call(L, "git.history");
    int whole = 0;
    lua_Integer count = lua_type(L, 2) == LUA_TNUMBER ? lua_tointegerx(L, 2, &whole) : 0;
    if (!whole || count < 1 || count > COUNT_MAX)
        return luaL_error(L, "git.history: a whole number from 1 to %d expected, got %s", COUNT_MAX,
                          luaL_tolstring(L, 2, NULL));
    call->count = (unsigned)count;
    return fiber_work(L, call, work_history, finish_lines);
}

static void work_branches(void *op)
{
    struct repo_call *c = op;
    c->ok = repo_branches(c->root, c->path.data, c->path.len, &c->out, c->refusal);
}

static int l_branches(lua_State *L)
{
    return fiber_work(L, new_call(L, "git.branches"), work_branches, finish_lines);
}

static void work_plain(void *op)
{
    struct repo_call *c = op;
    c->ok = repo_status_is_plain(c->root, c->path.data, c->path.len, c->refusal);
}

static int finish_plain(lua_State *L, void *op)
{
    struct repo_call *call = op;
    lua_pushboolean(L, call->ok);
    if (call->ok) return 1;
    lua_pushstring(L, call->refusal);
    return 2;
}

static int l_plain_status(lua_State *L)
{
    return fiber_work(L, new_call(L, "git.plain_status"), work_plain, finish_plain);
}

int luaopen_git(lua_State *L)
{
    static const luaL_Reg functions[] = {{"branches", l_branches},
                                         {"history", l_history},
                                         {"locate", l_locate},
                                         {"plain_status", l_plain_status},
                                         {NULL, NULL}};
    luaL_newlib(L, functions);
    return 1;
}
