/* The one clock. Thread-safe. */
#ifndef SANDSTORM_CLOCK_H
#define SANDSTORM_CLOCK_H

#include <stddef.h>
#include <stdint.h>

/* Monotonic nanoseconds; only differences mean something. */
uint64_t clock_ns(void);

/* Wall time, milliseconds since 1970-01-01T00:00:00Z. */
int64_t clock_unix_ms(void);

/* Wall time as text. Who writes many keeps one of these, zeroed at first: the part up to the second is worked
 * out once a second. */
struct clock_stamp {
    int64_t second;
    char text[32];
};

/* Now, as `YYYY-MM-DDTHH:MM:SS.mmmZ` (RFC 3339, UTC); good until the next call for that stamp. */
const char *clock_stamp(struct clock_stamp *stamp);

#endif
