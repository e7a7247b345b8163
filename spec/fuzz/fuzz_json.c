/* The decoder takes what another reader (jansson) takes; what it takes, the encoder writes so that it is
 * taken again as the same value; what it refuses, it refuses with one line of text; any bytes at all can be
 * quoted. */
#include <jansson.h>
#include <lauxlib.h>
#include <lualib.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "json.h"
#include "lua_json.h"
#include "utf8.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void must(int condition)
{
    if (!condition) abort();
}

static void check_message(const char *message)
{
    must(utf8_valid_length(message, strlen(message)) == strlen(message));
    must(strpbrk(message, "\r\n") == NULL);
}

static void check_quote(lua_State *L, const char *text, size_t len)
{
    size_t back_len;
    struct buf quoted = BUF_INIT, clean = BUF_INIT;
    json_text_quote(&quoted, text, len);
    utf8_clean(&clean, text, len);
    must(lua_json_push(L, quoted.data, quoted.len) == 1);
    const char *back = lua_tolstring(L, -1, &back_len);
    must(back_len == clean.len && (clean.len == 0 || memcmp(back, clean.data, clean.len) == 0));
    buf_free(&quoted);
    buf_free(&clean);
}

static void check_cut(const char *text, size_t len)
{
    size_t cut = utf8_cut(text, len);
    must(cut <= len && len - cut <= 3);
    must(utf8_valid_length(text, len) < cut || utf8_valid_length(text, cut) == cut);
}

/* Encodes the value on top of the stack, decodes that and encodes it again; another reader must see the same
 * value. */
static void check_round(lua_State *L, const json_t *value)
{
    struct buf first = BUF_INIT, second = BUF_INIT;
    must(lua_json_encode(L, -1, &first));
    must(lua_json_push(L, first.data, first.len) == 1);
    must(lua_json_encode(L, -1, &second));
    must(first.len == second.len && memcmp(first.data, second.data, first.len) == 0);
    json_t *back = json_loadb(first.data, first.len, JSON_DECODE_ANY | JSON_ALLOW_NUL, NULL);
    must(value == NULL || (back != NULL && json_equal(back, value)));
    json_decref(back);
    buf_free(&first);
    buf_free(&second);
}

/* What only one of the two readers takes: our limits are tighter; jansson has no names with a NUL character,
 * and takes a NUL byte for the end of the text. */
static int may_differ(const char *refusal, const char *text, size_t size)
{
    if (memchr(text, '\0', size) != NULL) return 1;
    if (refusal != NULL) return strstr(refusal, "more than") != NULL || strstr(refusal, "deeper") != NULL;
    return memmem(text, size, "\\u0000", 6) != NULL;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    const char *text = (const char *)data;
    lua_State *L = luaL_newstate();
    luaL_requiref(L, "json", luaopen_json, 0);
    json_t *value = json_loadb(text, size, JSON_REJECT_DUPLICATES | JSON_DECODE_ANY | JSON_ALLOW_NUL, NULL);
    int results = lua_json_push(L, text, size);
    const char *refusal = results == 3 ? lua_tostring(L, -2) : NULL;
    must((results == 1) == (value != NULL) || may_differ(refusal, text, size));
    if (results == 1)
        check_round(L, value);
    else
        check_message(refusal);
    check_quote(L, text, size);
    check_cut(text, size);
    json_decref(value);
    lua_close(L);
    return 0;
}
