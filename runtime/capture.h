/* Two bounded keepers of a program's output, which is never under the server's control: `capture` keeps the
 * beginning of a stream, `ring` its end. Both count what they could not keep.
 *
 * Ownership: the owner of the struct calls capture_free or ring_free. Zeroed memory is not enough to start
 * with, *_init is. Running out of memory makes them keep less; it is no error. Not thread-safe. */
#ifndef SANDSTORM_CAPTURE_H
#define SANDSTORM_CAPTURE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "buf.h"

struct capture {
    struct buf kept;
    size_t limit;   /* bytes kept at most */
    uint64_t total; /* bytes seen */
};

void capture_init(struct capture *c, size_t limit);
void capture_add(struct capture *c, const char *bytes, size_t len);

/* Whether something was dropped. */
bool capture_truncated(const struct capture *c);

/* The stream is over: if something was dropped, what is kept is cut back to the last border of a character.
 */
void capture_finish(struct capture *c);

void capture_free(struct capture *c);

struct ring {
    char *data;
    size_t limit; /* bytes kept at most */
    size_t size;  /* bytes allocated; grows up to limit */
    size_t start; /* index of the oldest byte; 0 until size == limit */
    size_t len;
    uint64_t total; /* bytes seen */
};

/* The content in order: part[0], then part[1]. Valid until the next ring_add. */
struct ring_view {
    const char *part[2];
    size_t len[2];
    uint64_t dropped; /* bytes before part[0] */
};

void ring_init(struct ring *r, size_t limit);
void ring_add(struct ring *r, const char *bytes, size_t len);

/* If something was dropped, the view starts at the first border of a UTF-8 character. */
struct ring_view ring_content(const struct ring *r);

void ring_free(struct ring *r);

#endif
