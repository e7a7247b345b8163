/* The decoder: JSON text straight into Lua values (RFC 8259). A tree in between, as libraries build it, would
 * cost more than all the rest of a small call, and hold the loop for long where a body is large. */
#include <lauxlib.h>
#include <math.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "json.h"
#include "lua_json.h"
#include "utf8.h"

#define NUMBER_BYTES_MAX 1024

struct reader {
    lua_State *L;
    const char *start, *at, *end;
    const char *reason; /* what is wrong at `at`; NULL while nothing is */
    size_t depth, values, values_max;
    int array_mark; /* stack index */
};

static bool read_value(struct reader *r);

static bool fail(struct reader *r, const char *at, const char *reason)
{
    r->at = at;
    r->reason = reason;
    return false;
}

static void skip_blanks(struct reader *r)
{
    while (r->at < r->end && (*r->at == ' ' || *r->at == '\n' || *r->at == '\r' || *r->at == '\t'))
        r->at++;
}

/* ---- strings ----------------------------------------------------------------------------------------- */

/* The closing quote of the string that goes on at `at`; NULL (with the reason) where there is none. */
static const char *find_end(struct reader *r, const char *at, bool *wide, bool *escaped)
{
    for (;;) {
        at = json_text_special(at, r->end, wide);
        if (at < r->end && *at == '"') return at;
        if (at == r->end || *at != '\\') break;
        *escaped = true;
        if (++at == r->end) break;
        at++;
    }
    fail(r, at, at >= r->end ? "the string does not end" : "control character in a string");
    return NULL;
}

static bool push_escaped(struct reader *r, const char *at, const char *end)
{
    luaL_Buffer b;
    char *text = luaL_buffinitsize(r->L, &b, (size_t)(end - at));
    const char *wrong = NULL;
    size_t len = json_text_unescape(text, at, end, &wrong);
    luaL_pushresultsize(&b, len);
    return wrong == NULL || fail(r, wrong, "wrong escape, or half a surrogate pair");
}

/* `at` is the opening quote. */
static bool read_string(struct reader *r)
{
    bool wide = false, escaped = false;
    const char *text = r->at + 1, *end = find_end(r, text, &wide, &escaped);
    if (end == NULL) return false;
    size_t len = (size_t)(end - text);
    if (wide) {
        size_t valid = utf8_valid_length(text, len);
        if (valid < len) return fail(r, text + valid, "not UTF-8");
    }
    if (!escaped)
        lua_pushlstring(r->L, text, len);
    else if (!push_escaped(r, text, end))
        return false;
    r->at = end + 1;
    return true;
}

/* ---- numbers ----------------------------------------------------------------------------------------- */

static const char *skip_digits(const char *at, const char *end)
{
    while (at < end && *at >= '0' && *at <= '9')
        at++;
    return at;
}

/* The end of the number at `at`, or NULL; `real` is set for a fraction or an exponent. */
static const char *number_end(const char *at, const char *end, bool *real)
{
    const char *digits = at < end && *at == '-' ? at + 1 : at;
    at = skip_digits(digits, end);
    if (at == digits || (*digits == '0' && at - digits > 1)) return NULL;
    if (at < end && *at == '.') {
        *real = true;
        digits = at + 1;
        at = skip_digits(digits, end);
        if (at == digits) return NULL;
    }
    if (at < end && (*at == 'e' || *at == 'E')) {
        *real = true;
        digits = at + 1;
        if (digits < end && (*digits == '+' || *digits == '-')) digits++;
        at = skip_digits(digits, end);
        if (at == digits) return NULL;
    }
    return at;
}

static bool push_integer(struct reader *r, const char *end)
{
    bool negative = *r->at == '-';
    uint64_t value = 0, limit = (uint64_t)INT64_MAX + negative;
    for (const char *at = r->at + negative; at < end; at++) {
        uint64_t digit = (uint64_t)(*at - '0');
        if (value > (limit - digit) / 10) return fail(r, r->at, "integer beyond 64 bits");
        value = value * 10 + digit;
    }
    lua_pushinteger(r->L, (lua_Integer)(negative ? 0 - value : value));
    return true;
}

static bool push_real(struct reader *r, const char *end)
{
    char text[NUMBER_BYTES_MAX + 1];
    size_t len = (size_t)(end - r->at);
    if (len > NUMBER_BYTES_MAX)
        return fail(r, r->at, "number of more than " JSON_QUOTED(NUMBER_BYTES_MAX) " bytes");
    memcpy(text, r->at, len);
    text[len] = '\0';
    double value = strtod(text, NULL);
    if (!isfinite(value)) return fail(r, r->at, "number beyond a double");
    lua_pushnumber(r->L, value);
    return true;
}

static bool read_number(struct reader *r)
{
    bool real = false;
    const char *end = number_end(r->at, r->end, &real);
    if (end == NULL) return fail(r, r->at, "wrong number");
    if (!(real ? push_real(r, end) : push_integer(r, end))) return false;
    r->at = end;
    return true;
}

/* ---- arrays and objects ------------------------------------------------------------------------------ */

/* Behind a member: true if another follows; else `at` is behind the closing bracket, or a reason is given. */
static bool another(struct reader *r, char closing)
{
    skip_blanks(r);
    if (r->at == r->end)
        return fail(r, r->at, closing == ']' ? "the array does not end" : "the object does not end");
    if (*r->at == ',') {
        r->at++;
        skip_blanks(r);
        return true;
    }
    if (*r->at != closing) return fail(r, r->at, closing == ']' ? "expected , or ]" : "expected , or }");
    r->at++;
    return false;
}

