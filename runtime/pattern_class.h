/* Classes and sets of characters in Lua's patterns (pattern.h). */
#ifndef SANDSTORM_PATTERN_CLASS_H
#define SANDSTORM_PATTERN_CLASS_H

#include <stdbool.h>

#define PATTERN_ESCAPE '%'

/* Whether `c` is in the class that the letter behind a `%` names, or is that character. */
bool pattern_in_class(unsigned char c, unsigned char letter);

/* The end of the set whose opening bracket is at `at`, behind its closing one; NULL if there is none. A
 * bracket right behind the opening one, or behind its `^`, stands for itself. */
const char *pattern_set_end(const char *at, const char *end);

/* Whether `c` is in the set between its opening bracket and its end. */
bool pattern_in_set(unsigned char c, const char *set, const char *end);

/* Whether `c` fits the item for one character from `item` to `end`. */
static inline bool pattern_item_fits(unsigned char c, const char *item, const char *end)
{
    switch (*item) {
    case '.':
        return true;
    case PATTERN_ESCAPE:
        return pattern_in_class(c, (unsigned char)item[1]);
    case '[':
        return pattern_in_set(c, item, end);
    default:
        return c == (unsigned char)*item;
    }
}

#endif
