#include "shared.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "clock.h"

struct entry {
    struct entry *next; /* in its bucket */
    size_t heap;        /* position in the heap */
    uint64_t expires_ns;
    uint64_t hash;
    size_t key_len, value_len;
    char *value; /* owned */
    char key[];
};

/* Open hashing for finding, and a binary heap by expiry for forgetting. */
struct shared {
    struct entry **buckets;
    size_t bucket_count; /* a power of two */
    struct entry **heap;
    size_t count, count_max;
    size_t bytes, bytes_max;
    uint64_t seed;
};

/* FNV-1a with a seed: keys come from outside. */
static uint64_t hash_of(const struct shared *s, struct shared_text key)
{
    uint64_t h = 14695981039346656037u ^ s->seed;
    for (size_t i = 0; i < key.len; i++)
        h = (h ^ (unsigned char)key.data[i]) * 1099511628211u;
    return h ^ (h >> 29);
}

struct shared *shared_new(size_t entries, size_t bytes)
{
    struct shared *s = calloc(1, sizeof *s);
    if (s == NULL) return NULL;
    s->count_max = entries;
    s->bytes_max = bytes;
    s->bucket_count = 64;
    while (s->bucket_count < entries)
        s->bucket_count *= 2;
    s->seed = clock_ns() * 2654435769u ^ (uint64_t)(uintptr_t)s;
    s->buckets = calloc(s->bucket_count, sizeof(struct entry *));
    s->heap = calloc(entries, sizeof(struct entry *));
    if (s->buckets != NULL && s->heap != NULL) return s;
    shared_free(s);
    return NULL;
}

void shared_free(struct shared *s)
{
    if (s == NULL) return;
    for (size_t i = 0; i < s->count; i++) {
        free(s->heap[i]->value);
        free(s->heap[i]);
    }
    free(s->buckets);
    free(s->heap);
    free(s);
}

/* ---- heap -------------------------------------------------------------------------------------------- */

static void heap_set(struct shared *s, size_t at, struct entry *e)
{
    s->heap[at] = e;
    e->heap = at;
}

static void heap_up(struct shared *s, size_t at)
{
    struct entry *e = s->heap[at];
    while (at > 0 && s->heap[(at - 1) / 2]->expires_ns > e->expires_ns) {
        heap_set(s, at, s->heap[(at - 1) / 2]);
        at = (at - 1) / 2;
    }
    heap_set(s, at, e);
}

static void heap_down(struct shared *s, size_t at)
{
    struct entry *e = s->heap[at];
    for (;;) {
        size_t child = 2 * at + 1;
        if (child >= s->count) break;
        if (child + 1 < s->count && s->heap[child + 1]->expires_ns < s->heap[child]->expires_ns) child++;
        if (s->heap[child]->expires_ns >= e->expires_ns) break;
        heap_set(s, at, s->heap[child]);
        at = child;
    }
    heap_set(s, at, e);
}

/* ---- entries ----------------------------------------------------------------------------------------- */

static struct entry **bucket_of(const struct shared *s, uint64_t hash)
{
    return &s->buckets[hash & (s->bucket_count - 1)];
}

static void drop(struct shared *s, struct entry *e)
{
    struct entry **at = bucket_of(s, e->hash);
    while (*at != e)
        at = &(*at)->next;
    *at = e->next;
    struct entry *last = s->heap[--s->count];
    if (last != e) {
        heap_set(s, e->heap, last);
        heap_up(s, e->heap);
        heap_down(s, last->heap);
    }
    s->bytes -= e->key_len + e->value_len;
    free(e->value);
    free(e);
}

static void forget_expired(struct shared *s)
{
    uint64_t now = clock_ns();
    while (s->count > 0 && s->heap[0]->expires_ns <= now)
        drop(s, s->heap[0]);
}

static struct entry *find(const struct shared *s, struct shared_text key)
{
    uint64_t hash = hash_of(s, key);
    for (struct entry *e = *bucket_of(s, hash); e != NULL; e = e->next)
        if (e->hash == hash && e->key_len == key.len && memcmp(e->key, key.data, key.len) == 0) return e;
    return NULL;
}

static bool make_room(struct shared *s, size_t bytes)
{
    if (bytes > s->bytes_max || s->count_max == 0) return false;
    while (s->count == s->count_max || s->bytes + bytes > s->bytes_max)
        drop(s, s->heap[0]);
    return true;
}

static bool insert(struct shared *s, struct shared_text key, char *value, size_t value_len, uint64_t ttl_ms)
{
    struct entry *e = malloc(sizeof *e + key.len);
    if (e == NULL) return false;
    *e = (struct entry){.hash = hash_of(s, key), .key_len = key.len, .value_len = value_len, .value = value};
    memcpy(e->key, key.data, key.len);
    e->expires_ns = clock_ns() + ttl_ms * 1000000;
    e->next = *bucket_of(s, e->hash);
    *bucket_of(s, e->hash) = e;
    s->bytes += key.len + value_len;
    heap_set(s, s->count++, e);
    heap_up(s, e->heap);
    return true;
}

bool shared_put(struct shared *s, struct shared_text key, struct shared_text value, uint64_t ttl_ms,
                bool only_new)
{
    forget_expired(s);
    struct entry *old = find(s, key);
    if (old != NULL && only_new) return false;
    char *copy = malloc(value.len + 1);
    if (copy == NULL) return false;
    memcpy(copy, value.data, value.len);
    if (old != NULL) drop(s, old);
    if (make_room(s, key.len + value.len) && insert(s, key, copy, value.len, ttl_ms)) return true;
    free(copy);
    return false;
}

bool shared_get(struct shared *s, struct shared_text key, struct shared_text *value)
{
    forget_expired(s);
    const struct entry *e = find(s, key);
    if (e == NULL) return false;
    *value = (struct shared_text){e->value, e->value_len};
    return true;
}

bool shared_remove(struct shared *s, struct shared_text key)
{
    forget_expired(s);
    struct entry *e = find(s, key);
    if (e == NULL) return false;
    drop(s, e);
    return true;
}

int64_t shared_add(struct shared *s, struct shared_text key, int64_t amount, uint64_t ttl_ms)
{
    char text[32];
    struct shared_text value;
    forget_expired(s);
    struct entry *e = find(s, key);
    int64_t sum = amount;
    if (e != NULL) {
        snprintf(text, sizeof text, "%.*s", (int)e->value_len, e->value);
        sum += strtoll(text, NULL, 10);
        ttl_ms = (e->expires_ns - clock_ns()) / 1000000 + 1;
    }
    value.data = text;
    value.len = (size_t)snprintf(text, sizeof text, "%" PRId64, sum);
    return shared_put(s, key, value, ttl_ms, false) ? sum : INT64_MIN;
}

int64_t shared_ttl(struct shared *s, struct shared_text key)
{
    forget_expired(s);
    const struct entry *e = find(s, key);
    return e != NULL ? (int64_t)((e->expires_ns - clock_ns()) / 1000000) : -1;
}
