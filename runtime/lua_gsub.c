/* string.gsub (Lua 5.4 Reference Manual, 6.4) on pattern.h. Its state is a record that pauses and calls of
 * the script's function outlive. */
#include <ctype.h>
#include <lauxlib.h>
#include <string.h>

#include "fiber.h"
#include "lua_output.h"
#include "lua_pattern.h"

#define TEMPLATE_STEPS 20000
#define MATCHES 500 /* between two looks at the time */

/* Stack: the arguments, and what the record needs to live on. */
enum { TEXT = 1, PATTERN, REPLACEMENT, RECORD, OUTPUT, PAUSED };

struct gsub {
    bool kept; /* in the userdata at RECORD; else on the C stack */
    bool anchored;
    int kind; /* Lua type of the replacement */
    lua_Integer made, most;
    const char *pattern, *text_end;
    size_t pattern_len;
    const char *copied;          /* the text before this is in the output, replaced or as it is */
    const char *start, *end;     /* the match that is replaced now */
    const char *rest, *rest_end; /* what is left of a string that replaces it; NULL between matches */
    bool changed;                /* something was replaced */
    unsigned since;              /* matches since the last look at the time */
    struct lua_output output;
};

struct paused {
    struct gsub *gsub;
    struct pattern_search search;
};

static int substitute(lua_State *L, struct gsub *g, struct pattern_search *s);

/* ---- the output -------------------------------------------------------------------------------------- */

static void append(lua_State *L, struct gsub *g, const char *bytes, size_t len)
{
    g->changed = true;
    lua_output_append(L, OUTPUT, &g->output, bytes, len);
}

/* What is between the last match that was replaced and this one. */
static void append_skipped(lua_State *L, struct gsub *g)
{
    append(L, g, g->copied, (size_t)(g->start - g->copied));
    g->copied = g->end;
}

/* Appends and pops a value of the script in place of the match. */
static void append_value(lua_State *L, struct gsub *g)
{
    if (lua_toboolean(L, -1)) {
        if (!lua_isstring(L, -1)) luaL_error(L, "invalid replacement value (a %s)", luaL_typename(L, -1));
        size_t len;
        const char *value = lua_tolstring(L, -1, &len);
        append_skipped(L, g);
        append(L, g, value, len);
    }
    lua_pop(L, 1);
}

static void append_capture(lua_State *L, struct gsub *g, const struct pattern_search *s, int index)
{
    size_t len;
    lua_pattern_push(L, s, index);
    const char *value = lua_tolstring(L, -1, &len);
    append(L, g, value, len);
    lua_pop(L, 1);
}

/* `c` follows a `%` of the string that replaces. */
static void append_escaped(lua_State *L, struct gsub *g, const struct pattern_search *s, char c)
{
    if (c == '%')
        append(L, g, "%", 1);
    else if (c == '0')
        append(L, g, g->start, (size_t)(g->end - g->start));
    else if (isdigit((unsigned char)c))
        append_capture(L, g, s, c - '1');
    else
        luaL_error(L, "invalid use of '%%' in replacement string");
}

/* Appends the string that replaces, with its captures; false: not done yet. */
static bool append_template(lua_State *L, struct gsub *g, const struct pattern_search *s)
{
    for (int steps = 0; steps < TEMPLATE_STEPS; steps++) {
        size_t left = (size_t)(g->rest_end - g->rest);
        const char *escape = left > 0 ? memchr(g->rest, '%', left) : NULL;
        const char *stop = escape != NULL ? escape : g->rest_end;
        append(L, g, g->rest, (size_t)(stop - g->rest));
        g->rest = NULL;
        if (escape == NULL) return true;
        append_escaped(L, g, s, escape[1]);
        g->rest = escape + 2;
    }
    return false;
}

/* ---- one match after the other ----------------------------------------------------------------------- */

/* The record where it outlives this call. */
static struct gsub *keep(lua_State *L, struct gsub *g)
{
    if (g->kept) return g;
    struct gsub *copy = lua_newuserdatauv(L, sizeof *copy, 0);
    lua_replace(L, RECORD);
    *copy = *g;
    copy->kept = true;
    return copy;
}

static int go_on(lua_State *L, int status, lua_KContext context)
{
    struct paused *p = (struct paused *)context;
    (void)status;
    return substitute(L, p->gsub, &p->search);
}

