/* string.find, match and gmatch (Lua 5.4 Reference Manual, 6.4) on pattern.h: as Lua's own, but a search that
 * takes long gives the loop its turns and ends with its handler. */
#include "lua_pattern.h"

#include <lauxlib.h>
#include <lualib.h>
#include <string.h>

#include "fiber.h"
#include "lua_sandbox.h"

#define STEPS 20000            /* some 50 to 100 us */
#define PLAIN_BYTES (1u << 18) /* a plain search looks at so many between two looks at the time */

void lua_pattern_begin(lua_State *L, struct pattern_search *s, const char *pattern, size_t pattern_len,
                       bool anchored)
{
    size_t len;
    const char *text = lua_tolstring(L, 1, &len);
    pattern_begin(s, text, len, pattern, pattern_len, anchored);
}

enum pattern_outcome lua_pattern_search(lua_State *L, struct pattern_search *s)
{
    enum pattern_outcome outcome;
    do
        outcome = pattern_run(s, STEPS);
    while (outcome == PATTERN_UNFINISHED && !fiber_turn_is_due(L));
    if (outcome != PATTERN_WRONG) return outcome;
    if (s->wrong_capture >= 0) luaL_error(L, "invalid capture index %%%d", s->wrong_capture);
    luaL_error(L, "%s", s->wrong);
    return outcome;
}

void lua_pattern_push(lua_State *L, const struct pattern_search *s, int index)
{
    if (index >= s->count) {
        if (index != 0) luaL_error(L, "invalid capture index %%%d", index + 1);
        lua_pushlstring(L, s->start, (size_t)(s->end - s->start));
        return;
    }
    const struct pattern_capture *capture = &s->captures[index];
    if (capture->len == PATTERN_OPEN) luaL_error(L, "unfinished capture");
    if (capture->len == PATTERN_POSITION)
        lua_pushinteger(L, capture->start - s->text + 1);
    else
        lua_pushlstring(L, capture->start, (size_t)capture->len);
}

int lua_pattern_push_all(lua_State *L, const struct pattern_search *s, bool whole)
{
    int count = s->count == 0 && whole ? 1 : s->count;
    luaL_checkstack(L, count, "too many captures");
    for (int i = 0; i < count; i++)
        lua_pattern_push(L, s, i);
    return count;
}

/* The offset that the optional argument `index` says: a position from 1, or from the end if negative. */
static size_t offset_of(lua_State *L, int index, size_t len)
{
    lua_Integer position = luaL_optinteger(L, index, 1);
    if (position > 0) return (size_t)position - 1;
    if (position == 0 || position < -(lua_Integer)len) return 0;
    return len - (size_t)-position;
}

/* ---- plain search ------------------------------------------------------------------------------------ */

struct plain {
    const char *text, *at, *end, *wanted;
    size_t wanted_len;
};

static int plain_run(lua_State *L, struct plain *p, bool kept);

static int plain_go_on(lua_State *L, int status, lua_KContext context)
{
    (void)status;
    return plain_run(L, (struct plain *)context, true);
}

static int plain_pause(lua_State *L, struct plain *p, bool kept)
{
    struct plain *copy = kept ? p : lua_newuserdatauv(L, sizeof *copy, 0);
    *copy = *p;
    return fiber_pause(L, (lua_KContext)copy, plain_go_on);
}

/* The first character is looked for before all of them: often it is not there. */
static const char *plain_search(const char *text, size_t len, const char *wanted, size_t wanted_len)
{
    if (wanted_len == 0) return text;
    const char *first = memchr(text, *wanted, len - wanted_len + 1);
    if (first == NULL || wanted_len == 1) return first;
    return memmem(first, len - (size_t)(first - text), wanted, wanted_len);
}

static int plain_run(lua_State *L, struct plain *p, bool kept)
{
    while ((size_t)(p->end - p->at) >= p->wanted_len) {
        size_t window = (size_t)(p->end - p->at);
        if (window - p->wanted_len > PLAIN_BYTES) window = PLAIN_BYTES + p->wanted_len;
        const char *found = plain_search(p->at, window, p->wanted, p->wanted_len);
        if (found != NULL) {
            lua_pushinteger(L, found - p->text + 1);
            lua_pushinteger(L, found - p->text + (lua_Integer)p->wanted_len);
            return 2;
        }
        p->at += window - p->wanted_len + 1;
        if (p->at < p->end && fiber_turn_is_due(L)) return plain_pause(L, p, kept);
    }
    luaL_pushfail(L);
    return 1;
}

/* ---- find and match ---------------------------------------------------------------------------------- */

struct lookup {
    bool find; /* or match */
    struct pattern_search search;
};

static int lookup_run(lua_State *L, struct lookup *l, bool kept);

