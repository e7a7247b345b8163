/* table.concat, insert, move and remove (Lua 5.4 Reference Manual, 6.6): as Lua's own, but work on many
 * elements gives the loop its turns and ends with its handler. */
#include "lua_table.h"

#include <lauxlib.h>
#include <lualib.h>

#include "fiber.h"
#include "lua_output.h"
#include "lua_sandbox.h"

#define STEPS 2048 /* elements between two looks at the time */

static void check_field(lua_State *L, int index, const char *metamethod)
{
    if (luaL_getmetafield(L, index, metamethod) == LUA_TNIL) luaL_checktype(L, index, LUA_TTABLE);
    lua_pop(L, 1);
}

void lua_check_table(lua_State *L, int index, bool read, bool write, bool length)
{
    if (lua_istable(L, index)) return;
    if (read) check_field(L, index, "__index");
    if (write) check_field(L, index, "__newindex");
    if (length) check_field(L, index, "__len");
}

/* ---- moving ------------------------------------------------------------------------------------------ */

struct move {
    int source, target; /* stack indices */
    lua_Integer from, to, count, done;
    bool backwards;
    int (*finish)(lua_State *L, const struct move *m);
};

static int move_run(lua_State *L, struct move *m, bool kept);

static int move_go_on(lua_State *L, int status, lua_KContext context)
{
    (void)status;
    return move_run(L, (struct move *)context, true);
}

static int move_pause(lua_State *L, struct move *m, bool kept)
{
    struct move *copy = kept ? m : lua_newuserdatauv(L, sizeof *copy, 0);
    *copy = *m;
    return fiber_pause(L, (lua_KContext)copy, move_go_on);
}

static int move_run(lua_State *L, struct move *m, bool kept)
{
    while (m->done < m->count) {
        lua_Integer i = m->backwards ? m->count - 1 - m->done : m->done;
        lua_geti(L, m->source, m->from + i);
        lua_seti(L, m->target, m->to + i);
        m->done++;
        if (m->done % STEPS == 0 && fiber_turn_is_due(L)) return move_pause(L, m, kept);
    }
    return m->finish(L, m);
}

static int move_finish(lua_State *L, const struct move *m)
{
    lua_pushvalue(L, m->target);
    return 1;
}

static int l_move(lua_State *L)
{
    lua_Integer first = luaL_checkinteger(L, 2), last = luaL_checkinteger(L, 3), to = luaL_checkinteger(L, 4);
    int target = lua_isnoneornil(L, 5) ? 1 : 5;
    lua_check_table(L, 1, true, false, false);
    lua_check_table(L, target, false, true, false);
    lua_settop(L, 5);
    struct move m = {.source = 1, .target = target, .from = first, .to = to, .finish = move_finish};
    if (last >= first) {
        luaL_argcheck(L, first > 0 || last < LUA_MAXINTEGER + first, 3, "too many elements to move");
        m.count = last - first + 1;
        luaL_argcheck(L, to <= LUA_MAXINTEGER - m.count + 1, 4, "destination wrap around");
        m.backwards = to > first && to <= last && (target == 1 || lua_compare(L, 1, target, LUA_OPEQ));
    }
    return move_run(L, &m, false);
}

static int insert_finish(lua_State *L, const struct move *m)
{
    lua_pushvalue(L, 3);
    lua_seti(L, 1, m->from);
    return 0;
}

static int l_insert(lua_State *L)
{
    int arguments = lua_gettop(L);
    lua_check_table(L, 1, true, true, true);
    lua_Integer end = (lua_Integer)((lua_Unsigned)luaL_len(L, 1) + 1);
    if (arguments == 2) {
        lua_seti(L, 1, end);
        return 0;
    }
    if (arguments != 3) return luaL_error(L, "wrong number of arguments to 'insert'");
    lua_Integer position = luaL_checkinteger(L, 2);
    luaL_argcheck(L, (lua_Unsigned)position - 1 < (lua_Unsigned)end, 2, "position out of bounds");
    struct move m = {.source = 1,
                     .target = 1,
                     .from = position,
                     .to = position + 1,
                     .count = end - position,
                     .backwards = true,
                     .finish = insert_finish};
    return move_run(L, &m, false);
}

