#include "fs_internal.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/sendfile.h>
#include <sys/xattr.h>
#include <unistd.h>

#define ACL "system.posix_acl_access"
#define ATTRIBUTE_MAX 65536

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

bool fs_copy_content(int from, int to)
{
    off_t position = 0;
    if (lseek(to, 0, SEEK_SET) < 0) return false;
    for (;;) {
        ssize_t n = sendfile(to, from, &position, (size_t)1 << 20);
        if (n < 0 && errno == EINTR) continue;
        if (n <= 0) return n == 0;
    }
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
