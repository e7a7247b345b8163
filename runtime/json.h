/* JSON text, without Lua: the limits of the decoder and the primitives of the encoder. Thread-safe. */
#ifndef SANDSTORM_JSON_H
#define SANDSTORM_JSON_H

#include <stdbool.h>
#include <stddef.h>

#include "buf.h"

#define JSON_DEPTH_MAX 512      /* nesting beyond this is refused, by the decoder and by the encoder */
#define JSON_VALUES_MAX 1000000 /* values in one text, which bounds the memory that they take */
#define JSON_BYTES_MAX 67108864 /* bytes of one text */

#define JSON_QUOTED(number) JSON_QUOTED_(number) /* a limit as text, for messages */
#define JSON_QUOTED_(number) #number

/* Appends a quoted string: controls, U+2028, U+2029 and U+0085 escaped; ill-formed UTF-8 replaced by
 * U+FFFD. Returns the number of replacements. */
size_t json_text_quote(struct buf *out, const char *text, size_t len);

/* Appends a form of at most 17 digits that reads back as the same double; false (nothing appended) for NaN
 * and infinities. */
bool json_text_real(struct buf *out, double value);

#endif
