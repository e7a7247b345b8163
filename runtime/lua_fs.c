/* The Lua face of the file engine; documented in lib/_meta/fs.lua. */
#include <lauxlib.h>
#include <stdlib.h>
#include <string.h>

#include "fiber.h"
#include "lua_fs_call.h"
#include "lua_modules.h"
#include "lua_scratch.h"

#define LIST_LIMIT 100000
#define TREE_LIMIT 10000
#define WALK_LIMIT 500
#define WALK_DEPTH 5

static int fail(lua_State *L, const struct fs_error *error)
{
    luaL_pushfail(L);
    lua_pushstring(L, fs_error_text(error));
    lua_pushstring(L, error->code);
    if (error->path == NULL) return 3;
    lua_pushstring(L, error->path);
    return 4;
}

static void set_integer(lua_State *L, const char *key, uint64_t value)
{
    lua_pushinteger(L, (lua_Integer)value);
    lua_setfield(L, -2, key);
}

static void set_string(lua_State *L, const char *key, const char *value)
{
    lua_pushstring(L, value);
    lua_setfield(L, -2, key);
}

static void set_boolean(lua_State *L, const char *key, bool value)
{
    lua_pushboolean(L, value);
    lua_setfield(L, -2, key);
}

static int finish_true(lua_State *L, void *op)
{
    struct fs_call *call = op;
    if (!call->ok) return fail(L, &call->error);
    lua_pushboolean(L, true);
    return 1;
}

/* ---- paths ------------------------------------------------------------------------------------------- */

static int l_root(lua_State *L)
{
    lua_pushstring(L, fs_root_path(vm_of(L)->host->workspace));
    return 1;
}

static int fill_resolve(lua_State *L, struct buf *scratch)
{
    struct fs_error error = FS_ERROR_INIT;
    size_t len;
    const char *text = lua_tolstring(L, 1, &len);
    char *path = fs_resolve(vm_of(L)->host->workspace, text, len, &error);
    const char *result = path != NULL ? path : fs_error_text(&error);
    bool copied = buf_add(scratch, result, strlen(result));
    const char *code = error.code;
    free(path);
    fs_error_free(&error);
    if (!copied) return luaL_error(L, "fs.resolve: not enough memory");
    if (code != NULL) luaL_pushfail(L);
    lua_pushlstring(L, scratch->data, scratch->len);
    if (code == NULL) return 1;
    lua_pushstring(L, code);
    return 3;
}

static int l_resolve(lua_State *L)
{
    if (lua_type(L, 1) != LUA_TSTRING)
        return luaL_error(L, "fs.resolve: a path expected as a string, got %s", luaL_typename(L, 1));
    lua_settop(L, 1);
    return lua_scratch(L, 1, fill_resolve);
}

/* ---- content ----------------------------------------------------------------------------------------- */

static void work_read(void *op)
{
    struct fs_call *c = op;
    c->ok = fs_read(c->root, c->path.data, c->path.len, c->offset, c->limit, &c->bytes, &c->size, &c->error);
}

static int finish_read(lua_State *L, void *op)
{
    struct fs_call *call = op;
    if (!call->ok) return fail(L, &call->error);
    lua_pushlstring(L, call->bytes.data == NULL ? "" : call->bytes.data, call->bytes.len);
    lua_createtable(L, 0, 1);
    set_integer(L, "size", call->size);
    return 2;
}

static int l_read(lua_State *L)
{
    static const struct fs_option options[] = {
        {"offset", FS_OPTION_COUNT, offsetof(struct fs_call, offset), 0},
        {"limit", FS_OPTION_COUNT, offsetof(struct fs_call, limit), 1},
        {NULL, FS_OPTION_COUNT, 0, 0},
    };
    lua_settop(L, 2);
    struct fs_call *call = fs_call_new(L, "fs.read");
    fs_call_options(L, 2, "fs.read", options, call);
    return fiber_work(L, call, work_read, finish_read);
}

static void work_write(void *op)
{
    struct fs_call *c = op;
    c->ok = (c->append ? fs_append : fs_write)(c->root, c->path.data, c->path.len, c->bytes.data,
                                               c->bytes.len, &c->created, &c->error);
}

static int finish_write(lua_State *L, void *op)
{
    struct fs_call *call = op;
    if (!call->ok) return fail(L, &call->error);
    lua_createtable(L, 0, 2);
    set_integer(L, "bytes", call->bytes.len);
    set_boolean(L, "created", call->created);
    return 1;
}