static int lookup_go_on(lua_State *L, int status, lua_KContext context)
{
    (void)status;
    return lookup_run(L, (struct lookup *)context, true);
}

static int lookup_pause(lua_State *L, struct lookup *l, bool kept)
{
    struct lookup *copy = kept ? l : lua_newuserdatauv(L, sizeof *copy, 0);
    if (!kept) *copy = *l;
    return fiber_pause(L, (lua_KContext)copy, lookup_go_on);
}

static int lookup_run(lua_State *L, struct lookup *l, bool kept)
{
    const struct pattern_search *s = &l->search;
    enum pattern_outcome outcome = lua_pattern_search(L, &l->search);
    if (outcome == PATTERN_UNFINISHED) return lookup_pause(L, l, kept);
    if (outcome == PATTERN_NONE) {
        luaL_pushfail(L);
        return 1;
    }
    if (!l->find) return lua_pattern_push_all(L, s, true);
    lua_pushinteger(L, s->start - s->text + 1);
    lua_pushinteger(L, s->end - s->text);
    return lua_pattern_push_all(L, s, false) + 2;
}

static int look_up(lua_State *L, bool find)
{
    size_t len, pattern_len;
    const char *text = luaL_checklstring(L, 1, &len);
    const char *pattern = luaL_checklstring(L, 2, &pattern_len);
    size_t offset = offset_of(L, 3, len);
    if (offset > len) {
        luaL_pushfail(L);
        return 1;
    }
    if (find && (lua_toboolean(L, 4) || pattern_is_plain(pattern, pattern_len))) {
        struct plain p = {text, text + offset, text + len, pattern, pattern_len};
        return plain_run(L, &p, false);
    }
    struct lookup l;
    bool anchored = *pattern == '^' && pattern_len > 0;
    l.find = find;
    lua_pattern_begin(L, &l.search, pattern + anchored, pattern_len - anchored, anchored);
    pattern_again(&l.search, text + offset, NULL);
    return lookup_run(L, &l, false);
}

static int l_find(lua_State *L)
{
    return look_up(L, true);
}

static int l_match(lua_State *L)
{
    return look_up(L, false);
}

/* ---- gmatch ------------------------------------------------------------------------------------------ */

/* The iterator's upvalues: text, pattern, and this. */
struct place {
    size_t offset, refused; /* where to go on; where a match may not end */
};

#define NOT_REFUSED ((size_t)-1)

static int iterate(lua_State *L, struct pattern_search *s)
{
    enum pattern_outcome outcome = lua_pattern_search(L, s);
    if (outcome == PATTERN_NONE) return 0;
    if (outcome == PATTERN_FOUND) {
        struct place *place = lua_touserdata(L, lua_upvalueindex(3));
        place->offset = place->refused = (size_t)(s->end - s->text);
        return lua_pattern_push_all(L, s, true);
    }
    return -1;
}

static int iterate_go_on(lua_State *L, int status, lua_KContext context)
{
    (void)status;
    int results = iterate(L, (struct pattern_search *)context);
    return results >= 0 ? results : fiber_pause(L, context, iterate_go_on);
}

static int l_gmatch_next(lua_State *L)
{
    struct pattern_search s;
    size_t len, pattern_len;
    const char *text = lua_tolstring(L, lua_upvalueindex(1), &len);
    const char *pattern = lua_tolstring(L, lua_upvalueindex(2), &pattern_len);
    const struct place *place = lua_touserdata(L, lua_upvalueindex(3));
    if (place->offset > len) return 0;
    pattern_begin(&s, text, len, pattern, pattern_len, false);
    pattern_again(&s, text + place->offset, place->refused != NOT_REFUSED ? text + place->refused : NULL);
    int results = iterate(L, &s);
    if (results >= 0) return results;
    struct pattern_search *copy = lua_newuserdatauv(L, sizeof *copy, 0);
    *copy = s;
    return fiber_pause(L, (lua_KContext)copy, iterate_go_on);
}

static int l_gmatch(lua_State *L)
{
    size_t len;
    luaL_checklstring(L, 1, &len);
    luaL_checkstring(L, 2);
    size_t offset = offset_of(L, 3, len);
    lua_settop(L, 2);
    struct place *place = lua_newuserdatauv(L, sizeof *place, 0);
    *place = (struct place){.offset = offset, .refused = NOT_REFUSED};
    lua_pushcclosure(L, l_gmatch_next, 3);
    return 1;
}

void lua_sandbox_pattern(lua_State *L)
{
    static const luaL_Reg functions[] = {
        {"find", l_find}, {"gmatch", l_gmatch}, {"gsub", lua_gsub}, {"match", l_match}, {NULL, NULL}};
    lua_getglobal(L, LUA_STRLIBNAME);
    luaL_setfuncs(L, functions, 0);
    lua_pop(L, 1);
}