static int suspend(lua_State *L, struct gsub *g, const struct pattern_search *s)
{
    g = keep(L, g);
    struct paused *p = lua_newuserdatauv(L, sizeof *p, 0);
    p->gsub = g;
    p->search = *s;
    lua_replace(L, PAUSED);
    return fiber_pause(L, (lua_KContext)p, go_on);
}

static int called(lua_State *L, int status, lua_KContext context)
{
    struct gsub *g = (struct gsub *)context;
    struct pattern_search s;
    (void)status;
    append_value(L, g);
    lua_pattern_begin(L, &s, g->pattern, g->pattern_len, g->anchored);
    pattern_again(&s, g->end, g->end);
    return substitute(L, g, &s);
}

static void replace_by_value(lua_State *L, struct gsub *g, const struct pattern_search *s)
{
    if (g->kind == LUA_TTABLE) {
        lua_pattern_push(L, s, 0);
        lua_gettable(L, REPLACEMENT);
    } else {
        lua_pushvalue(L, REPLACEMENT);
        lua_callk(L, lua_pattern_push_all(L, s, true), 1, (lua_KContext)g, called);
    }
    append_value(L, g);
}

static void begin_template(lua_State *L, struct gsub *g)
{
    size_t len;
    append_skipped(L, g);
    g->rest = lua_tolstring(L, REPLACEMENT, &len);
    g->rest_end = g->rest + len;
}

static int finish(lua_State *L, struct gsub *g)
{
    if (g->changed) {
        append(L, g, g->copied, (size_t)(g->text_end - g->copied));
        lua_output_push(L, &g->output);
    } else {
        lua_pushvalue(L, TEXT);
    }
    lua_pushinteger(L, g->made);
    return 2;
}

/* Finds the next match, or tells that none is to be replaced. */
static enum pattern_outcome next_match(lua_State *L, struct gsub *g, struct pattern_search *s)
{
    if (g->made >= g->most || (g->anchored && g->made > 0)) return PATTERN_NONE;
    enum pattern_outcome outcome = lua_pattern_search(L, s);
    if (outcome != PATTERN_FOUND) return outcome;
    g->made++;
    g->start = s->start;
    g->end = s->end;
    if (g->kind == LUA_TSTRING) begin_template(L, g);
    return outcome;
}

/* Matches that are short take no steps to speak of, but what replaces them takes time. */
static bool is_due(lua_State *L, struct gsub *g)
{
    if (++g->since < MATCHES) return false;
    g->since = 0;
    return fiber_turn_is_due(L);
}

static int substitute(lua_State *L, struct gsub *g, struct pattern_search *s)
{
    for (;;) {
        if (g->rest == NULL) {
            if (is_due(L, g)) return suspend(L, g, s);
            enum pattern_outcome outcome = next_match(L, g, s);
            if (outcome == PATTERN_NONE) return finish(L, g);
            if (outcome == PATTERN_UNFINISHED) return suspend(L, g, s);
        }
        if (g->kind == LUA_TFUNCTION) g = keep(L, g);
        if (g->kind != LUA_TSTRING)
            replace_by_value(L, g, s);
        else if (!append_template(L, g, s) && fiber_turn_is_due(L))
            return suspend(L, g, s);
        if (g->rest == NULL) pattern_again(s, g->end, g->end);
    }
}

int lua_gsub(lua_State *L)
{
    size_t len, pattern_len;
    const char *text = luaL_checklstring(L, TEXT, &len);
    const char *pattern = luaL_checklstring(L, PATTERN, &pattern_len);
    int kind = lua_type(L, REPLACEMENT);
    lua_Integer most = luaL_optinteger(L, 4, (lua_Integer)len + 1);
    luaL_argexpected(L, lua_isstring(L, REPLACEMENT) || kind == LUA_TFUNCTION || kind == LUA_TTABLE,
                     REPLACEMENT, "string/function/table");
    struct gsub g;
    struct pattern_search s;
    lua_settop(L, REPLACEMENT);
    lua_settop(L, PAUSED);
    g.kept = g.changed = false;
    g.anchored = pattern_len > 0 && *pattern == '^';
    g.kind = kind == LUA_TNUMBER ? LUA_TSTRING : kind;
    g.made = 0;
    g.since = 0;
    g.most = most;
    g.pattern = pattern + g.anchored;
    g.pattern_len = pattern_len - g.anchored;
    g.text_end = text + len;
    g.copied = text;
    g.rest = NULL;
    lua_output_begin(&g.output);
    lua_pattern_begin(L, &s, g.pattern, g.pattern_len, g.anchored);
    return substitute(L, &g, &s);
}