static int remove_finish(lua_State *L, const struct move *m)
{
    lua_pushnil(L);
    lua_seti(L, 1, m->to + m->count);
    lua_pushvalue(L, 3);
    return 1;
}

static int l_remove(lua_State *L)
{
    lua_check_table(L, 1, true, true, true);
    lua_Integer size = luaL_len(L, 1), position = luaL_optinteger(L, 2, size);
    if (position != size)
        luaL_argcheck(L, (lua_Unsigned)position - 1 <= (lua_Unsigned)size, 2, "position out of bounds");
    lua_settop(L, 2);
    lua_geti(L, 1, position);
    struct move m = {.source = 1, .target = 1, .from = position + 1, .to = position, .finish = remove_finish};
    if (position < size) m.count = size - position;
    return move_run(L, &m, false);
}

/* ---- concat ------------------------------------------------------------------------------------------ */

/* Stack: the arguments, then what the record needs to live on. */
enum { CONCAT_OUTPUT = 5, CONCAT_RECORD };

struct concat {
    lua_Integer at, last;
    const char *separator;
    size_t separator_len;
    struct lua_output output;
};

static int concat_run(lua_State *L, struct concat *c, bool kept);

static int concat_go_on(lua_State *L, int status, lua_KContext context)
{
    (void)status;
    return concat_run(L, (struct concat *)context, true);
}

static int concat_pause(lua_State *L, struct concat *c, bool kept)
{
    struct concat *copy = kept ? c : lua_newuserdatauv(L, sizeof *copy, 0);
    if (!kept) {
        *copy = *c;
        lua_replace(L, CONCAT_RECORD);
    }
    return fiber_pause(L, (lua_KContext)copy, concat_go_on);
}

static void concat_one(lua_State *L, struct concat *c)
{
    size_t len;
    lua_geti(L, 1, c->at);
    if (!lua_isstring(L, -1))
        luaL_error(L, "invalid value (%s) at index %I in table for 'concat'", luaL_typename(L, -1),
                   (LUAI_UACINT)c->at);
    const char *text = lua_tolstring(L, -1, &len);
    lua_output_append(L, CONCAT_OUTPUT, &c->output, text, len);
    lua_pop(L, 1);
}

static int concat_run(lua_State *L, struct concat *c, bool kept)
{
    while (c->at <= c->last) {
        concat_one(L, c);
        if (c->at == c->last) break;
        lua_output_append(L, CONCAT_OUTPUT, &c->output, c->separator, c->separator_len);
        c->at++;
        if (c->at % STEPS == 0 && fiber_turn_is_due(L)) return concat_pause(L, c, kept);
    }
    lua_output_push(L, &c->output);
    return 1;
}

static int l_concat(lua_State *L)
{
    struct concat c;
    lua_check_table(L, 1, true, false, true);
    c.last = luaL_len(L, 1);
    c.separator = luaL_optlstring(L, 2, "", &c.separator_len);
    c.at = luaL_optinteger(L, 3, 1);
    c.last = luaL_optinteger(L, 4, c.last);
    lua_settop(L, CONCAT_RECORD);
    lua_output_begin(&c.output);
    return concat_run(L, &c, false);
}

void lua_sandbox_table(lua_State *L)
{
    static const luaL_Reg functions[] = {
        {"concat", l_concat}, {"insert", l_insert}, {"move", l_move}, {"remove", l_remove}, {NULL, NULL}};
    lua_getglobal(L, LUA_TABLIBNAME);
    luaL_setfuncs(L, functions, 0);
    lua_pop(L, 1);
}
