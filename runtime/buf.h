/* A growable byte buffer: the one way in which the runtime assembles bytes.
 *
 * Ownership: a `struct buf` owns `data`; the owner of the struct calls buf_free. `data` is NULL while
 * nothing was stored and is NOT terminated by a NUL byte. Growth moves `data`: keep offsets, not pointers.
 * Errors: running out of memory sets `failed`, keeps what is there and makes every later call a no-op that
 * returns false, so a writer may check once, at the end. */
#ifndef SANDSTORM_BUF_H
#define SANDSTORM_BUF_H

#include <stdbool.h>
#include <stddef.h>

struct buf {
    char *data;
    size_t len; /* bytes stored */
    size_t cap; /* bytes allocated */
    bool failed;
};

#define BUF_INIT                                                                                             \
    {                                                                                                        \
        NULL, 0, 0, false                                                                                    \
    }

/* Makes room for `extra` more bytes. */
bool buf_reserve(struct buf *b, size_t extra);

bool buf_add(struct buf *b, const void *bytes, size_t len);
bool buf_byte(struct buf *b, char byte);
bool buf_puts(struct buf *b, const char *text);
bool buf_printf(struct buf *b, const char *format, ...) __attribute__((format(printf, 2, 3)));

/* Drops the first `len` bytes (at most all of them). */
void buf_consume(struct buf *b, size_t len);

/* Forgets the content, keeps the memory and clears `failed`. */
void buf_clear(struct buf *b);

/* Frees the memory and leaves an empty, reusable buffer. */
void buf_free(struct buf *b);

#endif
