#include "grants_file.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "state_dir.h"

#define READ_BYTES 65536
#define OPENS_MAX 8
#define LOCKS_MAX 50
#define LOCK_PAUSE_NS 2000000

bool grants_file_init(struct grants_file *file, const char *folder, const char *name)
{
    *file = (struct grants_file){.folder = strdup(folder)};
    if (file->folder != NULL && asprintf(&file->path, "%s/%s", folder, name) >= 0) return true;
    free(file->folder);
    return false;
}

void grants_file_free(struct grants_file *file)
{
    free(file->folder);
    free(file->path);
}

int64_t grants_file_size(const struct grants_file *file)
{
    return file->offset;
}

void grants_file_lines(const struct grants_reader *reader, const char *text, size_t len)
{
    for (const char *end; len > 0 && (end = memchr(text, '\n', len)) != NULL;) {
        size_t size = (size_t)(end - text);
        if (size > 0) reader->line(reader->data, text, size);
        text = end + 1;
        len -= size + 1;
    }
}

/* Reads from the offset to the end of the last whole line. */
static void read_on(struct grants_file *file, int fd, const struct grants_reader *reader)
{
    struct buf text = BUF_INIT;
    ssize_t got = 1;
    for (int64_t at = file->offset; got > 0; at += got) {
        if (!buf_reserve(&text, READ_BYTES)) break;
        got = pread(fd, text.data + text.len, READ_BYTES, at);
        if (got > 0) text.len += (size_t)got;
    }
    const char *last = text.len > 0 ? memrchr(text.data, '\n', text.len) : NULL;
    if (last != NULL) {
        size_t whole = (size_t)(last - text.data) + 1;
        grants_file_lines(reader, text.data, whole);
        file->offset += (int64_t)whole;
    }
    buf_free(&text);
}

static void follow(struct grants_file *file, int fd, const struct stat *st,
                   const struct grants_reader *reader)
{
    if (st->st_dev != file->device || st->st_ino != file->inode || st->st_size < file->offset) {
        if (file->offset > 0) reader->forget(reader->data);
        file->device = st->st_dev;
        file->inode = st->st_ino;
        file->offset = 0;
    }
    if (st->st_size > file->offset) read_on(file, fd, reader);
}

static bool is_known(const struct grants_file *file, const struct stat *st)
{
    return st->st_dev == file->device && st->st_ino == file->inode && st->st_size == file->offset;
}

void grants_file_read(struct grants_file *file, const struct grants_reader *reader)
{
    struct stat st;
    if (stat(file->path, &st) != 0 || is_known(file, &st)) return;
    int fd = open(file->path, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOFOLLOW);
    if (fd < 0) return;
    if (fstat(fd, &st) == 0 && S_ISREG(st.st_mode)) follow(file, fd, &st, reader);
    close(fd);
}

bool grants_file_is_gone(const struct grants_file *file)
{
    struct stat st;
    return file->offset > 0 && stat(file->path, &st) != 0 && errno == ENOENT;
}

bool grants_file_readable(const struct grants_file *file)
{
    int fd = open(file->path, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOFOLLOW);
    if (fd < 0) return errno == ENOENT || errno == ENOTDIR;
    close(fd);
    return true;
}

static int open_file(const struct grants_file *file)
{
    const int flags = O_RDWR | O_APPEND | O_CREAT | O_CLOEXEC | O_NONBLOCK | O_NOFOLLOW;
    int fd = open(file->path, flags, 0600);
    if (fd < 0 && errno == ENOENT && state_dir_make(file->folder)) fd = open(file->path, flags, 0600);
    if (fd >= 0) state_dir_give(file->folder, fd);
    return fd;
}

/* The loop waits meanwhile, so not for long: a process that was stopped may hold the lock for ever. */
static bool lock(int fd)
{
    const struct timespec pause = {.tv_nsec = LOCK_PAUSE_NS};
    for (int tries = 0; tries < LOCKS_MAX; tries++) {
        if (flock(fd, LOCK_EX | LOCK_NB) == 0) return true;
        if (errno != EWOULDBLOCK && errno != EINTR) return false;
        nanosleep(&pause, NULL);
    }
    return false;
}

/* Opens the file that the name stands for and locks it; -1 with errno set. */
static int open_locked(const struct grants_file *file, struct stat *st)
{
    for (int tries = 0; tries < OPENS_MAX; tries++) {
        struct stat named;
        int fd = open_file(file);
        if (fd < 0) return -1;
        bool locked = lock(fd);
        if (locked && fstat(fd, st) == 0 && stat(file->path, &named) == 0 && named.st_ino == st->st_ino &&
            named.st_dev == st->st_dev && S_ISREG(st->st_mode))
            return fd;
        close(fd);
        if (!locked) break;
    }
    errno = EBUSY;
    return -1;
}

/* A line that a crash left half is ended first. */
static bool add_lines(int fd, const struct stat *st, const char *lines, size_t len)
{
    char last = '\n';
    if (st->st_size > 0 && pread(fd, &last, 1, st->st_size - 1) != 1) return false;
    if (last != '\n' && write(fd, "\n", 1) != 1) return false;
    ssize_t written = write(fd, lines, len);
    if (written >= 0 && (size_t)written < len) errno = ENOSPC;
    return written == (ssize_t)len;
}

/* All or nothing. */
static bool write_lines(int fd, const struct stat *st, const char *lines, size_t len)
{
    if (add_lines(fd, st, lines, len)) return true;
    int problem = errno;
    (void)!ftruncate(fd, st->st_size);
    errno = problem;
    return false;
}

bool grants_file_append(struct grants_file *file, const struct grants_reader *reader, const char *lines,
                        size_t len, bool durable)
{
    struct stat st;
    int fd = open_locked(file, &st);
    if (fd < 0) return false;
    bool ok = write_lines(fd, &st, lines, len);
    if (ok && durable) ok = fdatasync(fd) == 0;
    int problem = errno;
    if (fstat(fd, &st) == 0) follow(file, fd, &st, reader);
    close(fd);
    errno = problem;
    return ok;
}

static bool write_new(const char *folder, const char *path, const struct buf *lines, struct stat *st)
{
    int fd = open(path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC | O_NOFOLLOW, 0600);
    if (fd < 0) return false;
    state_dir_give(folder, fd);
    bool ok = !lines->failed && write(fd, lines->data, lines->len) == (ssize_t)lines->len && fsync(fd) == 0 &&
              fstat(fd, st) == 0;
    close(fd);
    return ok;
}

void grants_file_replace(struct grants_file *file, const struct grants_reader *reader,
                         const struct buf *lines)
{
    struct stat st, made;
    char *path;
    int fd = open_locked(file, &st);
    if (fd < 0) return;
    if (!is_known(file, &st)) {
        follow(file, fd, &st, reader);
    } else if (asprintf(&path, "%s.new", file->path) >= 0) {
        if (write_new(file->folder, path, lines, &made) && rename(path, file->path) == 0) {
            file->device = made.st_dev;
            file->inode = made.st_ino;
            file->offset = made.st_size;
        }
        free(path);
    }
    close(fd);
}
