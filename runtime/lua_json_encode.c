#include "lua_json.h"

#include <inttypes.h>
#include <lauxlib.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "json.h"
#include "utf8.h"

#define PATH_BYTES 160 /* of a path that are worth showing */
#define FEW_MEMBERS 16 /* of an object, which are sorted on the stack */
#define STACK_PER_LEVEL (FEW_MEMBERS + 8)
#define RESULT_BYTES 512 /* room that most results find enough */

/* A table that is being written, and which of its values is. */
struct step {
    const void *table;
    const char *name; /* NULL: `index` counts */
    size_t name_len;
    lua_Integer index;
};

struct encoder {
    lua_State *L;
    struct buf *out;
    size_t start; /* length of `out` before */
    bool sort;
    const char *who; /* what messages begin with */
    const void *array_mark, *object_mark;
    int depth;
    size_t values;
    struct step path[JSON_DEPTH_MAX];
};

struct name {
    const char *text;
    size_t len;
    int value; /* stack index; of few names only */
};

enum kind { KIND_OBJECT, KIND_ARRAY };

static void encode_value(struct encoder *e);

static bool is_identifier(const struct step *s)
{
    static const char letters[] = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ_0123456789";
    if (s->name_len == 0 || s->name_len > PATH_BYTES || strchr("0123456789", s->name[0]) != NULL)
        return false;
    for (size_t i = 0; i < s->name_len; i++)
        if (s->name[i] == '\0' || strchr(letters, s->name[i]) == NULL) return false;
    return true;
}

static void add_step(struct buf *path, const struct step *s)
{
    if (s->name == NULL) {
        buf_printf(path, "[%" PRId64 "]", (int64_t)s->index);
    } else if (is_identifier(s)) {
        buf_byte(path, '.');
        buf_add(path, s->name, s->name_len);
    } else {
        buf_byte(path, '[');
        json_text_quote(path, s->name, s->name_len < PATH_BYTES ? s->name_len : PATH_BYTES);
        buf_byte(path, ']');
    }
}

/* Raises. What was written is dropped and its place lent to the path. */
static void fail(struct encoder *e, const char *what)
{
    struct buf *out = e->out;
    out->len = e->start;
    for (int i = 0; i < e->depth && out->len - e->start <= PATH_BYTES; i++)
        add_step(out, &e->path[i]);
    size_t len = out->len - e->start;
    bool whole = len <= PATH_BYTES;
    const char *path = out->data != NULL ? out->data + e->start : "";
    out->len = e->start;
    luaL_where(e->L, 1);
    lua_pushfstring(e->L, "%s: %s at value", e->who, what);
    lua_pushlstring(e->L, path, whole ? len : utf8_cut(path, PATH_BYTES));
    lua_pushstring(e->L, whole ? "" : "...");
    lua_concat(e->L, 4);
    lua_error(e->L);
}

/* The table that is being written is at fault, not a value in it. */
static void fail_table(struct encoder *e, const char *what)
{
    e->depth--;
    fail(e, what);
}

static void fail_type(struct encoder *e, int index)
{
    char what[64];
    snprintf(what, sizeof what, "a %s has no JSON form", luaL_typename(e->L, index));
    fail(e, what);
}

static void fail_key(struct encoder *e, int index)
{
    char what[80];
    if (lua_type(e->L, index) == LUA_TNUMBER || lua_type(e->L, index) == LUA_TSTRING)
        fail_table(e, "a table whose keys are neither all names nor 1 to n has no JSON form");
    snprintf(what, sizeof what, "a key of type %s has no JSON form", luaL_typename(e->L, index));
    fail_table(e, what);
}

static void write_integer(struct encoder *e, lua_Integer value)
{
    char digits[24], *at = digits + sizeof digits;
    uint64_t rest = value < 0 ? 0 - (uint64_t)value : (uint64_t)value;
    do
        *--at = (char)('0' + rest % 10);
    while ((rest /= 10) != 0);
    if (value < 0) *--at = '-';
    buf_add(e->out, at, (size_t)(digits + sizeof digits - at));
}

static void write_number(struct encoder *e)
{
    if (lua_isinteger(e->L, -1))
        write_integer(e, lua_tointeger(e->L, -1));
    else if (!json_text_real(e->out, lua_tonumber(e->L, -1)))
        fail(e, lua_tonumber(e->L, -1) == lua_tonumber(e->L, -1) ? "infinity has no JSON form"
                                                                 : "NaN has no JSON form");
}

static void write_string(struct encoder *e, int index)
{
    size_t len;
    const char *text = lua_tolstring(e->L, index, &len);
    json_text_quote(e->out, text, len);
}

