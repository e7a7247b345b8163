#include "base64.h"

#include <stdint.h>

static const char *alphabet(enum base64_kind kind)
{
    return kind == BASE64_URL ? "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_"
                              : "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
}

size_t base64_size(enum base64_kind kind, size_t len)
{
    size_t rest = len % 3;
    if (rest == 0) return len / 3 * 4;
    return len / 3 * 4 + (kind == BASE64_URL ? rest + 1 : 4);
}

void base64_write(enum base64_kind kind, const void *bytes, size_t len, char *out)
{
    const char *letters = alphabet(kind);
    const unsigned char *p = bytes;
    size_t size = base64_size(kind, len), bits = len * 8;
    for (size_t i = 0; i < size; i++) {
        size_t bit = i * 6, at = bit / 8;
        unsigned pair = bit >= bits ? 0 : (unsigned)p[at] << 8;
        if (at + 1 < len) pair |= p[at + 1];
        out[i] = bit < bits ? letters[pair >> (10 - bit % 8) & 63] : '=';
    }
}

size_t base64_room(size_t len)
{
    return len / 4 * 3 + 3;
}

static int value_of(enum base64_kind kind, char c)
{
    if (c >= 'A' && c <= 'Z') return c - 'A';
    if (c >= 'a' && c <= 'z') return c - 'a' + 26;
    if (c >= '0' && c <= '9') return c - '0' + 52;
    if (c == (kind == BASE64_URL ? '-' : '+')) return 62;
    return c == (kind == BASE64_URL ? '_' : '/') ? 63 : -1;
}

/* Takes the padding off; false where it is wrong. */
static bool unpad(enum base64_kind kind, const char *text, size_t *len)
{
    if (kind == BASE64_URL) return true;
    if (*len % 4 != 0) return false;
    for (int i = 0; i < 2 && *len > 0 && text[*len - 1] == '='; i++)
        *len -= 1;
    return true;
}

bool base64_read(enum base64_kind kind, const char *text, size_t len, unsigned char *out, size_t *size)
{
    uint32_t held = 0;
    unsigned bits = 0;
    *size = 0;
    if (!unpad(kind, text, &len) || len % 4 == 1) return false;
    for (size_t i = 0; i < len; i++) {
        int value = value_of(kind, text[i]);
        if (value < 0) return false;
        held = held << 6 | (uint32_t)value;
        bits += 6;
        if (bits < 8) continue;
        bits -= 8;
        out[(*size)++] = (unsigned char)(held >> bits);
        held &= (1U << bits) - 1;
    }
    return held == 0;
}
