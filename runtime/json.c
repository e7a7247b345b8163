#include "json.h"

#include <math.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "utf8.h"

#define EVERY(byte) (UINT64_C(0x0101010101010101) * (byte))

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
        if (run > 0) {
            buf_add(out, text + i, run);
            i += run;
        } else if (text[i] == '\n') {
            buf_add(out, "\\n", 2);
            i++;
        } else {
            i += quote_odd(out, text + i, len - i, &replaced);
        }
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

/* ---- reading strings ----------------------------------------------------------------------------------- */

/* Eight bytes with a quote, a backslash or a control character among them; bytes beyond ASCII do not count.
 */
static bool has_special(uint64_t eight)
{
    uint64_t quote = eight ^ EVERY('"'), backslash = eight ^ EVERY('\\');
    uint64_t found = ((quote - EVERY(1)) & ~quote) | ((backslash - EVERY(1)) & ~backslash) |
                     ((eight - EVERY(0x20)) & ~eight);
    return (found & EVERY(0x80)) != 0;
}

const char *json_text_special(const char *at, const char *end, bool *wide)
{
    uint64_t eight, seen = 0;
    for (; end - at >= 8; at += 8) {
        memcpy(&eight, at, sizeof eight);
        if (has_special(eight)) break;
        seen |= eight;
    }
    for (; at < end && *at != '"' && *at != '\\' && (unsigned char)*at >= 0x20; at++)
        seen |= (unsigned char)*at;
    if ((seen & EVERY(0x80)) != 0) *wide = true;
    return at;
}

static int hex_digit(char c)
{
    if (c >= '0' && c <= '9') return c - '0';
    c = (char)(c | 0x20);
    return c >= 'a' && c <= 'f' ? c - 'a' + 10 : -1;
}

/* Four hex digits at `at`, or -1. */
static long hex_four(const char *at, const char *end)
{
    long code = 0;
    if (end - at < 4) return -1;
    for (int i = 0; i < 4; i++) {
        int digit = hex_digit(at[i]);
        if (digit < 0) return -1;
        code = code * 16 + digit;
    }
    return code;
}

static char *put_character(char *out, long code)
{
    if (code < 0x80) {
        *out++ = (char)code;
    } else if (code < 0x800) {
        *out++ = (char)(0xC0 | code >> 6);
        *out++ = (char)(0x80 | (code & 0x3F));
    } else if (code < 0x10000) {
        *out++ = (char)(0xE0 | code >> 12);
        *out++ = (char)(0x80 | (code >> 6 & 0x3F));
        *out++ = (char)(0x80 | (code & 0x3F));
    } else {
        *out++ = (char)(0xF0 | code >> 18);
        *out++ = (char)(0x80 | (code >> 12 & 0x3F));
        *out++ = (char)(0x80 | (code >> 6 & 0x3F));
        *out++ = (char)(0x80 | (code & 0x3F));
    }
    return out;
}

/* `*at` is behind `\u`; moves it behind the escape, and a second one where two make a character. -1 for a
 * wrong one. */
static long read_unicode(const char **at, const char *end)
{
    long high = hex_four(*at, end);
    if (high < 0 || (high >= 0xDC00 && high <= 0xDFFF)) return -1;
    *at += 4;
    if (high < 0xD800 || high > 0xDBFF) return high;
    if (end - *at < 6 || (*at)[0] != '\\' || (*at)[1] != 'u') return -1;
    long low = hex_four(*at + 2, end);
    if (low < 0xDC00 || low > 0xDFFF) return -1;
    *at += 6;
    return 0x10000 + ((high - 0xD800) << 10) + (low - 0xDC00);
}

/* Writes what the escape at `*at` (behind the backslash) stands for; NULL for a wrong one. */
static char *put_escape(char *out, const char **at, const char *end)
{
    static const char from[] = "\"\\/bfnrt", to[] = "\"\\/\b\f\n\r\t";
    char c = *at < end ? *(*at)++ : '\0';
    if (c == 'u') {
        long code = read_unicode(at, end);
        return code >= 0 ? put_character(out, code) : NULL;
    }
    const char *known = c != '\0' ? strchr(from, c) : NULL;
    if (known == NULL) return NULL;
    *out = to[known - from];
    return out + 1;
}

size_t json_text_unescape(char *out, const char *at, const char *end, const char **wrong)
{
    char *start = out;
    bool wide;
    while (at < end) {
        const char *special = json_text_special(at, end, &wide);
        memcpy(out, at, (size_t)(special - at));
        out += special - at;
        at = special;
        if (at == end) break;
        const char *escape = at++;
        char *next = put_escape(out, &at, end);
        if (next == NULL) {
            *wrong = escape;
            break;
        }
        out = next;
    }
    return (size_t)(out - start);
}
