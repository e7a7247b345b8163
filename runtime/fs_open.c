#include "fs_internal.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/openat2.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "path.h"

#define TRIES_MAX 1000 /* EAGAIN: something was renamed meanwhile, or somebody else holds a lease */

#define CONFINED (RESOLVE_BENEATH | RESOLVE_NO_MAGICLINKS)

void fs_close(int fd)
{
    int number = errno;
    if (fd >= 0) close(fd);
    errno = number;
}

int fs_open_at(int dir, const char *relative, uint64_t flags, mode_t mode, uint64_t resolve)
{
    struct open_how how = {.flags = flags | O_CLOEXEC, .mode = mode, .resolve = resolve | CONFINED};
    const char *path = relative[0] == '\0' ? "." : relative;
    long fd = -1;
    errno = EAGAIN;
    for (int tries = 0; tries < TRIES_MAX && fd < 0 && (errno == EAGAIN || errno == EINTR); tries++)
        fd = syscall(SYS_openat2, dir, path, &how, sizeof how);
    return (int)fd;
}

int fs_open_name(int dir, const char *name, uint64_t flags)
{
    return fs_open_at(dir, name, flags | O_NOFOLLOW, 0, 0);
}

/* The way for absolute links, which RESOLVE_BENEATH refuses wherever they lead. A link that appears between
 * the two steps is refused with ELOOP; then both are done again. */
static int open_followed(struct fs_root *root, const char *relative, uint64_t flags)
{
    char plain[PATH_MAX];
    for (int tries = 0; tries < FS_RACE_MAX; tries++) {
        if (!fs_follow(root, relative, (flags & O_NOFOLLOW) == 0, plain)) return -1;
        int fd = fs_open_at(root->fd, plain, flags, 0, RESOLVE_NO_SYMLINKS);
        if (fd >= 0 || errno != ELOOP) return fd;
    }
    return -1;
}

int fs_open_beneath(struct fs_root *root, const char *relative, uint64_t flags)
{
    int fd = fs_open_at(root->fd, relative, flags, 0, 0);
    if (fd >= 0 || errno != EXDEV) return fd;
    return open_followed(root, relative, flags);
}

bool fs_place_find(struct fs_root *root, const char *relative, struct fs_place *place)
{
    size_t parent = path_parent(relative, strlen(relative));
    const char *name = relative + parent + (parent > 0);
    char folder[PATH_MAX];
    place->dir = -1;
    if (strlen(name) > NAME_MAX || parent >= sizeof folder) {
        errno = ENAMETOOLONG;
        return false;
    }
    memcpy(folder, relative, parent);
    folder[parent] = '\0';
    strcpy(place->name, name);
    place->dir = fs_open_beneath(root, folder, O_PATH | O_DIRECTORY);
    return place->dir >= 0;
}

bool fs_place_stat(const struct fs_place *place, struct stat *st)
{
    return fstatat(place->dir, place->name, st, AT_SYMLINK_NOFOLLOW) == 0;
}

void fs_place_close(struct fs_place *place)
{
    fs_close(place->dir);
    place->dir = -1;
}

static int refusal(const struct fs_root *root, const struct stat *st)
{
    if (S_ISLNK(st->st_mode)) return FS_ERACED;
    if (S_ISDIR(st->st_mode)) return EISDIR;
    if (!S_ISREG(st->st_mode)) return FS_ENOTREG;
    return fs_guards_file(root, st) ? FS_EGUARDED : 0;
}

/* Gives `fd` back when content may be had from it, else closes it. */
static int checked(const struct fs_root *root, int fd, struct stat *st)
{
    if (fd < 0) return -1;
    int number = fstat(fd, st) == 0 ? refusal(root, st) : errno;
    if (number == 0) return fd;
    close(fd);
    errno = number;
    return -1;
}

int fs_open_content(struct fs_root *root, const struct fs_place *place, uint64_t flags, struct stat *st)
{
    int fd = fs_open_name(place->dir, place->name, O_PATH);
    fd = checked(root, fd, st);
    if (fd < 0) return -1;
    close(fd);
    fd = fs_open_name(place->dir, place->name, flags | O_NONBLOCK | O_NOCTTY);
    if (fd < 0 && (errno == ELOOP || errno == ENXIO)) errno = FS_ERACED;
    return checked(root, fd, st);
}

static bool is_link(const struct fs_place *place)
{
    struct stat st;
    return fs_place_stat(place, &st) && S_ISLNK(st.st_mode);
}

bool fs_place_follow(struct fs_root *root, const char *relative, struct fs_place *place)
{
    char plain[PATH_MAX];
    if (!fs_place_find(root, relative, place)) return false;
    for (int tries = 0; is_link(place); tries++) {
        fs_place_close(place);
        if (tries == FS_RACE_MAX) {
            errno = ELOOP;
            return false;
        }
        if (!fs_follow(root, relative, true, plain)) return false;
        if (plain[0] == '\0') {
            errno = EISDIR;
            return false;
        }
        if (!fs_place_find(root, plain, place)) return false;
    }
    return true;
}

int fs_open_dir(struct fs_root *root, const char *path, size_t len, struct fs_error *error)
{
    struct fs_target t;
    if (!fs_target_open(&t, root, path, len, error)) return -1;
    int fd = fs_open_beneath(root, t.relative, O_PATH | O_DIRECTORY);
    if (fd < 0) fs_fail(&t, errno);
    fs_target_close(&t);
    return fd;
}
