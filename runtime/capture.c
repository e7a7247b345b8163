#include "capture.h"

#include <stdlib.h>
#include <string.h>

#include "utf8.h"

#define RING_FIRST_SIZE 4096
#define CONTINUATION_MAX 3 /* bytes that may follow the first one of a character */

void capture_init(struct capture *c, size_t limit)
{
    *c = (struct capture){.kept = BUF_INIT, .limit = limit};
}

void capture_add(struct capture *c, const char *bytes, size_t len)
{
    size_t room = c->limit - c->kept.len;
    buf_add(&c->kept, bytes, len < room ? len : room);
    c->total += len;
}

bool capture_truncated(const struct capture *c)
{
    return c->total > c->kept.len;
}

void capture_finish(struct capture *c)
{
    if (capture_truncated(c) && c->kept.len > 0) c->kept.len = utf8_cut(c->kept.data, c->kept.len);
}

void capture_free(struct capture *c)
{
    buf_free(&c->kept);
}

void ring_init(struct ring *r, size_t limit)
{
    *r = (struct ring){.limit = limit};
}

/* Makes `size` hold `wanted` bytes if the limit and the memory allow; after a failure the size is the limit.
 */
static void grow(struct ring *r, size_t wanted)
{
    if (wanted > r->limit) wanted = r->limit;
    if (wanted <= r->size) return;
    size_t size = r->size < RING_FIRST_SIZE ? RING_FIRST_SIZE : r->size;
    while (size < wanted)
        size *= 2;
    if (size > r->limit) size = r->limit;
    char *data = realloc(r->data, size);
    if (data == NULL) {
        r->limit = r->size;
        return;
    }
    r->data = data;
    r->size = size;
}

/* Stores `len` <= size bytes behind the newest one. */
static void store(struct ring *r, const char *bytes, size_t len)
{
    size_t end = (r->start + r->len) % r->size;
    size_t first = len < r->size - end ? len : r->size - end;
    memcpy(r->data + end, bytes, first);
    memcpy(r->data, bytes + first, len - first);
    size_t overwritten = r->len + len > r->size ? r->len + len - r->size : 0;
    r->start = (r->start + overwritten) % r->size;
    r->len += len - overwritten;
}

void ring_add(struct ring *r, const char *bytes, size_t len)
{
    r->total += len;
    grow(r, r->len + len);
    if (r->size == 0) return;
    if (len > r->size) {
        bytes += len - r->size;
        len = r->size;
    }
    store(r, bytes, len);
}

static void skip_continuation(struct ring_view *v)
{
    for (int i = 0; i < CONTINUATION_MAX; i++) {
        int part = v->len[0] > 0 ? 0 : 1;
        if (v->len[part] == 0 || ((unsigned char)*v->part[part] & 0xC0) != 0x80) return;
        v->part[part]++;
        v->len[part]--;
        v->dropped++;
    }
}

struct ring_view ring_content(const struct ring *r)
{
    struct ring_view v = {{"", ""}, {0, 0}, r->total - r->len};
    if (r->len == 0) return v;
    size_t first = r->size - r->start;
    v.part[0] = r->data + r->start;
    v.len[0] = r->len < first ? r->len : first;
    v.part[1] = r->data;
    v.len[1] = r->len - v.len[0];
    if (v.dropped > 0) skip_continuation(&v);
    return v;
}

void ring_free(struct ring *r)
{
    free(r->data);
    *r = (struct ring){.limit = r->limit};
}
