/* Lua's patterns (Lua 5.4 Reference Manual, 6.4.1) on bytes, matched in steps.
 *
 * A pattern that backtracks can take time exponential in its length. So the matcher keeps what it would have
 * to come back to in its own record instead of on the C stack, and returns after a number of steps; whoever
 * searches goes on, waits or gives up. The record holds pointers to text and pattern, which the caller keeps,
 * and none to itself: it may be copied and continued elsewhere.
 *
 *     pattern_begin(&search, text, len, pattern, pattern_len);
 *     while ((outcome = pattern_run(&search, 10000)) == PATTERN_UNFINISHED) ...
 *     pattern_again(&search, ...);   // the next match
 *
 * A step is a comparison of a character, or the same amount of other work. */
#ifndef SANDSTORM_PATTERN_H
#define SANDSTORM_PATTERN_H

#include <stdbool.h>
#include <stddef.h>

#define PATTERN_CAPTURES_MAX 32
#define PATTERN_CHOICES_MAX 199 /* nested items that can be matched in more than one way, and captures */
#define PATTERN_BYTES_MAX                                                                                    \
    (1u << 20) /* a longer pattern is wrong: one set of it is looked through in one piece */

enum pattern_outcome {
    PATTERN_FOUND,
    PATTERN_NONE,
    PATTERN_UNFINISHED, /* the steps are used up */
    PATTERN_WRONG       /* see `wrong` */
};

/* Lengths of captures that have none. */
#define PATTERN_OPEN (-1)     /* its closing bracket has not been met */
#define PATTERN_POSITION (-2) /* `()` */

struct pattern_capture {
    const char *start;
    ptrdiff_t len;
};

struct pattern_choice {
    enum { CHOICE_OPENED, CHOICE_CLOSED, CHOICE_OPTIONAL, CHOICE_GREEDY, CHOICE_LAZY } kind;
    int capture;
    const char *at, *item;
    size_t count;
};

struct pattern_search {
    /* results, valid after PATTERN_FOUND */
    const char *start, *end;
    int count; /* of captures; 0: the pattern has none */
    struct pattern_capture captures[PATTERN_CAPTURES_MAX];
    /* results, valid after PATTERN_WRONG: what is wrong, in Lua's words; or, if not negative, which capture
     * it refers to that there is not */
    const char *wrong;
    int wrong_capture;
    /* private */
    const char *text, *text_end, *pattern, *pattern_end;
    bool anchored;
    int first;           /* the character that every match starts with, or -1 */
    const char *refused; /* where a match may not end, or NULL */
    int phase;
    size_t steps;
    const char *at, *item;
    size_t nested; /* of %b */
    unsigned depth;
    struct pattern_choice choices[PATTERN_CHOICES_MAX];
};

/* A search from the start of `text`. `^` is not looked at: it is up to the caller to skip it and to pass
 * `anchored`, for which only a match at the very start counts. */
void pattern_begin(struct pattern_search *s, const char *text, size_t len, const char *pattern,
                   size_t pattern_len, bool anchored);

/* Sets where the next match may start, at the earliest; `from` is at most the end of the text. A match that
 * ends at `refused`, if that is not NULL, does not count. */
void pattern_again(struct pattern_search *s, const char *from, const char *refused);

/* Searches on for about `steps` steps. */
enum pattern_outcome pattern_run(struct pattern_search *s, size_t steps);

/* Whether the pattern has none of the magic characters, so that a plain search finds the same. */
bool pattern_is_plain(const char *pattern, size_t len);

#endif