/* The length of the table on top as an array; raises unless its keys are exactly 1..n. */
static lua_Integer array_length(struct encoder *e)
{
    lua_State *L = e->L;
    lua_Integer count = 0, last = 0;
    lua_pushnil(L);
    while (lua_next(L, -2)) {
        lua_pop(L, 1);
        if (!lua_isinteger(L, -1) || lua_tointeger(L, -1) < 1) fail_key(e, -1);
        if (lua_tointeger(L, -1) > last) last = lua_tointeger(L, -1);
        count++;
    }
    if (count != last) fail_table(e, "an array with holes has no JSON form");
    return count;
}

static enum kind kind_of(struct encoder *e)
{
    lua_State *L = e->L;
    if (lua_getmetatable(L, -1)) {
        const void *mark = lua_topointer(L, -1);
        lua_pop(L, 1);
        if (mark == e->array_mark) return KIND_ARRAY;
        if (mark == e->object_mark) return KIND_OBJECT;
    }
    lua_pushnil(L);
    if (!lua_next(L, -2)) return KIND_OBJECT;
    bool array = lua_type(L, -2) == LUA_TNUMBER;
    lua_pop(L, 2);
    return array ? KIND_ARRAY : KIND_OBJECT;
}

static void write_array(struct encoder *e, struct step *step)
{
    lua_Integer count = array_length(e);
    buf_byte(e->out, '[');
    for (lua_Integer i = 1; i <= count; i++) {
        if (i > 1) buf_byte(e->out, ',');
        step->index = i;
        lua_rawgeti(e->L, -1, i);
        encode_value(e);
        lua_pop(e->L, 1);
    }
    buf_byte(e->out, ']');
}

/* Writes a member: the name, and the value on top of the stack. */
static void write_member(struct encoder *e, struct step *step, bool first)
{
    if (!first) buf_byte(e->out, ',');
    json_text_quote(e->out, step->name, step->name_len);
    buf_byte(e->out, ':');
    encode_value(e);
}

static void write_members(struct encoder *e, struct step *step)
{
    lua_State *L = e->L;
    bool first = true;
    lua_pushnil(L);
    while (lua_next(L, -2)) {
        if (lua_type(L, -2) != LUA_TSTRING) fail_key(e, -2);
        step->name = lua_tolstring(L, -2, &step->name_len);
        write_member(e, step, first);
        lua_pop(L, 1);
        first = false;
    }
}

static int compare_names(const void *a, const void *b)
{
    const struct name *x = a, *y = b;
    int order = memcmp(x->text, y->text, x->len < y->len ? x->len : y->len);
    return order != 0 ? order : (x->len > y->len) - (x->len < y->len);
}

/* Pushes the values of the table on top and notes whose they are; false if they are more than a few. The
 * names stay alive as keys of that table. */
static bool push_few(struct encoder *e, struct name *names, size_t *count)
{
    lua_State *L = e->L;
    int table = lua_gettop(L);
    size_t n = 0;
    for (lua_pushnil(L); lua_next(L, table); lua_insert(L, -2), n++) {
        if (lua_type(L, -2) != LUA_TSTRING) fail_key(e, -2);
        if (n == FEW_MEMBERS) return false;
        names[n].text = lua_tolstring(L, -2, &names[n].len);
        names[n].value = lua_gettop(L) - 1;
    }
    *count = n;
    return true;
}

static void sort_few(struct name *names, size_t count)
{
    for (size_t i = 1; i < count; i++) {
        struct name moved = names[i];
        size_t at = i;
        for (; at > 0 && compare_names(&names[at - 1], &moved) > 0; at--)
            names[at] = names[at - 1];
        names[at] = moved;
    }
}

/* Pushes an array of the names of the table on top, sorted; they stay alive as keys of that table. */
static struct name *push_names(struct encoder *e, size_t *count)
{
    lua_State *L = e->L;
    size_t n = 0;
    for (lua_pushnil(L); lua_next(L, -2); lua_pop(L, 1)) {
        if (lua_type(L, -2) != LUA_TSTRING) fail_key(e, -2);
        n++;
    }
    struct name *names = lua_newuserdatauv(L, (n + 1) * sizeof *names, 0);
    n = 0;
    for (lua_pushnil(L); lua_next(L, -3); lua_pop(L, 1), n++)
        names[n].text = lua_tolstring(L, -2, &names[n].len);
    qsort(names, n, sizeof *names, compare_names);
    *count = n;
    return names;
}

