/* Memory that outlives a request and a generation of the scripts: a bounded table of byte strings that
 * expire. What needs to survive a restart belongs elsewhere.
 *
 * Keys and values are bytes. The area of a key is its first word, up to a blank or a slash. When the table is
 * full, the area that holds most loses the entry that expires first: who can fill one area takes nothing
 * from the others. Entries must be such that losing one early is safe, or harmless. Everything belongs to the
 * loop's thread. */
#ifndef SANDSTORM_SHARED_H
#define SANDSTORM_SHARED_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct shared;

#define SHARED_AREAS_MAX 32     /* beyond, further words share one */
#define SHARED_AREA_NAME_MAX 24 /* bytes of the word that count */
#define SHARED_ENTRY_SHARE 8    /* an entry takes no more than that part of all bytes */

/* At most `entries` entries with `bytes` bytes of keys and values. NULL without memory. */
struct shared *shared_new(size_t entries, size_t bytes);

/* NULL is allowed. */
void shared_free(struct shared *s);

struct shared_text {
    const char *data;
    size_t len;
};

/* Stores for `ttl_ms`. With `only_new` an entry that is there is kept and false is returned; also false when
 * the entry is too large for the table or memory is short. */
bool shared_put(struct shared *s, struct shared_text key, struct shared_text value, uint64_t ttl_ms,
                bool only_new);

/* Looks up; `value` is valid until the next call. */
bool shared_get(struct shared *s, struct shared_text key, struct shared_text *value);

/* Removes; true if it was there. */
bool shared_remove(struct shared *s, struct shared_text key);

/* Adds to a counter and returns its new value. A new counter, and only that, gets the time to live: a fixed
 * window. INT64_MIN when there is no room. */
int64_t shared_add(struct shared *s, struct shared_text key, int64_t amount, uint64_t ttl_ms);

/* Milliseconds until the entry expires, or -1. */
int64_t shared_ttl(struct shared *s, struct shared_text key);

#endif
