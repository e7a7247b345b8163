/* table.sort (Lua 5.4 Reference Manual, 6.6): pauses between two comparisons and in them. A merge sort on two
 * arrays of its own: n log2 n comparisons at most, whatever the order function says, equal elements keep
 * their order, and if the function raises, the script's table is as it was. */
#include <lauxlib.h>
#include <limits.h>
#include <lualib.h>

#include "fiber.h"
#include "lua_sandbox.h"
#include "lua_table.h"

#define STEPS 1024 /* elements between two looks at the time */
#define ON_STACK_MAX                                                                                         \
    256 /* arrays of so many elements are on the stack, from BASE; longer ones are tables                    \
         */

/* Stack; a pass merges runs of the source into the target. */
enum { TABLE = 1, FUNCTION, RECORD, SOURCE, TARGET, BASE };

struct sort {
    enum { LOAD, MERGE, STORE } phase;
    unsigned steps;
    bool on_stack;
    int source, target;       /* on the stack: index before the first element */
    lua_Integer count, width; /* of a run */
    lua_Integer left, left_end, right, right_end, out;
};

static lua_Integer least(lua_Integer a, lua_Integer b)
{
    return a < b ? a : b;
}

static void begin_pair(struct sort *s, lua_Integer first)
{
    s->out = s->left = first;
    s->left_end = s->right = least(first + s->width, s->count + 1);
    s->right_end = least(s->right + s->width, s->count + 1);
}

static void swap(lua_State *L, struct sort *s)
{
    int source = s->source;
    s->source = s->target;
    s->target = source;
    if (s->on_stack) return;
    lua_pushvalue(L, SOURCE);
    lua_copy(L, TARGET, SOURCE);
    lua_replace(L, TARGET);
}

/* `out` is one behind what the last phase, pass or pair has done. */
static void advance(lua_State *L, struct sort *s)
{
    if (s->phase == MERGE && s->out <= s->count) {
        begin_pair(s, s->out);
        return;
    }
    if (s->phase == MERGE) {
        s->width *= 2;
        swap(L, s);
    }
    s->phase = s->width < s->count ? MERGE : STORE;
    begin_pair(s, 1);
}

static void push(lua_State *L, const struct sort *s, lua_Integer i)
{
    if (s->on_stack)
        lua_pushvalue(L, s->source + (int)i);
    else
        lua_rawgeti(L, SOURCE, i);
}

static void take(lua_State *L, struct sort *s, bool right)
{
    lua_Integer from = right ? s->right++ : s->left++, to = s->out++;
    if (s->on_stack) {
        lua_copy(L, s->source + (int)from, s->target + (int)to);
    } else {
        lua_rawgeti(L, SOURCE, from);
        lua_rawseti(L, TARGET, to);
    }
}

static void load_one(lua_State *L, struct sort *s)
{
    lua_geti(L, TABLE, s->out);
    if (s->on_stack)
        lua_replace(L, s->source + (int)s->out);
    else
        lua_rawseti(L, SOURCE, s->out);
    s->out++;
}

static void store_one(lua_State *L, struct sort *s)
{
    push(L, s, s->out);
    lua_seti(L, TABLE, s->out++);
}

static int sort_run(lua_State *L, struct sort *s);

static int compared(lua_State *L, int status, lua_KContext context)
{
    struct sort *s = (struct sort *)context;
    (void)status;
    bool right = lua_toboolean(L, -1);
    lua_pop(L, 1);
    take(L, s, right);
    return sort_run(L, s);
}

/* Whether the first element of the right run has to stand before that of the left one. */
static bool right_is_less(lua_State *L, struct sort *s)
{
    bool by_function = !lua_isnil(L, FUNCTION), less;
    if (s->on_stack && !by_function)
        return lua_compare(L, s->source + (int)s->right, s->source + (int)s->left, LUA_OPLT);
    if (by_function) lua_pushvalue(L, FUNCTION);
    push(L, s, s->right);
    push(L, s, s->left);
    if (by_function) {
        lua_callk(L, 2, 1, (lua_KContext)s, compared);
        less = lua_toboolean(L, -1);
        lua_pop(L, 1);
    } else {
        less = lua_compare(L, -2, -1, LUA_OPLT);
        lua_pop(L, 2);
    }
    return less;
}

static void merge_one(lua_State *L, struct sort *s)
{
    if (s->left == s->left_end && s->right == s->right_end)
        advance(L, s);
    else if (s->left == s->left_end || s->right == s->right_end)
        take(L, s, s->left == s->left_end);
    else
        take(L, s, right_is_less(L, s));
}

static int sort_go_on(lua_State *L, int status, lua_KContext context)
{
    (void)status;
    return sort_run(L, (struct sort *)context);
}

static int sort_run(lua_State *L, struct sort *s)
{
    for (;;) {
        if (++s->steps % STEPS == 0 && fiber_turn_is_due(L))
            return fiber_pause(L, (lua_KContext)s, sort_go_on);
        if (s->phase == MERGE) {
            merge_one(L, s);
        } else if (s->out > s->count) {
            if (s->phase == STORE) return 0;
            advance(L, s);
        } else if (s->phase == LOAD) {
            load_one(L, s);
        } else {
            store_one(L, s);
        }
    }
}

static void make_arrays(lua_State *L, struct sort *s)
{
    int count = (int)s->count;
    s->on_stack = count <= ON_STACK_MAX;
    lua_settop(L, RECORD);
    if (s->on_stack) {
        s->source = BASE;
        s->target = BASE + count;
        luaL_checkstack(L, 2 * count + LUA_MINSTACK, "table.sort");
        lua_settop(L, BASE + 2 * count);
        return;
    }
    int size = lua_istable(L, TABLE) ? (int)least(count, (lua_Integer)lua_rawlen(L, TABLE)) : 0;
    lua_createtable(L, size, 0);
    lua_createtable(L, size, 0);
    lua_settop(L, BASE);
}

static int l_sort(lua_State *L)
{
    lua_check_table(L, TABLE, true, true, true);
    lua_Integer count = luaL_len(L, TABLE);
    if (count < 2) return 0;
    luaL_argcheck(L, count < INT_MAX, TABLE, "array too big");
    if (!lua_isnoneornil(L, FUNCTION)) luaL_checktype(L, FUNCTION, LUA_TFUNCTION);
    lua_settop(L, FUNCTION);
    struct sort *s = lua_newuserdatauv(L, sizeof *s, 0);
    *s = (struct sort){.phase = LOAD, .count = count, .width = 1, .out = 1};
    make_arrays(L, s);
    return sort_run(L, s);
}

void lua_sandbox_sort(lua_State *L)
{
    lua_getglobal(L, LUA_TABLIBNAME);
    lua_pushcfunction(L, l_sort);
    lua_setfield(L, -2, "sort");
    lua_pop(L, 1);
}
