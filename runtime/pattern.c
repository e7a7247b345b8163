#include "pattern.h"

#include <ctype.h>
#include <string.h>

#include "pattern_class.h"

#define SET_BYTES_PER_STEP 8
#define COMPARED_BYTES_PER_STEP 64

enum { START, ITEM, EXPAND, BALANCE, BACK, MATCHED, NONE, WRONG };

static int wrong(struct pattern_search *s, const char *what)
{
    s->wrong = what;
    return WRONG;
}

/* The steps that one comparison with an item takes: a set is looked through. */
static size_t cost(const char *item, const char *end)
{
    return 1 + (size_t)(end - item) / SET_BYTES_PER_STEP;
}

static void spend(struct pattern_search *s, size_t steps)
{
    s->steps -= steps < s->steps ? steps : s->steps;
}

/* ---- one character ----------------------------------------------------------------------------------- */

static const char *set_end(struct pattern_search *s, const char *at)
{
    const char *end = pattern_set_end(at, s->pattern_end);
    if (end == NULL) wrong(s, "malformed pattern (missing ']')");
    return end;
}

/* The end of the item for one character at `item`; NULL and a reason. */
static const char *item_end(struct pattern_search *s, const char *item)
{
    if (*item == '[') return set_end(s, item);
    if (*item != PATTERN_ESCAPE) return item + 1;
    if (item + 1 < s->pattern_end) return item + 2;
    wrong(s, "malformed pattern (ends with '%')");
    return NULL;
}

static inline bool fits(const struct pattern_search *s, const char *at, const char *item, const char *end)
{
    return at < s->text_end && pattern_item_fits((unsigned char)*at, item, end);
}

/* ---- choices ----------------------------------------------------------------------------------------- */

static struct pattern_choice *choose(struct pattern_search *s, int kind, const char *at, const char *item)
{
    if (s->depth == PATTERN_CHOICES_MAX) {
        wrong(s, "pattern too complex");
        return NULL;
    }
    struct pattern_choice *choice = &s->choices[s->depth++];
    choice->kind = kind;
    choice->at = at;
    choice->item = item;
    choice->count = 0;
    return choice;
}

/* The top choice is CHOICE_GREEDY; its item ends before the suffix. */
static int expand(struct pattern_search *s)
{
    struct pattern_choice *choice = &s->choices[s->depth - 1];
    const char *item = choice->item, *end = s->item;
    const size_t each = cost(item, end);
    size_t many = s->steps / each + 1, count = choice->count;
    while (many > 0 && fits(s, choice->at + count, item, end))
        count++, many--;
    spend(s, (count - choice->count + 1) * each);
    choice->count = count;
    if (many == 0) return EXPAND;
    choice->item = end + 1;
    s->at = choice->at + count;
    s->item = end + 1;
    return ITEM;
}

static int go_on(struct pattern_search *s, const char *at, const char *item)
{
    s->at = at;
    s->item = item;
    return ITEM;
}

/* The next try of a lazy choice; its count is the length of the item. */
static bool lengthen(struct pattern_search *s, struct pattern_choice *choice)
{
    const char *end = choice->item + choice->count;
    if (choice->count > SET_BYTES_PER_STEP) spend(s, cost(choice->item, end));
    if (!fits(s, choice->at, choice->item, end)) return false;
    go_on(s, ++choice->at, end + 1);
    return true;
}

static int next_start(struct pattern_search *s)
{
    if (s->anchored || s->start == s->text_end) return NONE;
    s->start++;
    return START;
}

/* What was tried last does not match: back to the last choice. */
static int back_up(struct pattern_search *s)
{
    for (; s->depth > 0; s->depth--) {
        struct pattern_choice *choice = &s->choices[s->depth - 1];
        switch (choice->kind) {
        case CHOICE_GREEDY:
            if (choice->count == 0) break;
            choice->count--;
            return go_on(s, choice->at + choice->count, choice->item);
        case CHOICE_LAZY:
            if (lengthen(s, choice)) return ITEM;
            break;
        case CHOICE_OPTIONAL:
            s->depth--;
            return go_on(s, choice->at, choice->item);
        case CHOICE_OPENED:
            s->count--;
            break;
        case CHOICE_CLOSED:
            s->captures[choice->capture].len = PATTERN_OPEN;
            break;
        }
    }
    return next_start(s);
}

/* ---- items ------------------------------------------------------------------------------------------- */

