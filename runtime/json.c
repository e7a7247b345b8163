#include "json.h"

#include <math.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "utf8.h"

#define EVERY(byte) (UINT64_C(0x0101010101010101) * (byte))

/* What the look before decoding goes by. */
struct scan {
    const char *text;
    size_t len, at;
    size_t depth, values;
};

static void scan_string(struct scan *s)
{
    for (s->at++; s->at < s->len && s->text[s->at] != '"'; s->at++)
        if (s->text[s->at] == '\\') s->at++;
}

/* jansson nests C calls as deep as the text does and allocates for each value: both are bounded here. */
static const char *scan_limits(struct scan *s)
{
    for (; s->at < s->len; s->at++) {
        char c = s->text[s->at];
        if (c == '"')
            scan_string(s);
        else if (c == ',')
            s->values++;
        else if (c == '[' || c == '{')
            s->values++, s->depth++;
        else if ((c == ']' || c == '}') && s->depth > 0)
            s->depth--;
        if (s->depth > JSON_DEPTH_MAX) return "nested deeper than " JSON_QUOTED(JSON_DEPTH_MAX) " levels";
        if (s->values > JSON_VALUES_MAX) return "more than " JSON_QUOTED(JSON_VALUES_MAX) " values";
    }
    return NULL;
}

static void say_position(struct scan *s, const char *reason, char *error, size_t error_size)
{
    size_t line = 1, start = 0;
    for (size_t i = 0; i < s->at; i++)
        if (s->text[i] == '\n') line++, start = i + 1;
    snprintf(error, error_size, "line %zu column %zu: %s", line, s->at - start + 1, reason);
}

static const char *check_text(struct scan *s)
{
    if (s->len > JSON_BYTES_MAX) return "text of more than " JSON_QUOTED(JSON_BYTES_MAX) " bytes";
    if (s->len >= 3 && memcmp(s->text, "\xEF\xBB\xBF", 3) == 0) return "byte order mark";
    return scan_limits(s);
}

/* jansson quotes the text at the failure, which may hold anything and be cut anywhere. */
static void say_failure(const json_error_t *failure, char *error, size_t error_size)
{
    struct buf clean = BUF_INIT;
    utf8_clean(&clean, failure->text, strlen(failure->text));
    for (size_t i = 0; i < clean.len; i++)
        if ((unsigned char)clean.data[i] < 0x20) clean.data[i] = ' ';
    int n = snprintf(error, error_size, "line %d column %d: %.*s", failure->line, failure->column,
                     (int)clean.len, clean.data != NULL ? clean.data : "");
    if (n >= (int)error_size) error[utf8_cut(error, error_size - 1)] = '\0';
    buf_free(&clean);
}

json_t *json_text_decode(const char *text, size_t len, char *error, size_t error_size)
{
    struct scan scan = {.text = text, .len = len};
    const char *reason = check_text(&scan);
    if (reason != NULL) {
        say_position(&scan, reason, error, error_size);
        return NULL;
    }
    json_error_t failure;
    json_t *root = json_loadb(text, len, JSON_REJECT_DUPLICATES | JSON_DECODE_ANY | JSON_ALLOW_NUL, &failure);
    if (root == NULL) say_failure(&failure, error, error_size);
    return root;
}

/* Eight bytes of printable ASCII without quote and backslash. */
static bool is_plain(uint64_t eight)
{
    uint64_t odd = eight | (eight - EVERY(0x20)) | ((eight ^ EVERY('"')) - EVERY(1)) |
                   ((eight ^ EVERY('\\')) - EVERY(1));
    return (odd & EVERY(0x80)) == 0;
}

static size_t plain_length(const char *text, size_t len)
{
    size_t i = 0;
    for (uint64_t eight; len - i >= sizeof eight; i += sizeof eight) {
        memcpy(&eight, text + i, sizeof eight);
        if (!is_plain(eight)) break;
    }
    for (; i < len; i++) {
        unsigned char c = (unsigned char)text[i];
        if (c < 0x20 || c >= 0x80 || c == '"' || c == '\\') break;
    }
    return i;
}

/* Line ends to some readers, though not to JSON: U+0085, U+2028, U+2029. */
static unsigned line_end(const char *text, size_t size)
{
    if (size == 2 && memcmp(text, "\xC2\x85", 2) == 0) return 0x85;
    if (size == 3 && memcmp(text, "\xE2\x80\xA8", 3) == 0) return 0x2028;
    return size == 3 && memcmp(text, "\xE2\x80\xA9", 3) == 0 ? 0x2029 : 0;
}

/* Bytes in front that are whole characters beyond ASCII and go out as they are. */
static size_t wide_length(const char *text, size_t len)
{
    size_t i = 0;
    while (i < len && (unsigned char)text[i] >= 0x80) {
        size_t size, have = utf8_character(text + i, len - i, &size);
        if (have != size || line_end(text + i, size) != 0) break;
        i += size;
    }
    return i;
}

static void escape_code(struct buf *out, unsigned code)
{
    static const char digits[] = "0123456789abcdef";
    const char text[] = {'\\',
                         'u',
                         digits[code >> 12 & 15],
                         digits[code >> 8 & 15],
                         digits[code >> 4 & 15],
                         digits[code & 15]};
    buf_add(out, text, sizeof text);
}

static void escape_ascii(struct buf *out, char c)
{
    static const char from[] = "\"\\\b\f\n\r\t", to[] = "\"\\bfnrt";
    const char *at = memchr(from, c, sizeof from - 1);
    if (at == NULL)
        escape_code(out, (unsigned char)c);
    else
        buf_add(out, (const char[]){'\\', to[at - from]}, 2);
}

/* Writes what cannot go out as it is; returns how many bytes of `text` that was. */
static size_t quote_odd(struct buf *out, const char *text, size_t len, size_t *replaced)
{
    if ((unsigned char)text[0] < 0x80) {
        escape_ascii(out, text[0]);
        return 1;
    }
    size_t size, have = utf8_character(text, len, &size);
    if (have == size) {
        escape_code(out, line_end(text, size));
        return have;
    }
    buf_puts(out, "\xEF\xBF\xBD");
    *replaced += 1;
    return have;
}

/* Quotes text that needs no escape into reserved room. */
static void quote_plain(struct buf *out, const char *text, size_t len)
{
    char *at = out->data + out->len;
    *at = '"';
    if (len > 0) memcpy(at + 1, text, len);
    at[len + 1] = '"';
    out->len += len + 2;
}

size_t json_text_quote(struct buf *out, const char *text, size_t len)
{
    size_t i = 0, replaced = 0, run = plain_length(text, len);
    if (!buf_reserve(out, len + 2)) return 0;
    if (run == len) {
        quote_plain(out, text, len);
        return 0;
    }
    buf_byte(out, '"');
    while (i < len) {
        if (i > 0) run = plain_length(text + i, len - i);
        if (run == 0) run = wide_length(text + i, len - i);
        if (run == 0) {
            i += quote_odd(out, text + i, len - i, &replaced);
            continue;
        }
        buf_add(out, text + i, run);
        i += run;
    }
    buf_byte(out, '"');
    return replaced;
}

bool json_text_real(struct buf *out, double value)
{
    char text[40];
    if (!isfinite(value)) return false;
    for (int digits = 15; digits <= 17; digits++) {
        snprintf(text, sizeof text, "%.*g", digits, value);
        if (strtod(text, NULL) == value) break;
    }
    buf_puts(out, text);
    if (strpbrk(text, ".e") == NULL) buf_puts(out, ".0");
    return true;
}
