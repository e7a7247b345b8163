#include "json_object.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "json.h"
#include "utf8.h"

#define DEPTH_MAX 16

struct scan {
    const char *at, *end;
    char *name, *text; /* scratch, each as long as the whole text */
    int depth;
};

static bool skip_value(struct scan *s);

static void skip_blanks(struct scan *s)
{
    while (s->at < s->end && strchr(" \t\r\n", *s->at) != NULL && *s->at != '\0')
        s->at++;
}

static bool take(struct scan *s, char wanted)
{
    skip_blanks(s);
    if (s->at == s->end || *s->at != wanted) return false;
    s->at++;
    return true;
}

static char peek(struct scan *s)
{
    skip_blanks(s);
    return s->at < s->end ? *s->at : '\0';
}

static bool take_text(struct scan *s, char *out)
{
    bool wide = false;
    const char *wrong = NULL;
    if (!take(s, '"')) return false;
    const char *start = s->at, *stop = json_text_special(start, s->end, &wide);
    while (stop < s->end && *stop == '\\')
        stop = stop + 2 <= s->end ? json_text_special(stop + 2, s->end, &wide) : s->end;
    if (stop >= s->end || *stop != '"') return false;
    size_t len = json_text_unescape(out, start, stop, &wrong);
    out[len] = '\0';
    s->at = stop + 1;
    return wrong == NULL && memchr(out, '\0', len) == NULL;
}

static bool take_digits(struct scan *s)
{
    const char *start = s->at;
    while (s->at < s->end && *s->at >= '0' && *s->at <= '9')
        s->at++;
    return s->at > start;
}

/* `*whole` receives whether it is an integer of 64 bits, and `*integer` that. */
static bool take_number(struct scan *s, bool *whole, int64_t *integer)
{
    const char *start = s->at;
    if (*s->at == '-') s->at++;
    const char *digits = s->at;
    if (!take_digits(s) || (digits[0] == '0' && s->at > digits + 1)) return false;
    *whole = true;
    if (s->at < s->end && *s->at == '.') {
        s->at++;
        *whole = false;
        if (!take_digits(s)) return false;
    }
    if (s->at < s->end && (*s->at == 'e' || *s->at == 'E')) {
        s->at++;
        *whole = false;
        if (s->at < s->end && (*s->at == '+' || *s->at == '-')) s->at++;
        if (!take_digits(s)) return false;
    }
    errno = 0;
    *integer = *whole ? strtoll(start, NULL, 10) : 0; /* the text ends in NUL */
    if (errno != 0) *whole = false;
    return true;
}

static bool take_word(struct scan *s)
{
    static const char *const words[] = {"true", "false", "null"};
    for (size_t i = 0; i < 3; i++) {
        size_t len = strlen(words[i]);
        if ((size_t)(s->end - s->at) < len || memcmp(s->at, words[i], len) != 0) continue;
        s->at += len;
        return true;
    }
    return false;
}

static bool skip_list(struct scan *s, char close, bool named)
{
    s->at++;
    if (++s->depth > DEPTH_MAX) return false;
    if (peek(s) == close) {
        s->at++;
    } else {
        do
            if ((named && (!take_text(s, s->text) || !take(s, ':'))) || !skip_value(s)) return false;
        while (take(s, ','));
        if (!take(s, close)) return false;
    }
    s->depth--;
    return true;
}

static bool skip_value(struct scan *s)
{
    bool whole;
    int64_t integer;
    switch (peek(s)) {
    case '"':
        return take_text(s, s->text);
    case '{':
        return skip_list(s, '}', true);
    case '[':
        return skip_list(s, ']', false);
    case 't':
    case 'f':
    case 'n':
        return take_word(s);
    case '\0':
        return false;
    default:
        return take_number(s, &whole, &integer);
    }
}

static bool take_member(struct scan *s, struct json_member *m)
{
    bool whole = false;
    *m = (struct json_member){.name = s->name, .kind = JSON_MEMBER_OTHER};
    if (!take_text(s, s->name) || !take(s, ':')) return false;
    char first = peek(s);
    if (first == '"') {
        m->kind = JSON_MEMBER_TEXT;
        m->text = s->text;
        return take_text(s, s->text);
    }
    if (first != '-' && (first < '0' || first > '9')) return skip_value(s);
    if (!take_number(s, &whole, &m->integer)) return false;
    if (whole) m->kind = JSON_MEMBER_INTEGER;
    return true;
}

static bool read_members(struct scan *s, void (*member)(void *data, const struct json_member *m), void *data)
{
    struct json_member m;
    if (!take(s, '{')) return false;
    if (peek(s) != '}') {
        do {
            if (!take_member(s, &m)) return false;
            member(data, &m);
        } while (take(s, ','));
    }
    return take(s, '}') && peek(s) == '\0' && s->at == s->end;
}

bool json_object_read(const char *text, size_t len, void (*member)(void *data, const struct json_member *m),
                      void *data)
{
    if (len > JSON_OBJECT_BYTES_MAX || utf8_valid_length(text, len) != len) return false;
    char *room = malloc(3 * (len + 1));
    if (room == NULL) return false;
    memcpy(room, text, len);
    room[len] = '\0';
    struct scan s = {.at = room, .end = room + len, .name = room + len + 1, .text = room + 2 * (len + 1)};
    bool ok = read_members(&s, member, data);
    free(room);
    return ok;
}
