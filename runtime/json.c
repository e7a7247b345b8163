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

static void escape_ascii(struct buf *out, char c)
{
    static const char from[] = "\"\\\b\f\n\r\t", to[] = "\"\\bfnrt";
    const char *at = memchr(from, c, sizeof from - 1);
    if (at == NULL) {
        buf_printf(out, "\\u%04x", (unsigned)(unsigned char)c);
        return;
    }
    buf_byte(out, '\\');
    buf_byte(out, to[at - from]);
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
        buf_printf(out, "\\u%04x", line_end(text, size));
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
