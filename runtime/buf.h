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
#include <string.h>

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

/* Makes room where there is none. */
bool buf_grow(struct buf *b, size_t extra);

/* Makes room for `extra` more bytes. */
static inline bool buf_reserve(struct buf *b, size_t extra)
{
    return (!b->failed && b->cap - b->len >= extra) || buf_grow(b, extra);
}

static inline bool buf_add(struct buf *b, const void *bytes, size_t len)
{
    if (!buf_reserve(b, len)) return false;
    if (len > 0) memcpy(b->data + b->len, bytes, len);
    b->len += len;
    return true;
}

static inline bool buf_byte(struct buf *b, char byte)
{
    if (!buf_reserve(b, 1)) return false;
    b->data[b->len++] = byte;
    return true;
}

static inline bool buf_puts(struct buf *b, const char *text)
{
    return buf_add(b, text, strlen(text));
}

bool buf_printf(struct buf *b, const char *format, ...) __attribute__((format(printf, 2, 3)));

/* Drops the first `len` bytes (at most all of them). */
void buf_consume(struct buf *b, size_t len);

/* Forgets the content, keeps the memory and clears `failed`. */
void buf_clear(struct buf *b);

/* Frees the memory and leaves an empty, reusable buffer. */
void buf_free(struct buf *b);

#endif
