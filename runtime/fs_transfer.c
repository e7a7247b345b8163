#include "fs_internal.h"

#include <errno.h>
#include <fcntl.h>
#include <unistd.h>

/* Where the owner cannot be kept the group is another one: it gets no more than what others had. */
static bool keep_mode(int to, mode_t mode)
{
    return fchmod(to, mode & (0707 | ((mode & 07) << 3))) == 0;
}

static bool copy_into(int from, const struct stat *st, int to)
{
    const struct timespec times[2] = {st->st_atim, st->st_mtim};
    return (fs_copy_metadata(from, st, to) || keep_mode(to, st->st_mode)) && fs_copy_content(from, to) &&
           futimens(to, times) == 0 && fsync(to) == 0;
}

static bool copy_file(struct fs_root *root, const struct fs_place *source, const struct fs_place *dest,
                      bool exclusive)
{
    struct stat st;
    struct fs_temp temp;
    int from = fs_open_content(root, source, O_RDONLY, &st);
    if (from < 0) return false;
    bool ok = fs_temp_open(&temp, root, dest->dir, 0600) && copy_into(from, &st, temp.fd) &&
              fs_temp_rename(&temp, dest->dir, dest->name, exclusive);
    fs_temp_close(&temp);
    fs_close(from);
    return ok;
}

static bool copy_link(const struct fs_place *source, const struct fs_place *dest, bool exclusive)
{
    char target[PATH_MAX], name[FS_TEMP_NAME_SIZE];
    ssize_t n = readlinkat(source->dir, source->name, target, sizeof target - 1);
    if (n < 0) return false;
    target[n] = '\0';
    fs_temp_name(name);
    if (symlinkat(target, dest->dir, name) != 0) return false;
    if (fs_rename(dest->dir, name, dest->dir, dest->name, exclusive)) return true;
    int number = errno;
    unlinkat(dest->dir, name, 0);
    errno = number;
    return false;
}

bool fs_copy_place(struct fs_root *root, const struct fs_place *source, const struct stat *st,
                   const struct fs_place *dest, bool exclusive)
{
    if (S_ISLNK(st->st_mode)) return copy_link(source, dest, exclusive);
    return copy_file(root, source, dest, exclusive);
}
