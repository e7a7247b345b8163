#include "buf.h"

#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

bool buf_grow(struct buf *b, size_t extra)
{
    if (b->failed) return false;
    if (extra > SIZE_MAX / 2 - b->len) {
        b->failed = true;
        return false;
    }
    size_t cap = b->cap < 128 ? 128 : b->cap;
    while (cap < b->len + extra)
        cap += cap / 2;
    char *data = realloc(b->data, cap);
    if (data == NULL) {
        b->failed = true;
        return false;
    }
    b->data = data;
    b->cap = cap;
    return true;
}

bool buf_printf(struct buf *b, const char *format, ...)
{
    va_list args;
    va_start(args, format);
    int needed = vsnprintf(NULL, 0, format, args);
    va_end(args);
    if (needed < 0 || !buf_reserve(b, (size_t)needed + 1)) return false;
    va_start(args, format);
    vsnprintf(b->data + b->len, (size_t)needed + 1, format, args);
    va_end(args);
    b->len += (size_t)needed;
    return true;
}

void buf_consume(struct buf *b, size_t len)
{
    if (len > b->len) len = b->len;
    b->len -= len;
    if (b->len > 0) memmove(b->data, b->data + len, b->len);
}

void buf_clear(struct buf *b)
{
    b->len = 0;
    b->failed = false;
}

void buf_free(struct buf *b)
{
    free(b->data);
    *b = (struct buf)BUF_INIT;
}