static int open_capture(struct pattern_search *s)
{
    bool position = s->item + 1 < s->pattern_end && s->item[1] == ')';
    if (s->count == PATTERN_CAPTURES_MAX) return wrong(s, "too many captures");
    struct pattern_capture *capture = &s->captures[s->count++];
    capture->start = s->at;
    capture->len = position ? PATTERN_POSITION : PATTERN_OPEN;
    s->item += position ? 2 : 1;
    return choose(s, CHOICE_OPENED, NULL, NULL) != NULL ? ITEM : WRONG;
}

static int close_capture(struct pattern_search *s)
{
    int last = s->count - 1;
    while (last >= 0 && s->captures[last].len != PATTERN_OPEN)
        last--;
    if (last < 0) return wrong(s, "invalid pattern capture");
    struct pattern_choice *choice = choose(s, CHOICE_CLOSED, NULL, NULL);
    if (choice == NULL) return WRONG;
    choice->capture = last;
    s->captures[last].len = s->at - s->captures[last].start;
    s->item++;
    return ITEM;
}

static int refer_back(struct pattern_search *s)
{
    int number = s->item[1] - '0';
    if (number < 1 || number > s->count || s->captures[number - 1].len == PATTERN_OPEN) {
        s->wrong_capture = number;
        return wrong(s, "invalid capture index");
    }
    const struct pattern_capture *capture = &s->captures[number - 1];
    if (capture->len < 0 || capture->len > s->text_end - s->at) return BACK;
    size_t len = (size_t)capture->len;
    spend(s, len / COMPARED_BYTES_PER_STEP);
    if (memcmp(capture->start, s->at, len) != 0) return BACK;
    return go_on(s, s->at + len, s->item + 2);
}

static int frontier(struct pattern_search *s)
{
    const char *set = s->item + 2;
    if (set >= s->pattern_end || *set != '[') return wrong(s, "missing '[' after '%f' in pattern");
    const char *end = set_end(s, set);
    if (end == NULL) return WRONG;
    unsigned char before = s->at == s->text ? 0 : (unsigned char)s->at[-1];
    unsigned char here = s->at == s->text_end ? 0 : (unsigned char)*s->at;
    spend(s, cost(set, end));
    if (pattern_in_set(before, set, end) || !pattern_in_set(here, set, end)) return BACK;
    s->item = end;
    return ITEM;
}

/* %bxy: s->nested counts what is open, s->at goes on over the text. */
static int balance(struct pattern_search *s)
{
    char open = s->item[2], close = s->item[3];
    const char *at = s->at, *stop = s->text_end;
    if ((size_t)(stop - at) > s->steps + 1) stop = at + s->steps + 1;
    spend(s, (size_t)(stop - at));
    for (; at < stop; at++) {
        if (*at == close) {
            if (--s->nested == 0) return go_on(s, at + 1, s->item + 4);
        } else if (*at == open) {
            s->nested++;
        }
    }
    s->at = at;
    return at < s->text_end ? BALANCE : BACK;
}

static int begin_balance(struct pattern_search *s)
{
    if (s->pattern_end - s->item < 4) return wrong(s, "malformed pattern (missing arguments to '%b')");
    if (s->at == s->text_end || *s->at != s->item[2]) return BACK;
    s->at++;
    s->nested = 1;
    return balance(s);
}

/* An item for one character that is followed by `suffix`; the item fits at s->at. */
static int repeat(struct pattern_search *s, const char *end, char suffix)
{
    const char *item = s->item;
    struct pattern_choice *choice;
    switch (suffix) {
    case '?':
        if (choose(s, CHOICE_OPTIONAL, s->at, end + 1) == NULL) return WRONG;
        return go_on(s, s->at + 1, end + 1);
    case '-':
        if ((choice = choose(s, CHOICE_LAZY, s->at, item)) == NULL) return WRONG;
        choice->count = (size_t)(end - item);
        s->item = end + 1;
        return ITEM;
    default:
        if (choose(s, CHOICE_GREEDY, s->at + (suffix == '+'), item) == NULL) return WRONG;
        s->item = end;
        return expand(s);
    }
}

static int special(struct pattern_search *s)
{
    switch (*s->item) {
    case '(':
        return open_capture(s);
    case ')':
        return close_capture(s);
    case '$':
        return s->at == s->text_end ? go_on(s, s->at, s->item + 1) : BACK;
    default:
        break;
    }
    if (s->item[1] == 'b') return begin_balance(s);
    return s->item[1] == 'f' ? frontier(s) : refer_back(s);
}

