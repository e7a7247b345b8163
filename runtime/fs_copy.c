#include "fs_internal.h"

#include <errno.h>
#include <fcntl.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/sendfile.h>
#include <sys/xattr.h>
#include <unistd.h>

#define ACL "system.posix_acl_access"
#define ATTRIBUTE_MAX 65536
#define COPY_BYTES ((off_t)1 << 20)

bool fs_write_all(int fd, const void *bytes, size_t size, off_t offset)
{
    const char *p = bytes;
    while (size > 0) {
        ssize_t n = pwrite(fd, p, size, offset);
        if (n < 0 && errno == EINTR) continue;
        if (n < 0) return false;
        p += n;
        size -= (size_t)n;
        offset += n;
    }
    return true;
}

/* Up to `end`, or to where the content ends. */
static bool copy_data(int from, int to, off_t at, off_t end)
{
    ssize_t n = 1;
    if (lseek(to, at, SEEK_SET) < 0) return false;
    while (at < end && n != 0) {
        off_t left = end - at;
        n = sendfile(to, from, &at, left < COPY_BYTES ? (size_t)left : COPY_BYTES);
        if (n < 0 && errno != EINTR) return false;
    }
    return true;
}

/* Zeros from `at` to `end`, without writing any where that can be had. */
static bool copy_hole(int from, int to, off_t at, off_t end)
{
    off_t size = lseek(to, 0, SEEK_END);
    if (size > end) size = end;
    if (at >= size || fallocate(to, FALLOC_FL_PUNCH_HOLE | FALLOC_FL_KEEP_SIZE, at, size - at) == 0)
        return true;
    return copy_data(from, to, at, size);
}

/* Where the next data begins, `end` where there is none. A file system that does not know says: at once. */
static off_t next_data(int fd, off_t at, off_t end)
{
    off_t data = lseek(fd, at, SEEK_DATA);
    if (data < 0) return errno == ENXIO ? end : at;
    return data < end ? data : end;
}

/* Where data that begins at `at` ends. */
static off_t next_hole(int fd, off_t at, off_t end)
{
    off_t hole = lseek(fd, at, SEEK_HOLE);
    return hole <= at || hole > end ? end : hole;
}

bool fs_copy_content(int from, int to)
{
    off_t end = lseek(from, 0, SEEK_END);
    for (off_t at = 0, data, hole; at < end; at = hole) {
        data = next_data(from, at, end);
        hole = data < end ? next_hole(from, data, end) : end;
        if (!copy_hole(from, to, at, data) || !copy_data(from, to, data, hole)) return false;
    }
    off_t left = lseek(from, 0, SEEK_END); /* less than before if it was cut meanwhile */
    if (left < end) end = left;
    if (end > lseek(to, 0, SEEK_END) && ftruncate(to, end) != 0) return false;
    return copy_data(from, to, end < 0 ? 0 : end, INT64_MAX); /* some have more than they say */
}

static bool copy_owner(const struct stat *st, int to)
{
    struct stat own;
    if (fstat(to, &own) != 0) return false;
    if (own.st_uid == st->st_uid && own.st_gid == st->st_gid) return true;
    return fchown(to, st->st_uid, st->st_gid) == 0;
}

/* An ACL that the new file inherited from the folder goes when the old file had none: it could let others in.
 */
static bool copy_acl(int from, int to, void *space)
{
    ssize_t n = fgetxattr(from, ACL, space, ATTRIBUTE_MAX);
    if (n >= 0) return fsetxattr(to, ACL, space, (size_t)n, 0) == 0;
    if (errno != ENODATA && errno != EOPNOTSUPP) return false;
    return fremovexattr(to, ACL) == 0 || errno == ENODATA || errno == EOPNOTSUPP;
}

/* These vouch for the old content or were dealt with already. */
static bool skipped(const char *name)
{
    return strcmp(name, "security.ima") == 0 || strcmp(name, "security.evm") == 0 || strcmp(name, ACL) == 0;
}

static void copy_attributes(int from, int to, void *space)
{
    char names[4096];
    ssize_t len = flistxattr(from, names, sizeof names);
    for (char *name = names; name < names + (len < 0 ? 0 : len); name += strlen(name) + 1) {
        if (skipped(name)) continue;
        ssize_t n = fgetxattr(from, name, space, ATTRIBUTE_MAX);
        if (n >= 0) (void)!fsetxattr(to, name, space, (size_t)n, 0);
    }
}

bool fs_copy_metadata(int from, const struct stat *st, int to)
{
    void *space = malloc(ATTRIBUTE_MAX);
    if (space == NULL) return false;
    bool ok = copy_owner(st, to) && copy_acl(from, to, space) && fchmod(to, st->st_mode & 07777) == 0;
    if (ok) copy_attributes(from, to, space);
    free(space);
    return ok;
}
