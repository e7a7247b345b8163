#include "nearest.h"

#include <ctype.h>
#include <stdbool.h>
#include <string.h>

static int fold(char c)
{
    return tolower((unsigned char)c);
}

static size_t least(size_t a, size_t b)
{
    return a < b ? a : b;
}

/* Edits that make `b` of `a`: optimal string alignment distance, row by row. */
static size_t distance_between(const char *a, const char *b)
{
    size_t rows[3][NEAREST_MAX + 1];
    size_t *before = rows[0], *last = rows[1], *row = rows[2];
    size_t la = strnlen(a, NEAREST_MAX), lb = strnlen(b, NEAREST_MAX);
    for (size_t j = 0; j <= lb; j++)
        last[j] = j;
    for (size_t i = 1; i <= la; i++) {
        row[0] = i;
        for (size_t j = 1; j <= lb; j++) {
            bool same = fold(a[i - 1]) == fold(b[j - 1]);
            row[j] = least(least(last[j], row[j - 1]) + 1, last[j - 1] + !same);
            if (i > 1 && j > 1 && fold(a[i - 1]) == fold(b[j - 2]) && fold(a[i - 2]) == fold(b[j - 1]))
                row[j] = least(row[j], before[j - 2] + 1);
        }
        size_t *spare = before;
        before = last;
        last = row;
        row = spare;
    }
    return last[lb];
}

void nearest_offer(struct nearest *search, const char *name)
{
    if (name == NULL) return;
    size_t distance = distance_between(search->word, name);
    if (search->name != NULL && distance >= search->distance) return;
    search->name = name;
    search->distance = distance;
}
