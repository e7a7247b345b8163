/* The nearest of some names to a mistyped one, for messages that say "did you mean". Thread-safe. */
#ifndef SANDSTORM_NEAREST_H
#define SANDSTORM_NEAREST_H

#include <stddef.h>

#define NEAREST_MAX 64 /* names are compared up to this length */

/* A running search: start with NEAREST_INIT, offer every valid name, read `name` (borrowed; NULL before the
 * first offer). Near are names that few edits (insert, delete, replace, swap of neighbours; letter case is
 * free) make of the word; the first of equally near ones wins. */
struct nearest {
    const char *word; /* what was typed */
    const char *name;
    size_t distance;
};

#define NEAREST_INIT(typed)                                                                                  \
    {                                                                                                        \
        (typed), NULL, 0                                                                                     \
    }

/* `name` may be NULL, which offers nothing. */
void nearest_offer(struct nearest *search, const char *name);

#endif
