#include "utf8.h"

#include <stdint.h>
#include <string.h>

#define REPLACEMENT "\xEF\xBF\xBD"

/* Bytes of pure ASCII in front, eight at a time. */
static size_t ascii_length(const char *text, size_t len)
{
    size_t i = 0;
    for (uint64_t eight; len - i >= sizeof eight; i += sizeof eight) {
        memcpy(&eight, text + i, sizeof eight);
        if (eight & UINT64_C(0x8080808080808080)) break;
    }
    while (i < len && (unsigned char)text[i] < 0x80)
        i++;
    return i;
}

/* The range that the second byte of a character may have depends on the first (RFC 3629, section 4). */
static size_t lead_size(unsigned char lead, unsigned char *low, unsigned char *high)
{
    *low = 0x80;
    *high = 0xBF;
    if (lead >= 0xC2 && lead <= 0xDF) return 2;
    if (lead == 0xE0) *low = 0xA0;
    if (lead == 0xED) *high = 0x9F;
    if (lead == 0xF0) *low = 0x90;
    if (lead == 0xF4) *high = 0x8F;
    if (lead >= 0xE0 && lead <= 0xEF) return 3;
    return lead >= 0xF0 && lead <= 0xF4 ? 4 : 0;
}

size_t utf8_character(const char *text, size_t len, size_t *size)
{
    const unsigned char *s = (const unsigned char *)text;
    unsigned char low, high;
    size_t have = 1;
    *size = s[0] < 0x80 ? 1 : lead_size(s[0], &low, &high);
    if (*size < 2) return 1;
    while (have < *size && have < len && s[have] >= low && s[have] <= high) {
        low = 0x80;
        high = 0xBF;
        have++;
    }
    return have;
}

size_t utf8_valid_length(const char *text, size_t len)
{
    size_t i = 0;
    while (i < len) {
        i += ascii_length(text + i, len - i);
        if (i == len) break;
        size_t size, have = utf8_character(text + i, len - i, &size);
        if (have != size) break;
        i += size;
    }
    return i;
}

size_t utf8_clean(struct buf *out, const char *text, size_t len)
{
    size_t replaced = 0;
    while (len > 0) {
        size_t valid = utf8_valid_length(text, len), size = 0;
        buf_add(out, text, valid);
        text += valid;
        len -= valid;
        if (len == 0) break;
        size_t bad = utf8_character(text, len, &size);
        buf_add(out, REPLACEMENT, sizeof REPLACEMENT - 1);
        text += bad;
        len -= bad;
        replaced++;
    }
    return replaced;
}

size_t utf8_cut(const char *text, size_t len)
{
    for (size_t back = 1; back <= 3 && back <= len; back++) {
        unsigned char c = (unsigned char)text[len - back];
        if (c < 0x80) return len;
        if (c < 0xC0) continue;
        size_t size, have = utf8_character(text + len - back, back, &size);
        return have == back && have < size ? len - back : len;
    }
    return len;
}