static inline bool is_special(const struct pattern_search *s, const char *item)
{
    bool last = item + 1 == s->pattern_end;
    switch (*item) {
    case '(':
    case ')':
        return true;
    case '$':
        return last;
    case PATTERN_ESCAPE:
        return !last && (item[1] == 'b' || item[1] == 'f' || isdigit((unsigned char)item[1]));
    default:
        return false;
    }
}

/* One item at s->item, s->at. */
static inline int match_item(struct pattern_search *s)
{
    const char *item = s->item;
    if (item == s->pattern_end) return MATCHED;
    if (is_special(s, item)) return special(s);
    const char *end = item_end(s, item);
    if (end == NULL) return WRONG;
    if (end - item > SET_BYTES_PER_STEP) spend(s, cost(item, end));
    bool fit = fits(s, s->at, item, end);
    char suffix = end < s->pattern_end ? *end : '\0';
    bool repeated = suffix == '*' || suffix == '+' || suffix == '-' || suffix == '?';
    if (repeated && fit) return repeat(s, end, suffix);
    if (!fit && (!repeated || suffix == '+')) return BACK;
    return go_on(s, s->at + fit, end + repeated);
}

static int match_items(struct pattern_search *s)
{
    while (s->steps > 0) {
        s->steps--;
        int phase = match_item(s);
        if (phase == BACK) phase = back_up(s);
        if (phase != ITEM) return phase;
    }
    return ITEM;
}

/* ---- the whole --------------------------------------------------------------------------------------- */

/* Moves s->start to where the first character is; false: not within the steps. */
static bool find_first(struct pattern_search *s)
{
    size_t left = (size_t)(s->text_end - s->start), looked = left;
    if (left / COMPARED_BYTES_PER_STEP > s->steps) looked = s->steps * COMPARED_BYTES_PER_STEP;
    const char *found = memchr(s->start, s->first, looked);
    size_t passed = found != NULL ? (size_t)(found - s->start) : looked;
    spend(s, passed / COMPARED_BYTES_PER_STEP);
    s->start += passed;
    return found != NULL;
}

static int start(struct pattern_search *s)
{
    if (s->pattern_end - s->pattern > (ptrdiff_t)PATTERN_BYTES_MAX) return wrong(s, "pattern too complex");
    if (s->first >= 0 && !find_first(s)) return s->start == s->text_end ? NONE : START;
    s->depth = 0;
    s->count = 0;
    return go_on(s, s->start, s->pattern);
}

static int matched(struct pattern_search *s)
{
    if (s->at == s->refused) return next_start(s);
    s->end = s->at;
    return MATCHED;
}

enum pattern_outcome pattern_run(struct pattern_search *s, size_t steps)
{
    s->steps = steps;
    while (s->steps > 0) {
        s->steps--;
        switch (s->phase) {
        case START:
            s->phase = start(s);
            break;
        case ITEM:
            s->phase = match_items(s);
            break;
        case EXPAND:
            s->phase = expand(s);
            break;
        case BALANCE:
            s->phase = balance(s);
            break;
        case BACK:
            s->phase = back_up(s);
            break;
        case MATCHED:
            s->phase = matched(s);
            if (s->phase == MATCHED) return PATTERN_FOUND;
            break;
        case NONE:
            return PATTERN_NONE;
        default:
            return PATTERN_WRONG;
        }
    }
    return PATTERN_UNFINISHED;
}

/* The literal character that every match starts with, or -1. */
static int first_of(const struct pattern_search *s)
{
    if (s->anchored || s->pattern == s->pattern_end || strchr("$.()[%", *s->pattern) != NULL) return -1;
    if (s->pattern + 1 < s->pattern_end && strchr("*?-", s->pattern[1]) != NULL) return -1;
    return (unsigned char)*s->pattern;
}

void pattern_begin(struct pattern_search *s, const char *text, size_t len, const char *pattern,
                   size_t pattern_len, bool anchored)
{
    s->text = text;
    s->text_end = text + len;
    s->pattern = pattern;
    s->pattern_end = pattern + pattern_len;
    s->anchored = anchored;
    s->first = first_of(s);
    pattern_again(s, text, NULL);
}

void pattern_again(struct pattern_search *s, const char *from, const char *refused)
{
    s->start = from;
    s->refused = refused;
    s->phase = START;
    s->wrong_capture = -1;
}
