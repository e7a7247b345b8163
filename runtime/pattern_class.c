#include "pattern_class.h"

#include <ctype.h>

#include "pattern.h"

bool pattern_in_class(unsigned char c, unsigned char letter)
{
    bool in;
    switch (letter | 0x20) {
    case 'a':
        in = isalpha(c);
        break;
    case 'c':
        in = iscntrl(c);
        break;
    case 'd':
        in = isdigit(c);
        break;
    case 'g':
        in = isgraph(c);
        break;
    case 'l':
        in = islower(c);
        break;
    case 'p':
        in = ispunct(c);
        break;
    case 's':
        in = isspace(c);
        break;
    case 'u':
        in = isupper(c);
        break;
    case 'w':
        in = isalnum(c);
        break;
    case 'x':
        in = isxdigit(c);
        break;
    case 'z':
        in = c == 0;
        break; /* an old name that Lua still takes */
    default:
        return c == letter;
    }
    if (!isalpha(letter)) return c == letter;
    return isupper(letter) ? !in : in;
}

bool pattern_in_set(unsigned char c, const char *set, const char *end)
{
    const char *at = set + 1, *last = end - 1;
    bool within = *at != '^';
    if (!within) at++;
    while (at < last) {
        unsigned char low = (unsigned char)*at;
        if (low == PATTERN_ESCAPE && pattern_in_class(c, (unsigned char)at[1])) return within;
        if (low == PATTERN_ESCAPE) {
            at += 2;
        } else if (at[1] == '-' && at + 2 < last) {
            if (low <= c && c <= (unsigned char)at[2]) return within;
            at += 3;
        } else {
            if (low == c) return within;
            at++;
        }
    }
    return !within;
}

const char *pattern_set_end(const char *at, const char *end)
{
    if (++at < end && *at == '^') at++;
    for (bool first = true; at < end; first = false) {
        if (*at == ']' && !first) return at + 1;
        at += *at == PATTERN_ESCAPE && at + 1 < end ? 2 : 1;
    }
    return NULL;
}

bool pattern_is_plain(const char *pattern, size_t len)
{
    static const bool magic[256] = {['^'] = true, ['$'] = true, ['*'] = true, ['+'] = true, ['?'] = true,
                                    ['.'] = true, ['('] = true, ['['] = true, ['%'] = true, ['-'] = true};
    for (size_t i = 0; i < len; i++)
        if (magic[(unsigned char)pattern[i]]) return false;
    return true;
}
