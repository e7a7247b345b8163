#include "log.h"

#include <errno.h>
#include <limits.h>
#include <poll.h>
#include <pthread.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <unistd.h>

#include "clock.h"
#include "json.h"
#include "utf8.h"

#define GATHER_BYTES 65536 /* more than this is written without waiting for log_flush */
#define STALL_MS 1000      /* a reader that takes nothing for so long loses what is gathered */

struct log {
    int fd;
    enum log_level level;
    pthread_mutex_t lock; /* guards `lines` and the order of writes */
    struct buf lines;
    struct clock_stamp stamp; /* of the last line */
    bool stalled;             /* the reader took nothing when we last waited for it */
    bool torn;                /* `lines` begins inside a line whose beginning is written */
};

static const char *const names[] = {"TRACE", "DEBUG", "INFO", "WARNING", "ERROR", "CRITICAL"};

const char *log_level_name(enum log_level level)
{
    return names[level];
}

bool log_level_parse(const char *name, enum log_level *level)
{
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        if (strcasecmp(name, names[i]) != 0) continue;
        *level = (enum log_level)i;
        return true;
    }
    return false;
}

struct log *log_new(int fd, enum log_level level)
{
    struct log *log = calloc(1, sizeof *log);
    if (log == NULL) return NULL;
    log->fd = fd;
    log->level = level;
    pthread_mutex_init(&log->lock, NULL);
    return log;
}

bool log_enabled(const struct log *log, enum log_level level)
{
    return level >= log->level;
}

/* Nobody waits a second time for a reader that took nothing, until it does again. */
static bool is_writable(struct log *log)
{
    struct pollfd wait = {.fd = log->fd, .events = POLLOUT};
    int ready;
    do
        ready = poll(&wait, 1, log->stalled ? 0 : STALL_MS);
    while (ready < 0 && errno == EINTR);
    log->stalled = ready == 0;
    return ready > 0;
}

/* Drops what was not written, but for the end of a line that has begun. */
static void drop_lines(struct log *log, size_t done)
{
    char *rest = log->lines.data + done;
    size_t left = log->lines.len - done;
    const char *end = NULL;
    if (done > 0) log->torn = rest[-1] != '\n';
    if (log->torn && left > 0) end = memchr(rest, '\n', left);
    size_t keep = end != NULL ? (size_t)(end - rest) + 1 : 0;
    if (keep > 0) memmove(log->lines.data, rest, keep);
    buf_clear(&log->lines);
    log->lines.len = keep;
}

/* A pipe that is writable takes PIPE_BUF bytes without blocking. */
static void write_lines(struct log *log)
{
    size_t done = 0;
    while (done < log->lines.len && is_writable(log)) {
        size_t len = log->lines.len - done;
        ssize_t n = write(log->fd, log->lines.data + done, len < PIPE_BUF ? len : PIPE_BUF);
        if (n >= 0)
            done += (size_t)n;
        else if (errno != EINTR && errno != EAGAIN)
            break;
    }
    if (log->lines.len > 0) drop_lines(log, done);
}

void log_flush(struct log *log)
{
    pthread_mutex_lock(&log->lock);
    write_lines(log);
    pthread_mutex_unlock(&log->lock);
}

void log_free(struct log *log)
{
    if (log == NULL) return;
    log_flush(log);
    buf_free(&log->lines);
    pthread_mutex_destroy(&log->lock);
    free(log);
}

static void add_line(struct buf *out, const char *ts, enum log_level level, const char *logger,
                     const char *message, size_t message_len, const struct buf *fields)
{
    buf_puts(out, "{\"ts\":\"");
    buf_puts(out, ts);
    buf_puts(out, "\",\"level\":\"");
    buf_puts(out, names[level]);
    buf_puts(out, "\",\"logger\":");
    json_text_quote(out, logger, strlen(logger));
    buf_puts(out, ",\"msg\":");
    json_text_quote(out, message, message_len);
    if (fields != NULL && fields->len > 0) {
        buf_byte(out, ',');
        buf_add(out, fields->data, fields->len);
    }
    buf_puts(out, "}\n");
}

void log_fields(struct log *log, enum log_level level, const char *logger, const char *message,
                size_t message_len, const struct buf *fields)
{
    if (!log_enabled(log, level)) return;
    if (message_len > LOG_TEXT_MAX) message_len = utf8_cut(message, LOG_TEXT_MAX);
    pthread_mutex_lock(&log->lock);
    size_t before = log->lines.len;
    add_line(&log->lines, clock_stamp(&log->stamp), level, logger, message, message_len, fields);
    if (log->lines.failed) log->lines.len = before;
    if (log->lines.failed || level >= LOG_ERROR || log->lines.len > GATHER_BYTES) write_lines(log);
    pthread_mutex_unlock(&log->lock);
}

void log_line(struct log *log, enum log_level level, const char *logger, const char *format, ...)
{
    char text[1024], *whole = NULL;
    if (!log_enabled(log, level)) return;
    va_list args;
    va_start(args, format);
    int len = vsnprintf(text, sizeof text, format, args);
    va_end(args);
    if (len >= (int)sizeof text) {
        va_start(args, format);
        if (vasprintf(&whole, format, args) < 0) whole = NULL;
        va_end(args);
    }
    const char *message = whole != NULL ? whole : text;
    log_fields(log, level, logger, message, strlen(message), NULL);
    free(whole);
}
