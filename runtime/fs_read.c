#include "fs_internal.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <unistd.h>

/* Reads up to `limit` bytes from `offset`, to the end of the file at most. */
static bool read_range(int fd, uint64_t offset, size_t limit, struct buf *out)
{
    while (out->len < limit) {
        if (out->len == out->cap && !buf_reserve(out, 1)) {
            errno = ENOMEM;
            return false;
        }
        size_t room = (out->cap < limit ? out->cap : limit) - out->len;
        ssize_t n = pread(fd, out->data + out->len, room, (off_t)(offset + out->len));
        if (n < 0 && errno == EINTR) continue;
        if (n <= 0) return n == 0;
        out->len += (size_t)n;
    }
    return true;
}

static bool fail_large(struct fs_target *t, uint64_t size)
{
    char more[128];
    snprintf(more, sizeof more, "%llu bytes; at most %zu can be read at once, as a range",
             (unsigned long long)size, FS_READ_MAX);
    return fs_fail_with(t, EFBIG, more);
}

/* The size in stat is only a hint: files of /proc have none, others grow. */
static bool read_file(struct fs_target *t, int fd, uint64_t offset, size_t limit, struct buf *out,
                      uint64_t *size)
{
    struct stat st;
    if (fstat(fd, &st) != 0) return fs_fail(t, errno);
    uint64_t end = (uint64_t)st.st_size;
    uint64_t rest = end > offset ? end - offset : 0;
    if (limit == 0 && rest > FS_READ_MAX) return fail_large(t, end);
    *size = end;
    if (offset > (uint64_t)INT64_MAX - FS_READ_MAX) return true;
    size_t most = limit == 0 ? FS_READ_MAX + 1 : limit < FS_READ_MAX ? limit : FS_READ_MAX;
    if (!buf_reserve(out, rest < most ? rest + 1 : most)) return fs_fail(t, ENOMEM);
    if (!read_range(fd, offset, most, out)) return fs_fail(t, errno);
    if (offset + out->len > end && out->len > 0) *size = offset + out->len;
    return out->len <= FS_READ_MAX || fail_large(t, *size);
}

static bool read_locked(struct fs_target *t, int fd, const struct stat *st, uint64_t offset, size_t limit,
                        struct buf *out, uint64_t *size)
{
    pthread_rwlock_t *stripe = fs_stripe(t->root, st);
    pthread_rwlock_rdlock(stripe);
    bool ok = read_file(t, fd, offset, limit, out, size);
    pthread_rwlock_unlock(stripe);
    return ok;
}

static int open_once(struct fs_target *t, struct stat *st)
{
    struct fs_place place;
    if (t->relative[0] == '\0') {
        errno = EISDIR;
        return -1;
    }
    if (!fs_place_follow(t->root, t->relative, &place)) return -1;
    int fd = fs_open_content(t->root, &place, O_RDONLY, st);
    fs_place_close(&place);
    return fd;
}

bool fs_read(struct fs_root *root, const char *path, size_t len, uint64_t offset, size_t limit,
             struct buf *out, uint64_t *size, struct fs_error *error)
{
    struct fs_target t;
    struct stat st;
    int fd = -1;
    *size = 0;
    if (!fs_target_open(&t, root, path, len, error)) return false;
    errno = FS_ERACED;
    for (int tries = 0; tries < FS_RACE_MAX && fd < 0 && errno == FS_ERACED; tries++)
        fd = open_once(&t, &st);
    bool ok = fd >= 0 ? read_locked(&t, fd, &st, offset, limit, out, size) : fs_fail(&t, errno);
    if (fd >= 0) close(fd);
    fs_target_close(&t);
    return ok;
}
