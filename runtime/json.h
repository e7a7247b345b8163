/* JSON text, without Lua: the limits of the decoder and what it and the encoder are made of. Thread-safe. */
#ifndef SANDSTORM_JSON_H
#define SANDSTORM_JSON_H

#include <stdbool.h>
#include <stddef.h>

#include "buf.h"

#define JSON_DEPTH_MAX 512      /* nesting beyond this is refused, by the decoder and by the encoder */
#define JSON_VALUES_MAX 1000000 /* values in one text, which bounds the memory that they take */
#define JSON_SENT_VALUES_MAX                                                                                 \
    100000                      /* ... that a peer sends, which bounds the time that it takes from others */
#define JSON_BYTES_MAX 67108864 /* bytes of one text */

#define JSON_QUOTED(number) JSON_QUOTED_(number) /* a limit as text, for messages */
#define JSON_QUOTED_(number) #number

/* Appends a quoted string: controls, U+2028, U+2029 and U+0085 escaped; ill-formed UTF-8 replaced by
 * U+FFFD. Returns the number of replacements. */
size_t json_text_quote(struct buf *out, const char *text, size_t len);

/* Appends a form of at most 17 digits that reads back as the same double; false (nothing appended) for NaN
 * and infinities. */
bool json_text_real(struct buf *out, double value);

/* The first quote, backslash or control character from `at` on, or `end`. `wide` is set if bytes beyond ASCII
 * come before it, and left alone otherwise. */
const char *json_text_special(const char *at, const char *end, bool *wide);

/* Writes what the text of a string (between its quotes, without control characters) stands for; `out` needs
 * room for as many bytes. Returns how many were written. `wrong` receives the place of the first wrong escape
 * or lone half of a surrogate pair, where it stops; it is left alone otherwise. */
size_t json_text_unescape(char *out, const char *at, const char *end, const char **wrong);

#endif
