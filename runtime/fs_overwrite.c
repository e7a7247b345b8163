#include "fs_internal.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "utf8.h"

/* The copy of the old content while a file is written in place. */
struct keep {
    int dir; /* borrowed */
    int fd;
    char name[NAME_MAX + 1]; /* "" when the copy is only in memory */
};

static void name_keep(struct keep *keep, const char *name)
{
    char digits[FS_DIGITS_SIZE];
    fs_random_digits(digits);
    size_t room = NAME_MAX - sizeof ".." - sizeof digits - sizeof ".sandstorm-old";
    size_t len = strlen(name);
    if (len > room) len = utf8_cut(name, room);
    snprintf(keep->name, sizeof keep->name, ".%.*s.%s.sandstorm-old", (int)len, name, digits);
}

static bool open_named(struct keep *keep, const struct fs_place *place)
{
    *keep = (struct keep){.dir = place->dir};
    name_keep(keep, place->name);
    keep->fd = fs_open_at(keep->dir, keep->name, O_RDWR | O_CREAT | O_EXCL | O_NOFOLLOW, 0600, 0);
    if (keep->fd < 0) keep->name[0] = '\0';
    return keep->fd >= 0;
}

static bool open_memory(struct keep *keep)
{
    *keep = (struct keep){.fd = memfd_create("old content", MFD_CLOEXEC)};
    return keep->fd >= 0;
}

static void close_keep(struct keep *keep, bool remove)
{
    int number = errno;
    fs_close(keep->fd);
    if (remove && keep->name[0] != '\0') unlinkat(keep->dir, keep->name, 0);
    errno = number;
}

/* Copies the content of the file at the place, which has to be the one that is about to be written. */
static bool copy_old(struct fs_root *root, const struct fs_place *place, const struct stat *old,
                     struct keep *keep)
{
    struct stat st;
    int from = fs_open_content(root, place, O_RDONLY, &st);
    if (from < 0) return false;
    bool same = st.st_dev == old->st_dev && st.st_ino == old->st_ino;
    bool ok = same && fs_copy_content(from, keep->fd) && fsync(keep->fd) == 0;
    if (!same) errno = FS_ERACED;
    fs_close(from);
    return ok;
}

static bool keep_old(struct fs_root *root, const struct fs_place *place, const struct stat *old,
                     struct keep *keep)
{
    if (open_named(keep, place) && copy_old(root, place, old, keep)) return true;
    close_keep(keep, true);
    if (errno == FS_ERACED) return false;
    if ((uint64_t)old->st_size > FS_KEEP_MAX) {
        errno = FS_ENOKEEP;
        return false;
    }
    if (open_memory(keep) && copy_old(root, place, old, keep)) return true;
    close_keep(keep, true);
    return false;
}

/* Asks for the space beforehand. Where the file system cannot, writing tells. */
static bool reserve(int fd, size_t size)
{
    if (size == 0 || fallocate(fd, 0, 0, (off_t)size) == 0) return true;
    return errno == EOPNOTSUPP || errno == ENOSYS || errno == EINTR;
}

static bool fill(int fd, const void *bytes, size_t size)
{
    return reserve(fd, size) && fs_write_all(fd, bytes, size, 0) && ftruncate(fd, (off_t)size) == 0 &&
           fsync(fd) == 0;
}

static bool put_back(int fd, const struct keep *keep, off_t size)
{
    return fs_copy_content(keep->fd, fd) && ftruncate(fd, size) == 0;
}

static bool overwrite(struct fs_root *root, const struct fs_place *place, int fd, const void *bytes,
                      size_t size)
{
    struct stat st;
    struct keep keep;
    if (fstat(fd, &st) != 0 || !keep_old(root, place, &st, &keep)) return false;
    bool ok = fill(fd, bytes, size);
    int number = errno;
    bool whole = ok || put_back(fd, &keep, st.st_size);
    close_keep(&keep, whole);
    errno = whole ? number : FS_ETORN;
    return ok;
}

bool fs_overwrite(struct fs_root *root, const struct fs_place *place, int fd, const void *bytes, size_t size)
{
    struct stat st;
    if (fstat(fd, &st) != 0) return false;
    pthread_rwlock_t *stripe = fs_stripe(root, &st);
    pthread_rwlock_wrlock(stripe);
    bool ok = overwrite(root, place, fd, bytes, size);
    pthread_rwlock_unlock(stripe);
    return ok;
}

static bool extend(int fd, off_t end, const void *bytes, size_t size)
{
    if (fs_write_all(fd, bytes, size, end) && fsync(fd) == 0) return true;
    int number = errno;
    errno = ftruncate(fd, end) == 0 ? number : FS_ETAIL;
    return false;
}

bool fs_extend(struct fs_root *root, int fd, const void *bytes, size_t size)
{
    struct stat st;
    if (fstat(fd, &st) != 0) return false;
    pthread_rwlock_t *stripe = fs_stripe(root, &st);
    pthread_rwlock_wrlock(stripe);
    bool ok = fstat(fd, &st) == 0 && extend(fd, st.st_size, bytes, size);
    pthread_rwlock_unlock(stripe);
    return ok;
}
