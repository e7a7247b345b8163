#include "lua_process_marked.h"

#include <lauxlib.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>

#include "buf.h"
#include "fiber.h"
#include "process_marked.h"

#define FUNCTION "process.signal_marked"

struct search {
    struct buf text; /* the name and the values, each ended by NUL */
    const char **values;
    size_t count;
    int signal;
    unsigned found;
};

static void release(void *op)
{
    struct search *search = op;
    buf_free(&search->text);
    free(search->values);
}

static void work(void *op)
{
    struct search *search = op;
    const char *at = search->text.data;
    for (size_t i = 0; i < search->count; i++)
        search->values[i] = at += strlen(at) + 1;
    const struct process_mark mark = {search->text.data, search->values, search->count, 0};
    search->found = process_marked_signal(&mark, search->signal);
}

static int finish(lua_State *L, void *op)
{
    lua_pushinteger(L, ((struct search *)op)->found);
    return 1;
}

static void add_word(lua_State *L, int index, const char *what, struct buf *out)
{
    size_t len;
    if (lua_type(L, index) != LUA_TSTRING)
        luaL_error(L, FUNCTION ": %s: expected a string, got %s", what, luaL_typename(L, index));
    const char *word = lua_tolstring(L, index, &len);
    if (len == 0 || strlen(word) != len) luaL_error(L, FUNCTION ": %s: expected text without NUL", what);
    if (!buf_add(out, word, len + 1)) luaL_error(L, FUNCTION ": not enough memory");
}

static int check_signal(lua_State *L)
{
    static const char *const names[] = {"0", "TERM", "KILL", NULL};
    static const int numbers[] = {0, SIGTERM, SIGKILL};
    return numbers[luaL_checkoption(L, 3, NULL, names)];
}

int lua_process_signal_marked(lua_State *L)
{
    lua_settop(L, 3);
    struct search *search = fiber_op_new(L, FUNCTION, sizeof *search, release);
    search->signal = check_signal(L);
    add_word(L, 1, "name", &search->text);
    luaL_checktype(L, 2, LUA_TTABLE);
    search->count = lua_rawlen(L, 2);
    search->values = calloc(search->count + 1, sizeof *search->values);
    if (search->values == NULL) return luaL_error(L, FUNCTION ": not enough memory");
    for (size_t i = 1; i <= search->count; i++) {
        lua_rawgeti(L, 2, (lua_Integer)i);
        add_word(L, -1, "values", &search->text);
        lua_pop(L, 1);
    }
    return fiber_work(L, search, work, finish);
}
