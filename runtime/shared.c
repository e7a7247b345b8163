#include "shared.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "clock.h"

struct entry {
    struct entry *next; /* in its bucket */
    struct area *area;
    size_t heap; /* position in its area's heap */
    uint64_t expires_ns;
    uint64_t hash;
    size_t key_len, value_len;
    char *value; /* owned */
    char key[];
};

/* A binary heap by expiry. */
struct area {
    char name[SHARED_AREA_NAME_MAX + 1];
    struct entry **heap;
    size_t count, room, bytes;
};

/* Open hashing for finding, and heaps for forgetting. */
struct shared {
    struct entry **buckets;
    size_t bucket_count; /* a power of two */
    struct area areas[SHARED_AREAS_MAX];
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
    if (s->buckets != NULL) return s;
    shared_free(s);
    return NULL;
}

void shared_free(struct shared *s)
{
    if (s == NULL) return;
    for (struct area *a = s->areas; a < s->areas + SHARED_AREAS_MAX; a++) {
        for (size_t i = 0; i < a->count; i++) {
            free(a->heap[i]->value);
            free(a->heap[i]);
        }
        free(a->heap);
    }
    free(s->buckets);
    free(s);
}

/* ---- heap -------------------------------------------------------------------------------------------- */

static void heap_set(struct area *a, size_t at, struct entry *e)
{
    a->heap[at] = e;
    e->heap = at;
}

static void heap_up(struct area *a, size_t at)
{
    struct entry *e = a->heap[at];
    while (at > 0 && a->heap[(at - 1) / 2]->expires_ns > e->expires_ns) {
        heap_set(a, at, a->heap[(at - 1) / 2]);
        at = (at - 1) / 2;
    }
    heap_set(a, at, e);
}

static void heap_down(struct area *a, size_t at)
{
    struct entry *e = a->heap[at];
    for (;;) {
        size_t child = 2 * at + 1;
        if (child >= a->count) break;
        if (child + 1 < a->count && a->heap[child + 1]->expires_ns < a->heap[child]->expires_ns) child++;
        if (a->heap[child]->expires_ns >= e->expires_ns) break;
        heap_set(a, at, a->heap[child]);
        at = child;
    }
    heap_set(a, at, e);
}

static bool heap_grow(struct area *a)
{
    if (a->count < a->room) return true;
    size_t room = a->room > 0 ? 2 * a->room : 64;
    struct entry **heap = realloc(a->heap, room * sizeof *heap);
    if (heap == NULL) return false;
    a->heap = heap;
    a->room = room;
    return true;
}

/* ---- areas ------------------------------------------------------------------------------------------- */

/* The area of a key's first word; an empty one takes its name. The last one is for all words beyond. */
static struct area *area_of(struct shared *s, struct shared_text key)
{
    char name[SHARED_AREA_NAME_MAX + 1] = "";
    for (size_t i = 0; i < key.len && i < SHARED_AREA_NAME_MAX && key.data[i] != ' ' && key.data[i] != '/';
         i++)
        name[i] = key.data[i];
    struct area *last = &s->areas[SHARED_AREAS_MAX - 1], *empty = last;
    for (struct area *a = s->areas; a < last; a++) {
        if (a->count > 0 && memcmp(a->name, name, sizeof name) == 0) return a;
        if (a->count == 0 && empty == last) empty = a;
    }
    memcpy(empty->name, name, sizeof name);
    return empty;
}

static struct area *largest(struct shared *s, bool by_bytes)
{
    struct area *found = s->areas;
    for (struct area *a = s->areas; a < s->areas + SHARED_AREAS_MAX; a++)
        if (by_bytes ? a->bytes > found->bytes : a->count > found->count) found = a;
    return found;
}

/* ---- entries ----------------------------------------------------------------------------------------- */

static struct entry **bucket_of(const struct shared *s, uint64_t hash)
{
    return &s->buckets[hash & (s->bucket_count - 1)];
}

static void drop(struct shared *s, struct entry *e)
{
    struct area *a = e->area;
    struct entry **at = bucket_of(s, e->hash);
    while (*at != e)
        at = &(*at)->next;
    *at = e->next;
    struct entry *last = a->heap[--a->count];
    if (last != e) {
        heap_set(a, e->heap, last);
        heap_up(a, e->heap);
        heap_down(a, last->heap);
    }
    s->count--;
    a->bytes -= e->key_len + e->value_len;
    s->bytes -= e->key_len + e->value_len;
    free(e->value);
    free(e);
}

static void forget_expired(struct shared *s)
{
    uint64_t now = clock_ns();
    for (struct area *a = s->areas; a < s->areas + SHARED_AREAS_MAX; a++)
        while (a->count > 0 && a->heap[0]->expires_ns <= now)
            drop(s, a->heap[0]);
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
    if (bytes > s->bytes_max / SHARED_ENTRY_SHARE || s->count_max == 0) return false;
    while (s->bytes + bytes > s->bytes_max)
        drop(s, largest(s, true)->heap[0]);
    while (s->count == s->count_max)
        drop(s, largest(s, false)->heap[0]);
    return true;
}

static bool insert(struct shared *s, struct shared_text key, char *value, size_t value_len, uint64_t ttl_ms)
{
    struct area *area = area_of(s, key);
    struct entry *e = heap_grow(area) ? malloc(sizeof *e + key.len) : NULL;
    if (e == NULL) return false;
    *e = (struct entry){
        .area = area, .hash = hash_of(s, key), .key_len = key.len, .value_len = value_len, .value = value};
    memcpy(e->key, key.data, key.len);
    e->expires_ns = clock_ns() + ttl_ms * 1000000;
    e->next = *bucket_of(s, e->hash);
    *bucket_of(s, e->hash) = e;
    s->bytes += key.len + value_len;
    area->bytes += key.len + value_len;
    s->count++;
    heap_set(area, area->count++, e);
    heap_up(area, e->heap);
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
