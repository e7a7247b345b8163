/* Structured log: one JSON object a line on a file descriptor.
 * Fields in order: ts (UTC, RFC 3339), level, logger, msg, then the caller's. Lines are gathered and written
 * with one write per loop turn (log_flush); anything at ERROR or above is written at once.
 * Writing waits for a reader that is slow, but one that takes nothing for a second loses what is gathered
 * (whole lines), and is not waited for again until it takes something. Never pass a secret: the log does not
 * know one from other text. Thread-safe. */
#ifndef SANDSTORM_LOG_H
#define SANDSTORM_LOG_H

#include <stdbool.h>
#include <stddef.h>

#include "buf.h"

enum log_level { LOG_TRACE, LOG_DEBUG, LOG_INFO, LOG_WARNING, LOG_ERROR, LOG_CRITICAL };

struct log;

/* The name as it stands in a line: "INFO". */
const char *log_level_name(enum log_level level);

/* Reads a level name in any case; false for others. */
bool log_level_parse(const char *name, enum log_level *level);

/* Opens a log on `fd` (borrowed). NULL when there is no memory. */
struct log *log_new(int fd, enum log_level level);

/* Writes what is gathered and frees. NULL is allowed. */
void log_free(struct log *log);

bool log_enabled(const struct log *log, enum log_level level);

/* The text of one line has LOG_TEXT_MAX bytes at most; more is cut off. */
#define LOG_TEXT_MAX 262144

/* A line without further fields. */
void log_line(struct log *log, enum log_level level, const char *logger, const char *format, ...)
    __attribute__((format(printf, 4, 5)));

/* A line with further fields: `fields` is the inside of a JSON object (`"a":1,"b":"x"`), empty or
 * NULL. */
void log_fields(struct log *log, enum log_level level, const char *logger, const char *message,
                size_t message_len, const struct buf *fields);

/* Writes what is gathered. */
void log_flush(struct log *log);

#endif
