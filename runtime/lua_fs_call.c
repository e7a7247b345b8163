#include "lua_fs_call.h"

#include <lauxlib.h>
#include <stdlib.h>
#include <string.h>

#include "fiber.h"
#include "nearest.h"

static void release(void *op)
{
    struct fs_call *call = op;
    buf_free(&call->path);
    buf_free(&call->bytes);
    buf_free(&call->skip_text);
    fs_error_free(&call->error);
    free(call->moved.path);
    fs_listing_free(&call->listing);
    fs_walk_result_free(&call->found);
}

void fs_call_bytes(lua_State *L, int index, const char *function, const char *what, struct buf *out)
{
    if (lua_type(L, index) != LUA_TSTRING)
        luaL_error(L, "%s: %s expected as a string, got %s", function, what, luaL_typename(L, index));
    size_t len;
    const char *bytes = lua_tolstring(L, index, &len);
    if (!buf_add(out, bytes, len) || !buf_byte(out, '\0')) luaL_error(L, "%s: not enough memory", function);
    out->len = len;
}

struct fs_call *fs_call_new(lua_State *L, const char *function)
{
    struct fs_call *call = fiber_op_new(L, function, sizeof *call, release);
    call->root = vm_of(L)->host->workspace;
    fs_call_bytes(L, 1, function, "a path", &call->path);
    return call;
}

static void set_count(lua_State *L, const char *function, const struct fs_option *option, void *member)
{
    int whole;
    lua_Integer value = lua_type(L, -1) == LUA_TNUMBER ? lua_tointegerx(L, -1, &whole) : (whole = 0);
    if (!whole || value < option->least) {
        const char *got = lua_type(L, -1) == LUA_TNUMBER ? luaL_tolstring(L, -1, NULL) : luaL_typename(L, -1);
        luaL_error(L, "%s: option '%s' expected a whole number from %I, got %s", function, option->name,
                   option->least, got);
    }
    *(uint64_t *)member = (uint64_t)value;
}

static void set_flag(lua_State *L, const char *function, const struct fs_option *option, void *member)
{
    if (!lua_isboolean(L, -1))
        luaL_error(L, "%s: option '%s' expected a boolean, got %s", function, option->name,
                   luaL_typename(L, -1));
    *(bool *)member = lua_toboolean(L, -1);
}

static void set_names(lua_State *L, const char *function, const struct fs_option *option,
                      struct fs_call *call)
{
    if (!lua_istable(L, -1) || lua_rawlen(L, -1) > FS_CALL_SKIP_MAX)
        luaL_error(L, "%s: option '%s' expected a list of at most %d names, got %s", function, option->name,
                   FS_CALL_SKIP_MAX, luaL_typename(L, -1));
    size_t count = lua_rawlen(L, -1);
    call->skip_text.len = 0;
    for (size_t i = 1; i <= count; i++) {
        size_t len;
        if (lua_rawgeti(L, -1, (lua_Integer)i) != LUA_TSTRING)
            luaL_error(L, "%s: option '%s' expected names, got %s", function, option->name,
                       luaL_typename(L, -1));
        const char *name = lua_tolstring(L, -1, &len);
        if (!buf_add(&call->skip_text, name, len + 1)) luaL_error(L, "%s: not enough memory", function);
        lua_pop(L, 1);
    }
    const char *name = call->skip_text.data;
    for (call->skip_count = 0; call->skip_count < count; name += strlen(name) + 1)
        call->skip[call->skip_count++] = name;
}

static const struct fs_option *find_option(lua_State *L, const char *function,
                                           const struct fs_option *options)
{
    if (lua_type(L, -2) != LUA_TSTRING)
        luaL_error(L, "%s: options expected with names, got a %s as key", function, luaL_typename(L, -2));
    const char *name = lua_tostring(L, -2);
    struct nearest near = NEAREST_INIT(name);
    for (const struct fs_option *o = options; o->name != NULL; o++) {
        if (strcmp(o->name, name) == 0) return o;
        nearest_offer(&near, o->name);
    }
    luaL_error(L, "%s: unknown option '%s'; the nearest is '%s'", function, name, near.name);
    return NULL;
}

void fs_call_options(lua_State *L, int index, const char *function, const struct fs_option *options,
                     struct fs_call *call)
{
    if (lua_isnoneornil(L, index)) return;
    if (!lua_istable(L, index))
        luaL_error(L, "%s: options expected as a table, got %s", function, luaL_typename(L, index));
    lua_pushnil(L);
    while (lua_next(L, index) != 0) {
        const struct fs_option *option = find_option(L, function, options);
        void *member = (char *)call + option->member;
        if (option->kind == FS_OPTION_COUNT)
            set_count(L, function, option, member);
        else if (option->kind == FS_OPTION_FLAG)
            set_flag(L, function, option, member);
        else
            set_names(L, function, option, call);
        lua_settop(L, lua_absindex(L, -2));
    }
}