static void write_many_sorted(struct encoder *e, struct step *step)
{
    lua_State *L = e->L;
    size_t count;
    struct name *names = push_names(e, &count);
    for (size_t i = 0; i < count; i++) {
        step->name = names[i].text;
        step->name_len = names[i].len;
        lua_pushlstring(L, step->name, step->name_len);
        lua_rawget(L, -3);
        write_member(e, step, i == 0);
        lua_pop(L, 1);
    }
    lua_pop(L, 1);
}

static void write_members_sorted(struct encoder *e, struct step *step)
{
    lua_State *L = e->L;
    struct name names[FEW_MEMBERS];
    size_t count;
    int table = lua_gettop(L);
    bool few = push_few(e, names, &count);
    if (few) sort_few(names, count);
    for (size_t i = 0; few && i < count; i++) {
        step->name = names[i].text;
        step->name_len = names[i].len;
        lua_pushvalue(L, names[i].value);
        write_member(e, step, i == 0);
        lua_pop(L, 1);
    }
    lua_settop(L, table);
    if (!few) write_many_sorted(e, step);
}

static void write_object(struct encoder *e, struct step *step)
{
    buf_byte(e->out, '{');
    if (e->sort)
        write_members_sorted(e, step);
    else
        write_members(e, step);
    buf_byte(e->out, '}');
}

static void write_table(struct encoder *e)
{
    const void *table = lua_topointer(e->L, -1);
    for (int i = 0; i < e->depth; i++)
        if (e->path[i].table == table) fail(e, "a table that contains itself has no JSON form");
    if (e->depth == JSON_DEPTH_MAX) fail(e, "nesting of more than " JSON_QUOTED(JSON_DEPTH_MAX) " levels");
    luaL_checkstack(e->L, STACK_PER_LEVEL, "json.encode");
    enum kind kind = kind_of(e);
    struct step *step = &e->path[e->depth++];
    *step = (struct step){.table = table};
    if (kind == KIND_ARRAY)
        write_array(e, step);
    else
        write_object(e, step);
    e->depth--;
}

/* Writes the value on top of the stack and leaves it there. */
static void encode_value(struct encoder *e)
{
    if (e->out->failed) luaL_error(e->L, "%s: not enough memory", e->who);
    if (++e->values > JSON_VALUES_MAX) fail(e, "more than " JSON_QUOTED(JSON_VALUES_MAX) " values");
    if (e->out->len > LUA_JSON_BYTES_MAX)
        fail(e, "a text of more than " JSON_QUOTED(LUA_JSON_BYTES_MAX) " bytes");
    switch (lua_type(e->L, -1)) {
    case LUA_TSTRING:
        write_string(e, -1);
        break;
    case LUA_TNUMBER:
        write_number(e);
        break;
    case LUA_TBOOLEAN:
        buf_puts(e->out, lua_toboolean(e->L, -1) ? "true" : "false");
        break;
    case LUA_TTABLE:
        write_table(e);
        break;
    case LUA_TLIGHTUSERDATA:
        if (lua_touserdata(e->L, -1) != NULL) fail_type(e, -1);
        buf_puts(e->out, "null");
        break;
    default:
        fail_type(e, -1);
    }
}

static const void *mark_of(lua_State *L, const void *key)
{
    lua_rawgetp(L, LUA_REGISTRYINDEX, key);
    const void *mark = lua_topointer(L, -1);
    lua_pop(L, 1);
    return mark;
}

void lua_json_write(lua_State *L, int index, bool sort, struct buf *out, const char *who)
{
    struct encoder e;
    e.L = L;
    e.out = out;
    e.start = out->len;
    e.sort = sort;
    e.who = who;
    e.depth = 0;
    e.values = 0;
    e.array_mark = mark_of(L, &lua_json_array_mark);
    e.object_mark = mark_of(L, &lua_json_object_mark);
    buf_reserve(out, RESULT_BYTES);
    lua_pushvalue(L, index);
    encode_value(&e);
    if (out->failed) luaL_error(L, "%s: not enough memory", who);
    lua_pop(L, 1);
}

static int write_protected(lua_State *L)
{
    lua_json_write(L, 2, true, lua_touserdata(L, 1), "json.encode");
    return 0;
}

bool lua_json_encode(lua_State *L, int index, struct buf *out)
{
    size_t start = out->len;
    index = lua_absindex(L, index);
    lua_pushcfunction(L, write_protected);
    lua_pushlightuserdata(L, out);
    lua_pushvalue(L, index);
    if (lua_pcall(L, 2, 0, 0) == LUA_OK) return true;
    out->len = start;
    return false;
}
