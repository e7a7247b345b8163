/* The one clock. Thread-safe. */
#ifndef SANDSTORM_CLOCK_H
#define SANDSTORM_CLOCK_H

#include <stddef.h>
#include <stdint.h>

/* Monotonic nanoseconds; only differences mean something. */
uint64_t clock_ns(void);

/* Wall time, milliseconds since 1970-01-01T00:00:00Z. */
int64_t clock_unix_ms(void);

/* Wall time as `YYYY-MM-DDTHH:MM:SS.mmmZ` (RFC 3339, UTC); size must be at least CLOCK_TEXT_SIZE. */
#define CLOCK_TEXT_SIZE 32
void clock_text(char *out, size_t size);

#endif
