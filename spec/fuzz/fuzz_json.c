/* What the decoder takes, the encoder writes so that it is taken again as the same value; what it refuses, it
 * refuses with one line of text; any bytes at all can be quoted. */
#include <jansson.h>
#include <lauxlib.h>
#include <lualib.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "json.h"
#include "lua_json.h"
#include "utf8.h"

#define ERROR_SIZE 80 /* short, so that messages are cut */

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

static void check_quote(const char *text, size_t len)
{
    char error[ERROR_SIZE];
    struct buf quoted = BUF_INIT, clean = BUF_INIT;
    json_text_quote(&quoted, text, len);
    utf8_clean(&clean, text, len);
    json_t *back = json_text_decode(quoted.data, quoted.len, error, sizeof error);
    must(back != NULL && json_string_length(back) == clean.len);
    must(clean.len == 0 || memcmp(json_string_value(back), clean.data, clean.len) == 0);
    json_decref(back);
    buf_free(&quoted);
    buf_free(&clean);
}

static void check_cut(const char *text, size_t len)
{
    size_t cut = utf8_cut(text, len);
    must(cut <= len && len - cut <= 3);
    must(utf8_valid_length(text, len) < cut || utf8_valid_length(text, cut) == cut);
}

/* Encodes the value on top of the stack, decodes that and encodes it again. */
static void check_round(lua_State *L, const json_t *value)
{
    char error[ERROR_SIZE];
    struct buf first = BUF_INIT, second = BUF_INIT;
    must(lua_json_encode(L, -1, true, &first));
    must(lua_json_push(L, first.data, first.len) == 1);
    must(lua_json_encode(L, -1, true, &second));
    must(first.len == second.len && memcmp(first.data, second.data, first.len) == 0);
    json_t *back = json_text_decode(first.data, first.len, error, sizeof error);
    must(back != NULL && json_equal(back, value));
    json_decref(back);
    buf_free(&first);
    buf_free(&second);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    const char *text = (const char *)data;
    char error[ERROR_SIZE];
    lua_State *L = luaL_newstate();
    luaL_requiref(L, "json", luaopen_json, 0);
    json_t *value = json_text_decode(text, size, error, sizeof error);
    int results = lua_json_push(L, text, size);
    must(results == (value != NULL ? 1 : 3));
    if (value != NULL)
        check_round(L, value);
    else
        check_message(error);
    check_quote(text, size);
    check_cut(text, size);
    json_decref(value);
    lua_close(L);
    return 0;
}
