/* UTF-8 as RFC 3629 defines it: no overlong forms, no surrogates, nothing above U+10FFFF. Thread-safe. */
#ifndef SANDSTORM_UTF8_H
#define SANDSTORM_UTF8_H

#include <stdbool.h>
#include <stddef.h>

#include "buf.h"

/* Looks at the first character of `text` (`len` > 0): returns how many bytes of it are there and well-formed,
 * at least 1; `size` receives how long it must be by its first byte, 0 where no character starts so. It is
 * whole exactly if both are equal. */
size_t utf8_character(const char *text, size_t len, size_t *size);

/* Length of the longest valid prefix: `len` for valid text. */
size_t utf8_valid_length(const char *text, size_t len);

/* Appends `text` with every maximal ill-formed part replaced by U+FFFD (the practice that the Unicode
 * Standard 3.9 recommends and WHATWG decoders follow). Returns the number of replacements. */
size_t utf8_clean(struct buf *out, const char *text, size_t len);

/* The largest length <= `len` that does not end inside a character which `text` continues or could
 * continue: cut here to keep whole characters. Text that is not UTF-8 is cut at `len`. */
size_t utf8_cut(const char *text, size_t len);

#endif