static int l_write(lua_State *L)
{
    static const struct fs_option options[] = {
        {"append", FS_OPTION_FLAG, offsetof(struct fs_call, append), 0},
        {NULL, FS_OPTION_COUNT, 0, 0},
    };
    lua_settop(L, 3);
    struct fs_call *call = fs_call_new(L, "fs.write");
    fs_call_bytes(L, 2, "fs.write", "content", &call->bytes);
    fs_call_options(L, 3, "fs.write", options, call);
    return fiber_work(L, call, work_write, finish_write);
}

/* ---- names ------------------------------------------------------------------------------------------- */

static void work_remove(void *op)
{
    struct fs_call *c = op;
    c->ok = fs_remove(c->root, c->path.data, c->path.len, &c->error);
}

static int l_remove(lua_State *L)
{
    lua_settop(L, 1);
    struct fs_call *call = fs_call_new(L, "fs.remove");
    return fiber_work(L, call, work_remove, finish_true);
}

static void work_remove_tree(void *op)
{
    struct fs_call *c = op;
    c->ok = fs_remove_tree(c->root, c->path.data, c->path.len, c->limit, &c->removed, &c->error);
}

static int finish_remove_tree(lua_State *L, void *op)
{
    struct fs_call *call = op;
    if (!call->ok) return fail(L, &call->error);
    lua_createtable(L, 0, 2);
    set_integer(L, "entries", call->removed.entries);
    set_boolean(L, "complete", call->removed.complete);
    return 1;
}

static int l_remove_tree(lua_State *L)
{
    static const struct fs_option options[] = {
        {"limit", FS_OPTION_COUNT, offsetof(struct fs_call, limit), 1},
        {NULL, FS_OPTION_COUNT, 0, 0},
    };
    lua_settop(L, 2);
    struct fs_call *call = fs_call_new(L, "fs.remove_tree");
    call->limit = TREE_LIMIT;
    fs_call_options(L, 2, "fs.remove_tree", options, call);
    return fiber_work(L, call, work_remove_tree, finish_remove_tree);
}

static void work_move(void *op)
{
    struct fs_call *c = op;
    c->ok = fs_move(c->root, c->path.data, c->path.len, c->bytes.data, c->bytes.len, c->replace, &c->moved,
                    &c->error);
}

static int finish_move(lua_State *L, void *op)
{
    struct fs_call *call = op;
    if (!call->ok) return fail(L, &call->error);
    lua_pushstring(L, call->moved.path);
    lua_pushboolean(L, call->moved.replaced);
    return 2;
}

static int l_move(lua_State *L)
{
    static const struct fs_option options[] = {
        {"replace", FS_OPTION_FLAG, offsetof(struct fs_call, replace), 0},
        {NULL, FS_OPTION_COUNT, 0, 0},
    };
    lua_settop(L, 3);
    struct fs_call *call = fs_call_new(L, "fs.move");
    fs_call_bytes(L, 2, "fs.move", "a path to move to", &call->bytes);
    call->replace = true;
    fs_call_options(L, 3, "fs.move", options, call);
    return fiber_work(L, call, work_move, finish_move);
}

static void work_mkdir(void *op)
{
    struct fs_call *c = op;
    c->ok = fs_mkdir(c->root, c->path.data, c->path.len, c->parents, &c->created, &c->error);
}

static int finish_mkdir(lua_State *L, void *op)
{
    struct fs_call *call = op;
    int count = finish_true(L, op);
    if (!call->ok) return count;
    lua_pushboolean(L, call->created);
    return 2;
}

static int l_mkdir(lua_State *L)
{
    static const struct fs_option options[] = {
        {"parents", FS_OPTION_FLAG, offsetof(struct fs_call, parents), 0},
        {NULL, FS_OPTION_COUNT, 0, 0},
    };
    lua_settop(L, 2);
    struct fs_call *call = fs_call_new(L, "fs.mkdir");
    call->parents = true;
    fs_call_options(L, 2, "fs.mkdir", options, call);
    return fiber_work(L, call, work_mkdir, finish_mkdir);
}

/* ---- listings ---------------------------------------------------------------------------------------- */

static void push_entry(lua_State *L, const struct fs_entry *e)
{
    lua_createtable(L, 0, 12);
    set_string(L, "name", e->name);
    set_string(L, "type", e->type);
    set_integer(L, "mode", e->mode);
    set_integer(L, "nlink", e->nlink);
    set_integer(L, "uid", e->uid);
    set_integer(L, "gid", e->gid);
    set_string(L, "user", e->user);
    set_string(L, "group", e->group);
    set_integer(L, "size", e->size);
    set_integer(L, "mtime", (uint64_t)e->mtime);
    if (e->target != NULL) set_string(L, "target", e->target);
    if (strcmp(e->type, "char") != 0 && strcmp(e->type, "block") != 0) return;
    set_integer(L, "major", e->major);
    set_integer(L, "minor", e->minor);
}