/* Behind the opening bracket: true if it is closed at once. */
static bool is_empty(struct reader *r, char closing)
{
    skip_blanks(r);
    if (r->at == r->end || *r->at != closing) return false;
    r->at++;
    return true;
}

static bool read_array(struct reader *r)
{
    lua_Integer count = 0;
    lua_createtable(r->L, 0, 0);
    r->at++;
    if (!is_empty(r, ']')) {
        do {
            if (!read_value(r)) return false;
            lua_rawseti(r->L, -2, ++count);
        } while (another(r, ']'));
    }
    lua_pushvalue(r->L, r->array_mark);
    lua_setmetatable(r->L, -2);
    return r->reason == NULL;
}

/* The name is on top; the table below it. */
static bool read_member(struct reader *r, const char *name)
{
    lua_pushvalue(r->L, -1);
    bool fresh = lua_rawget(r->L, -3) == LUA_TNIL;
    lua_pop(r->L, 1);
    if (!fresh) return fail(r, name, "duplicate name");
    skip_blanks(r);
    if (r->at == r->end || *r->at != ':') return fail(r, r->at, "expected :");
    r->at++;
    if (!read_value(r)) return false;
    lua_rawset(r->L, -3);
    return true;
}

static bool read_object(struct reader *r)
{
    lua_createtable(r->L, 0, 4);
    r->at++;
    if (is_empty(r, '}')) return true;
    do {
        const char *name = r->at;
        if (name == r->end || *name != '"') return fail(r, name, "expected a name in quotes");
        if (!read_string(r) || !read_member(r, name)) return false;
    } while (another(r, '}'));
    return r->reason == NULL;
}

static bool read_nested(struct reader *r)
{
    if (++r->depth > JSON_DEPTH_MAX)
        return fail(r, r->at, "nested deeper than " JSON_QUOTED(JSON_DEPTH_MAX) " levels");
    luaL_checkstack(r->L, 8, "json.decode");
    bool ok = *r->at == '[' ? read_array(r) : read_object(r);
    r->depth--;
    return ok;
}

/* ---- values ------------------------------------------------------------------------------------------ */

static bool read_word(struct reader *r)
{
    size_t left = (size_t)(r->end - r->at);
    if (left >= 4 && memcmp(r->at, "true", 4) == 0) {
        lua_pushboolean(r->L, 1);
        r->at += 4;
    } else if (left >= 5 && memcmp(r->at, "false", 5) == 0) {
        lua_pushboolean(r->L, 0);
        r->at += 5;
    } else if (left >= 4 && memcmp(r->at, "null", 4) == 0) {
        lua_pushlightuserdata(r->L, NULL);
        r->at += 4;
    } else {
        return fail(r, r->at, left == 0 ? "expected a value, found the end" : "expected a value");
    }
    return true;
}

static bool fail_values(struct reader *r)
{
    static const char all[] = "more than " JSON_QUOTED(JSON_VALUES_MAX) " values";
    static const char sent[] = "more than " JSON_QUOTED(JSON_SENT_VALUES_MAX) " values";
    return fail(r, r->at, r->values_max == JSON_VALUES_MAX ? all : sent);
}

static bool read_value(struct reader *r)
{
    skip_blanks(r);
    if (++r->values > r->values_max) return fail_values(r);
    char c = r->at < r->end ? *r->at : '\0';
    if (c == '"') return read_string(r);
    if (c == '{' || c == '[') return read_nested(r);
    if (c == '-' || (c >= '0' && c <= '9')) return read_number(r);
    return read_word(r);
}

static bool read_text(struct reader *r)
{
    size_t len = (size_t)(r->end - r->start);
    if (len > JSON_BYTES_MAX)
        return fail(r, r->at, "text of more than " JSON_QUOTED(JSON_BYTES_MAX) " bytes");
    if (len >= 3 && memcmp(r->start, "\xEF\xBB\xBF", 3) == 0) return fail(r, r->at, "byte order mark");
    if (!read_value(r)) return false;
    skip_blanks(r);
    return r->at == r->end || fail(r, r->at, "expected the end");
}

static void push_position(const struct reader *r)
{
    char text[200];
    size_t line = 1;
    const char *start = r->start;
    for (const char *c = r->start; c < r->at; c++)
        if (*c == '\n') line++, start = c + 1;
    snprintf(text, sizeof text, "line %zu column %zu: %s", line, (size_t)(r->at - start) + 1, r->reason);
    lua_pushstring(r->L, text);
}

static int push(lua_State *L, const char *text, size_t len, size_t values_max)
{
    struct reader r = {.L = L, .start = text, .at = text, .end = text + len, .values_max = values_max};
    luaL_checkstack(L, 8, "json.decode");
    lua_rawgetp(L, LUA_REGISTRYINDEX, &lua_json_array_mark);
    r.array_mark = lua_gettop(L);
    if (read_text(&r)) {
        lua_remove(L, r.array_mark);
        return 1;
    }
    lua_settop(L, r.array_mark - 1);
    lua_pushnil(L);
    push_position(&r);
    lua_pushliteral(L, "EJSON");
    return 3;
}

int lua_json_push(lua_State *L, const char *text, size_t len)
{
    return push(L, text, len, JSON_VALUES_MAX);
}

int lua_json_push_sent(lua_State *L, const char *text, size_t len)
{
    return push(L, text, len, JSON_SENT_VALUES_MAX);
}
