/* The audit log: one JSON object a line in a file of its own, for each tool call and authentication event.
 *
 * Lines are gathered and written with one write per loop turn. A file that reaches its size is renamed to
 * `<path>.1`, older ones move up, the oldest goes. A file that is renamed or removed by others is begun anew.
 * Where it cannot be written, lines wait in memory, up to AUDIT_WAITING_MAX bytes, and are written when it
 * can be; what does not fit is lost and counted. audit_error says what is wrong, for /health.
 *
 * What strangers cause comes as fast as they like, and must not push older lines out of the files: beyond
 * AUDIT_REFUSALS_MAX a second it is only counted, and the next line of that kind says how many there were.
 *
 * Never pass a secret. Everything belongs to the loop's thread. */
#ifndef SANDSTORM_AUDIT_H
#define SANDSTORM_AUDIT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "buf.h"

#define AUDIT_WAITING_MAX ((size_t)4 << 20)
#define AUDIT_REFUSALS_MAX 20

struct audit;

/* `path`: absolute, copied; NULL: no log, everything else does nothing then. `bytes`: size of a file,
 * `files`: older ones kept. NULL without memory. No file is touched. */
struct audit *audit_new(const char *path, int64_t bytes, int64_t files);

/* Writes what waits, as far as possible, and frees. NULL is allowed. */
void audit_free(struct audit *a);

bool audit_enabled(const struct audit *a);

/* A line: `fields` is the inside of a JSON object and stands behind the time. */
void audit_line(struct audit *a, const struct buf *fields);

/* The same for a refused bearer, and for anything else that strangers can cause as often as they like. */
void audit_refusal(struct audit *a, const struct buf *fields);

/* Writes what is gathered. */
void audit_flush(struct audit *a);

/* Why the file cannot be written, one line, or NULL. Valid until the next call. */
const char *audit_error(const struct audit *a);

uint64_t audit_written(const struct audit *a);
uint64_t audit_lost(const struct audit *a);

#endif
