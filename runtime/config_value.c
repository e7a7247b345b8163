#include "config_value.h"

#include <ctype.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "nearest.h"

static const char *skip_blanks(const char *s)
{
    while (isspace((unsigned char)*s))
        s++;
    return s;
}

static bool read_digits(const char **text, bool negative, int64_t *out)
{
    const char *s = *text;
    int64_t value = 0;
    if (!isdigit((unsigned char)*s)) return false;
    for (;; s++) {
        if (*s == '_' && isdigit((unsigned char)s[1])) s++;
        if (!isdigit((unsigned char)*s)) break;
        int digit = *s - '0';
        if (__builtin_mul_overflow(value, 10, &value)) return false;
        if (__builtin_add_overflow(value, negative ? -digit : digit, &value)) return false;
    }
    *text = s;
    *out = value;
    return true;
}

static bool read_unit(const char **text, int64_t *value)
{
    static const char units[] = "KMG";
    const char *unit = **text == '\0' ? NULL : strchr(units, toupper((unsigned char)**text));
    if (unit == NULL) return true;
    *text += 1;
    return !__builtin_mul_overflow(*value, INT64_C(1) << (10 * (unit - units + 1)), value);
}

/* A whole number in decimal digits: blanks around and single `_` between digits are fine; with `unit` also
 * one K, M or G (powers of 1024) behind it. False for anything else and beyond 64 bits. */
static bool read_number(const char *text, bool unit, int64_t *out)
{
    const char *s = skip_blanks(text);
    bool negative = *s == '-';
    int64_t value;
    if (*s == '-' || *s == '+') s++;
    if (!read_digits(&s, negative, &value)) return false;
    if (unit && !read_unit(&s, &value)) return false;
    if (*skip_blanks(s) != '\0') return false;
    *out = value;
    return true;
}

/* A copy of `path`, put behind the working directory if it is relative. The caller frees; NULL when there is
 * no memory or no working directory. */
static char *absolute(const char *path)
{
    if (path[0] == '/') return strdup(path);
    char *folder = getcwd(NULL, 0);
    char *absolute = NULL;
    if (folder != NULL && asprintf(&absolute, "%s/%s", folder, path) < 0) absolute = NULL;
    free(folder);
    return absolute;
}

static void *field_of(struct config *config, const struct config_entry *entry)
{
    return (char *)config + entry->offset;
}

static bool store_number(struct config *config, const struct config_entry *e, const char *source,
                         const char *text, struct buf *error)
{
    int64_t value;
    bool unit = e->type == CONFIG_BYTES;
    if (read_number(text, unit, &value) && value >= e->min && value <= e->max) {
        *(int64_t *)field_of(config, e) = value;
        return true;
    }
    buf_printf(error, "%s: expected a whole number from %" PRId64 " to %" PRId64 "%s, got \"%s\"", source,
               e->min, e->max, unit ? ", K, M or G may follow" : "", text);
    return false;
}

static bool store_level(struct config *config, const struct config_entry *e, const char *source,
                        const char *text, struct buf *error)
{
    if (log_level_parse(text, field_of(config, e))) return true;
    struct nearest near = NEAREST_INIT(text);
    for (int level = LOG_TRACE; level <= LOG_CRITICAL; level++)
        nearest_offer(&near, log_level_name((enum log_level)level));
    buf_printf(error,
               "%s: expected critical, error, warning, info, debug or trace, got \"%s\"; did you mean %s?",
               source, text, near.name);
    return false;
}

static bool store_text(char **field, char *copy, const char *source, struct buf *error)
{
    if (copy == NULL) {
        buf_printf(error, "%s: no memory, or no working directory to start a relative path from", source);
        return false;
    }
    free(*field);
    *field = copy;
    return true;
}

static bool is_choice(const char *choices, const char *text)
{
    size_t len = strlen(text);
    for (const char *at = choices; len > 0 && *at != '\0'; at += strspn(at, "|")) {
        size_t size = strcspn(at, "|");
        if (size == len && memcmp(at, text, len) == 0) return true;
        at += size;
    }
    return false;
}

static bool store_choice(struct config *config, const struct config_entry *e, const char *source,
                         const char *text, struct buf *error)
{
    if (is_choice(e->argument, text)) return store_text(field_of(config, e), strdup(text), source, error);
    buf_printf(error, "%s: expected %s, got \"%s\"", source, e->argument, text);
    return false;
}

bool config_store(struct config *config, const struct config_entry *entry, const char *source,
                  const char *text, struct buf *error)
{
    switch (entry->type) {
    case CONFIG_TEXT:
        return store_text(field_of(config, entry), strdup(text), source, error);
    case CONFIG_PATH:
        return store_text(field_of(config, entry), absolute(text), source, error);
    case CONFIG_CHOICE:
        return store_choice(config, entry, source, text, error);
    case CONFIG_LEVEL:
        return store_level(config, entry, source, text, error);
    default:
        return store_number(config, entry, source, text, error);
    }
}
