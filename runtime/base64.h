/* Base64 as RFC 4648 has it, read strictly: one text for each value, or it is none.
 * BASE64_STANDARD is section 4 with its padding, BASE64_URL section 5 without any. Reading refuses other
 * characters, line ends, wrong padding, and bits behind the last byte that are not zero. Thread-safe. */
#ifndef SANDSTORM_BASE64_H
#define SANDSTORM_BASE64_H

#include <stdbool.h>
#include <stddef.h>

enum base64_kind { BASE64_STANDARD, BASE64_URL };

/* Characters that `len` bytes become. */
size_t base64_size(enum base64_kind kind, size_t len);

/* Writes base64_size characters and no NUL. */
void base64_write(enum base64_kind kind, const void *bytes, size_t len, char *out);

/* Bytes that `len` characters become at most. */
size_t base64_room(size_t len);

/* Reads into `out`, which has base64_room(len) bytes; `*size` receives how many there are. */
bool base64_read(enum base64_kind kind, const char *text, size_t len, unsigned char *out, size_t *size);

#endif
