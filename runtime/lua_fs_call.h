/* One call of a function of the fs module: its arguments, copied out of Lua because the thread pool works on
 * them, and its results. */
#ifndef SANDSTORM_LUA_FS_CALL_H
#define SANDSTORM_LUA_FS_CALL_H

#include <lua.h>

#include "fs.h"

#define FS_CALL_SKIP_MAX 32

struct fs_call {
    struct fs_root *root;
    struct buf path, bytes; /* bytes: content, or the second path */
    uint64_t offset, limit, depth;
    bool append, replace, parents;
    struct buf skip_text; /* names, each ended by NUL */
    const char *skip[FS_CALL_SKIP_MAX];
    size_t skip_count;

    bool ok;
    struct fs_error error;
    bool created;
    uint64_t size;
    struct fs_moved moved;
    struct fs_removed removed;
    struct fs_listing listing;
    struct fs_walk_result found;
};

enum fs_option_kind { FS_OPTION_COUNT, FS_OPTION_FLAG, FS_OPTION_NAMES };

struct fs_option {
    const char *name; /* NULL ends a list */
    enum fs_option_kind kind;
    size_t member;     /* offsetof in struct fs_call; unused for names */
    lua_Integer least; /* for counts */
};

/* A new operation (fiber.h) for `function` with the path from argument 1. Raises for another type. */
struct fs_call *fs_call_new(lua_State *L, const char *function);

/* Copies the string argument at `index`; `what` says what it is in the error that is raised for another type.
 */
void fs_call_bytes(lua_State *L, int index, const char *function, const char *what, struct buf *out);

/* Reads the table of options at `index`, which may be absent. Raises for unknown names and wrong values. */
void fs_call_options(lua_State *L, int index, const char *function, const struct fs_option *options,
                     struct fs_call *call);

#endif
