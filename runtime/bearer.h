/* The token of an `Authorization: Bearer` header (RFC 6750 2.1). Thread-safe. */
#ifndef SANDSTORM_BEARER_H
#define SANDSTORM_BEARER_H

#include <stddef.h>

/* The token in a header's value, which has no blanks around it (http.h): points into it, `len` bytes. The
 * scheme counts in any case, blanks behind it do not count. NULL where it is another one or nothing
 * follows. */
const char *bearer_token(const char *header, size_t *len);

#endif
