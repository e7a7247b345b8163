#include "key_file.h"

#include <errno.h>
#include <fcntl.h>
#include <stdbool.h>
#include <stdint.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "crypto.h"
#include "state_dir.h"

/* All but `written` return -1 with errno for failure. */

static bool written(int fd, const unsigned char *bytes, size_t len)
{
    while (len > 0) {
        ssize_t n = write(fd, bytes, len);
        if (n < 0 && errno == EINTR) continue;
        if (n <= 0) return false;
        bytes += n;
        len -= (size_t)n;
    }
    return true;
}

/* Gives the complete file its name unless that is taken; where hard links are not known, by a rename. */
static int publish(int dir, const char *temporary, const char *name)
{
    if (linkat(dir, temporary, dir, name, 0) == 0 || errno == EEXIST) return 0;
    if (errno != EPERM && errno != EOPNOTSUPP) return -1;
    return renameat2(dir, temporary, dir, name, RENAME_NOREPLACE) == 0 || errno == EEXIST ? 0 : -1;
}

static int fill(int dir, int fd, const char *temporary, const char *name)
{
    unsigned char key[KEY_FILE_SIZE];
    bool ok = crypto_random(key, sizeof key) && written(fd, key, sizeof key) && fsync(fd) == 0;
    crypto_wipe(key, sizeof key);
    return ok && publish(dir, temporary, name) == 0 ? fsync(dir) : -1;
}

static int make(const char *folder, int dir, const char *name)
{
    char temporary[64];
    uint64_t number;
    if (!crypto_random(&number, sizeof number)) return -1;
    snprintf(temporary, sizeof temporary, ".%.32s.%016" PRIx64, name, number);
    int fd = openat(dir, temporary, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0600);
    if (fd < 0) return -1;
    state_dir_give(folder, fd);
    int result = fill(dir, fd, temporary, name), error = errno;
    close(fd);
    unlinkat(dir, temporary, 0);
    errno = error;
    return result;
}

static bool read_whole(int fd, unsigned char *out, size_t len)
{
    while (len > 0) {
        ssize_t n = read(fd, out, len);
        if (n < 0 && errno == EINTR) continue;
        if (n <= 0) return false;
        out += n;
        len -= (size_t)n;
    }
    return true;
}

/* NULL, or what is wrong with the open file. */
static const char *read_key(int fd, unsigned char *key)
{
    struct stat st;
    if (fstat(fd, &st) != 0) return strerror(errno);
    if (!S_ISREG(st.st_mode)) return "Not a regular file";
    if (st.st_size != KEY_FILE_SIZE)
        return "is not the file of 32 random bytes that belongs here; remove it to have a new one made";
    if ((st.st_mode & 0077) != 0 && fchmod(fd, 0600) != 0)
        return "may be read by others, and that cannot be changed";
    return read_whole(fd, key, KEY_FILE_SIZE) ? NULL : strerror(EIO);
}

static bool is_there(int dir, const char *name)
{
    struct stat st;
    return fstatat(dir, name, &st, AT_SYMLINK_NOFOLLOW) == 0;
}

static int open_or_make(const char *folder, int dir, const char *name)
{
    const int flags = O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC;
    int fd = openat(dir, name, flags);
    if (fd >= 0 || errno != ENOENT) return fd;
    return make(folder, dir, name) == 0 ? openat(dir, name, flags) : -1;
}

enum key_file_result key_file_load(const char *folder, const char *name, unsigned char key[KEY_FILE_SIZE],
                                   char *why, size_t why_size)
{
    int dir = state_dir_make(folder) ? open(folder, O_RDONLY | O_DIRECTORY | O_CLOEXEC) : -1;
    if (dir < 0) {
        snprintf(why, why_size, "%s: %s", folder, strerror(errno));
        return KEY_FILE_NONE;
    }
    int fd = open_or_make(folder, dir, name);
    const char *wrong = fd < 0 ? strerror(errno) : read_key(fd, key);
    enum key_file_result result = fd >= 0 || is_there(dir, name) ? KEY_FILE_BROKEN : KEY_FILE_NONE;
    if (wrong == NULL)
        result = KEY_FILE_READ;
    else
        snprintf(why, why_size, "%s/%s: %s", folder, name, wrong);
    if (fd >= 0) close(fd);
    close(dir);
    return result;
}
