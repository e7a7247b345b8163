/* Reading one JSON object (RFC 8259) without Lua: for short texts that C has to understand itself.
 * Thread-safe. */
#ifndef SANDSTORM_JSON_OBJECT_H
#define SANDSTORM_JSON_OBJECT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum json_member_kind { JSON_MEMBER_TEXT, JSON_MEMBER_INTEGER, JSON_MEMBER_OTHER };

struct json_member {
    const char *name; /* ends in NUL */
    enum json_member_kind kind;
    const char *text; /* of a text; ends in NUL */
    int64_t integer;  /* of a number without fraction and exponent that 64 bits hold */
};

#define JSON_OBJECT_BYTES_MAX 65536

/* Calls `member` for each member of the outermost object; strings are valid during the call only. False if
 * the text is anything but exactly one object, has ill-formed UTF-8, a NUL character, more than 16 levels or
 * more bytes than the maximum, or memory is short: what `member` was told before does not count then. */
bool json_object_read(const char *text, size_t len, void (*member)(void *data, const struct json_member *m),
                      void *data);

#endif
