#include "audit.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "clock.h"

#define RETRY_NS UINT64_C(1000000000) /* between two tries after a failure */
#define SECOND_NS UINT64_C(1000000000)
#define PATH_SIZE 4200

struct audit {
    char *path; /* NULL: no log */
    int64_t bytes, files;
    int fd; /* -1: not open */
    struct buf waiting;
    struct clock_stamp stamp; /* of the last line */
    uint64_t lines_waiting, written, lost;
    uint64_t retry_ns; /* not before */
    uint64_t second_ns;
    unsigned refusals, suppressed;
    char error[PATH_SIZE + 256];
};

struct audit *audit_new(const char *path, int64_t bytes, int64_t files)
{
    struct audit *a = calloc(1, sizeof *a);
    if (a == NULL) return NULL;
    *a = (struct audit){.bytes = bytes, .files = files, .fd = -1};
    if (path == NULL || (a->path = strdup(path)) != NULL) return a;
    free(a);
    return NULL;
}

bool audit_enabled(const struct audit *a)
{
    return a->path != NULL;
}

const char *audit_error(const struct audit *a)
{
    return a->error[0] != '\0' ? a->error : NULL;
}

uint64_t audit_written(const struct audit *a)
{
    return a->written;
}

uint64_t audit_lost(const struct audit *a)
{
    return a->lost;
}

static void close_file(struct audit *a)
{
    if (a->fd >= 0) close(a->fd);
    a->fd = -1;
}

static bool fail(struct audit *a, int number)
{
    snprintf(a->error, sizeof a->error, "%s: %s", a->path, strerror(number));
    a->retry_ns = clock_ns() + RETRY_NS;
    close_file(a);
    return false;
}

/* ---- the file ---------------------------------------------------------------------------------------- */

static bool open_file(struct audit *a)
{
    struct stat st;
    a->fd = open(a->path, O_WRONLY | O_APPEND | O_CREAT | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK, 0600);
    if (a->fd < 0) return fail(a, errno);
    if (fstat(a->fd, &st) == 0 && S_ISREG(st.st_mode)) return true;
    return fail(a, EINVAL);
}

static void numbered(const struct audit *a, int64_t number, char *out, size_t size)
{
    snprintf(out, size, number == 0 ? "%s" : "%s.%lld", a->path, (long long)number);
}

/* Moves every file one number up; the last one is replaced. */
static bool rotate(struct audit *a)
{
    char from[PATH_SIZE], to[PATH_SIZE];
    close_file(a);
    if (a->files == 0) return unlink(a->path) == 0 || errno == ENOENT || fail(a, errno);
    for (int64_t i = a->files - 1; i >= 0; i--) {
        numbered(a, i, from, sizeof from);
        numbered(a, i + 1, to, sizeof to);
        if (rename(from, to) != 0 && errno != ENOENT) return fail(a, errno);
    }
    return true;
}

/* Is the file still the one of that name? */
static bool is_there(const struct audit *a, const struct stat *open_one)
{
    struct stat st;
    return lstat(a->path, &st) == 0 && st.st_ino == open_one->st_ino && st.st_dev == open_one->st_dev;
}

static bool prepare(struct audit *a)
{
    struct stat st;
    if (a->fd >= 0 && (fstat(a->fd, &st) != 0 || !is_there(a, &st))) close_file(a);
    if (a->fd < 0 && !open_file(a)) return false;
    if (fstat(a->fd, &st) != 0) return fail(a, errno);
    bool full = st.st_size > 0 && st.st_size + (off_t)a->waiting.len > a->bytes;
    return !full || (rotate(a) && open_file(a));
}

static void write_waiting(struct audit *a)
{
    while (a->waiting.len > 0) {
        ssize_t n = write(a->fd, a->waiting.data, a->waiting.len);
        if (n < 0 && errno == EINTR) continue;
        if (n <= 0) {
            fail(a, n == 0 ? EIO : errno);
            return;
        }
        buf_consume(&a->waiting, (size_t)n);
    }
    buf_clear(&a->waiting);
    a->written += a->lines_waiting;
    a->lines_waiting = 0;
    a->error[0] = '\0';
}

void audit_flush(struct audit *a)
{
    if (a->waiting.len == 0 || (a->retry_ns != 0 && clock_ns() < a->retry_ns)) return;
    a->retry_ns = 0;
    if (prepare(a)) write_waiting(a);
}

void audit_free(struct audit *a)
{
    if (a == NULL) return;
    a->retry_ns = 0;
    audit_flush(a);
    close_file(a);
    buf_free(&a->waiting);
    free(a->path);
    free(a);
}

/* ---- lines ------------------------------------------------------------------------------------------- */

void audit_line(struct audit *a, const struct buf *fields)
{
    if (a->path == NULL) return;
    if (fields->failed || a->waiting.len + fields->len > AUDIT_WAITING_MAX) {
        a->lost++;
        return;
    }
    size_t before = a->waiting.len;
    buf_puts(&a->waiting, "{\"ts\":\"");
    buf_puts(&a->waiting, clock_stamp(&a->stamp));
    buf_puts(&a->waiting, "\",");
    buf_add(&a->waiting, fields->data, fields->len);
    buf_puts(&a->waiting, "}\n");
    if (a->waiting.failed) {
        a->waiting.len = before;
        a->waiting.failed = false;
        a->lost++;
        return;
    }
    a->lines_waiting++;
}

void audit_refusal(struct audit *a, const struct buf *fields)
{
    uint64_t now = clock_ns();
    struct buf line = BUF_INIT;
    if (a->path == NULL) return;
    if (now - a->second_ns > SECOND_NS) {
        a->second_ns = now;
        a->refusals = 0;
    }
    if (++a->refusals > AUDIT_REFUSALS_MAX) {
        a->suppressed++;
        return;
    }
    buf_add(&line, fields->data, fields->len);
    if (a->suppressed > 0) buf_printf(&line, ",\"left_out\":%u", a->suppressed);
    a->suppressed = 0;
    audit_line(a, &line);
    buf_free(&line);
}