static void work_list(void *op)
{
    struct fs_call *c = op;
    c->ok = fs_list(c->root, c->path.data, c->path.len, (size_t)c->limit, &c->listing, &c->error);
}

static int finish_list(lua_State *L, void *op)
{
    struct fs_call *call = op;
    const struct fs_listing *listing = &call->listing;
    if (!call->ok) return fail(L, &call->error);
    lua_createtable(L, 0, 5);
    set_string(L, "path", listing->path);
    set_string(L, "kind", listing->is_directory ? "directory" : listing->entries[0].type);
    set_integer(L, "blocks", listing->blocks);
    set_boolean(L, "truncated", listing->truncated);
    lua_createtable(L, (int)listing->count, 0);
    for (size_t i = 0; i < listing->count; i++) {
        push_entry(L, &listing->entries[i]);
        lua_rawseti(L, -2, (lua_Integer)i + 1);
    }
    lua_setfield(L, -2, "entries");
    return 1;
}

static int l_list(lua_State *L)
{
    static const struct fs_option options[] = {
        {"limit", FS_OPTION_COUNT, offsetof(struct fs_call, limit), 1},
        {NULL, FS_OPTION_COUNT, 0, 0},
    };
    lua_settop(L, 2);
    struct fs_call *call = fs_call_new(L, "fs.list");
    call->limit = LIST_LIMIT;
    fs_call_options(L, 2, "fs.list", options, call);
    return fiber_work(L, call, work_list, finish_list);
}

static void work_stat(void *op)
{
    struct fs_call *c = op;
    c->ok = fs_stat(c->root, c->path.data, c->path.len, &c->listing, &c->error);
}

static int finish_stat(lua_State *L, void *op)
{
    struct fs_call *call = op;
    if (!call->ok) return fail(L, &call->error);
    push_entry(L, &call->listing.entries[0]);
    set_string(L, "path", call->listing.path);
    return 1;
}

static int l_stat(lua_State *L)
{
    lua_settop(L, 1);
    struct fs_call *call = fs_call_new(L, "fs.stat");
    return fiber_work(L, call, work_stat, finish_stat);
}

static void work_walk(void *op)
{
    struct fs_call *c = op;
    const struct fs_walk_options options = {
        .depth = (unsigned)(c->depth < FS_DEPTH_MAX ? c->depth : FS_DEPTH_MAX),
        .limit = (size_t)c->limit,
        .skip = c->skip,
        .skip_count = c->skip_count,
    };
    c->ok = fs_walk(c->root, c->path.data, c->path.len, &options, &c->found, &c->error);
}

static void set_list(lua_State *L, const char *key, char *const *items, size_t count)
{
    lua_createtable(L, (int)count, 0);
    for (size_t i = 0; i < count; i++) {
        lua_pushstring(L, items[i]);
        lua_rawseti(L, -2, (lua_Integer)i + 1);
    }
    lua_setfield(L, -2, key);
}

static int finish_walk(lua_State *L, void *op)
{
    struct fs_call *call = op;
    const struct fs_walk_result *found = &call->found;
    if (!call->ok) return fail(L, &call->error);
    lua_createtable(L, 0, 4);
    set_list(L, "paths", found->paths, found->count);
    set_list(L, "unreadable", found->unreadable, found->unreadable_count);
    set_boolean(L, "truncated", found->truncated);
    set_boolean(L, "deeper", found->deeper);
    return 1;
}

static int l_walk(lua_State *L)
{
    static const struct fs_option options[] = {
        {"depth", FS_OPTION_COUNT, offsetof(struct fs_call, depth), 0},
        {"limit", FS_OPTION_COUNT, offsetof(struct fs_call, limit), 1},
        {"skip", FS_OPTION_NAMES, 0, 0},
        {NULL, FS_OPTION_COUNT, 0, 0},
    };
    lua_settop(L, 2);
    struct fs_call *call = fs_call_new(L, "fs.walk");
    call->depth = WALK_DEPTH;
    call->limit = WALK_LIMIT;
    call->skip[call->skip_count++] = ".git";
    call->skip[call->skip_count++] = "node_modules";
    fs_call_options(L, 2, "fs.walk", options, call);
    return fiber_work(L, call, work_walk, finish_walk);
}

int luaopen_fs(lua_State *L)
{
    static const luaL_Reg functions[] = {
        {"list", l_list},       {"mkdir", l_mkdir},   {"move", l_move},
        {"read", l_read},       {"remove", l_remove}, {"remove_tree", l_remove_tree},
        {"resolve", l_resolve}, {"root", l_root},     {"stat", l_stat},
        {"walk", l_walk},       {"write", l_write},   {NULL, NULL}};
    luaL_newlib(L, functions);
    return 1;
}
