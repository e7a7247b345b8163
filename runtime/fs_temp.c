#include "fs_internal.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/random.h>
#include <unistd.h>

void fs_random_digits(char out[FS_DIGITS_SIZE])
{
    uint64_t bits = 0;
    while (getrandom(&bits, sizeof bits, 0) != (ssize_t)sizeof bits)
        ;
    snprintf(out, FS_DIGITS_SIZE, "%016llx", (unsigned long long)bits);
}

void fs_temp_name(char out[FS_TEMP_NAME_SIZE])
{
    char digits[FS_DIGITS_SIZE];
    fs_random_digits(digits);
    snprintf(out, FS_TEMP_NAME_SIZE, ".sandstorm-%s.tmp", digits);
}

static bool open_named(struct fs_temp *temp, mode_t mode)
{
    do {
        fs_temp_name(temp->name);
        temp->fd = fs_open_at(temp->dir, temp->name, O_RDWR | O_CREAT | O_EXCL | O_NOFOLLOW, mode, 0);
    } while (temp->fd < 0 && errno == EEXIST);
    if (temp->fd < 0) temp->name[0] = '\0';
    return temp->fd >= 0;
}

bool fs_temp_open(struct fs_temp *temp, const struct fs_root *root, int dir, mode_t mode)
{
    *temp = (struct fs_temp){.dir = dir, .fd = -1};
    if (root->nameless) temp->fd = fs_open_at(dir, ".", O_TMPFILE | O_RDWR, mode, 0);
    if (temp->fd >= 0) return true;
    return open_named(temp, mode);
}

static bool give_name(struct fs_temp *temp)
{
    char self[64];
    snprintf(self, sizeof self, "/proc/self/fd/%d", temp->fd);
    do {
        fs_temp_name(temp->name);
        if (linkat(AT_FDCWD, self, temp->dir, temp->name, AT_SYMLINK_FOLLOW) == 0) return true;
    } while (errno == EEXIST);
    temp->name[0] = '\0';
    return false;
}

/* For file systems that know no RENAME_NOREPLACE. Folders have no hard links, but the plain rename of one
 * never replaces anything that has content. */
static bool rename_exclusive(int from_dir, const char *from, int to_dir, const char *to)
{
    struct stat st;
    if (fstatat(from_dir, from, &st, AT_SYMLINK_NOFOLLOW) != 0) return false;
    if (S_ISDIR(st.st_mode)) return renameat(from_dir, from, to_dir, to) == 0;
    return linkat(from_dir, from, to_dir, to, 0) == 0 && unlinkat(from_dir, from, 0) == 0;
}

bool fs_rename(int from_dir, const char *from, int to_dir, const char *to, bool exclusive)
{
    if (renameat2(from_dir, from, to_dir, to, exclusive ? RENAME_NOREPLACE : 0) == 0) return true;
    return exclusive && errno == EINVAL && rename_exclusive(from_dir, from, to_dir, to);
}

bool fs_temp_rename(struct fs_temp *temp, int dir, const char *name, bool exclusive)
{
    if (temp->name[0] == '\0' && !give_name(temp)) return false;
    if (!fs_rename(temp->dir, temp->name, dir, name, exclusive)) return false;
    temp->name[0] = '\0';
    return true;
}

void fs_temp_close(struct fs_temp *temp)
{
    int number = errno;
    if (temp->fd >= 0) close(temp->fd);
    if (temp->name[0] != '\0') unlinkat(temp->dir, temp->name, 0);
    *temp = (struct fs_temp){.dir = -1, .fd = -1};
    errno = number;
}
