/* JSON text, without Lua: strict decoding (RFC 8259) through jansson and the primitives of the encoder.
 *
 * Decoding is stricter than RFC 8259 asks: UTF-8 is checked, duplicate names are an error, integers beyond 64
 * bits and reals beyond a double are an error, so are names with a NUL character, any byte after the value
 * and a byte order mark. Thread-safe. */
#ifndef SANDSTORM_JSON_H
#define SANDSTORM_JSON_H

#include <jansson.h>
#include <stdbool.h>
#include <stddef.h>

#include "buf.h"

#define JSON_DEPTH_MAX 512      /* nesting beyond this is refused, by the decoder and by the encoder */
#define JSON_VALUES_MAX 1000000 /* values in one text, which bounds the memory that the tree takes */
#define JSON_BYTES_MAX 67108864 /* bytes of one text */

#define JSON_QUOTED(number) JSON_QUOTED_(number) /* a limit as text, for messages */
#define JSON_QUOTED_(number) #number

/* Decodes exactly one value. NULL on failure, then `error` has one line with the position. The caller owns
 * the reference. */
json_t *json_text_decode(const char *text, size_t len, char *error, size_t error_size);

/* Appends a quoted string: controls, U+2028, U+2029 and U+0085 escaped; ill-formed UTF-8 replaced by
 * U+FFFD. Returns the number of replacements. */
size_t json_text_quote(struct buf *out, const char *text, size_t len);

/* Appends a form of at most 17 digits that reads back as the same double; false (nothing appended) for NaN
 * and infinities. */
bool json_text_real(struct buf *out, double value);

#endif
