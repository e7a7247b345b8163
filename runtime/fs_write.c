#include "fs_internal.h"

#include <errno.h>
#include <fcntl.h>
#include <unistd.h>

/* One call of fs_write or fs_append. */
struct job {
    struct fs_root *root;
    struct fs_place place;
    const void *bytes;
    size_t size;
    bool append;
};

/* Puts a new file with the content at the place; with `exclusive` only where the name is free. */
static bool put(struct job *job, struct fs_temp *temp, bool exclusive)
{
    return fs_write_all(temp->fd, job->bytes, job->size, 0) && fsync(temp->fd) == 0 &&
           fs_temp_rename(temp, job->place.dir, job->place.name, exclusive);
}

static bool create(struct job *job)
{
    struct fs_temp temp;
    if (!fs_temp_open(&temp, job->root, job->place.dir, 0666)) return false;
    bool ok = put(job, &temp, job->append);
    if (!ok && errno == EEXIST) errno = FS_ERACED;
    fs_temp_close(&temp);
    return ok;
}

/* The folder or the name do not let a new file take the place. */
static bool refuses_new_file(int number)
{
    return number == EACCES || number == EPERM || number == EROFS || number == EBUSY || number == EXDEV;
}

/* True when the content is in place. False with errno 0: only writing into the old file is left. */
static bool replace(struct job *job, int old, const struct stat *st)
{
    struct fs_temp temp = {.fd = -1};
    bool twin = st->st_nlink <= 1 && fs_temp_open(&temp, job->root, job->place.dir, 0600);
    int refused = temp.fd < 0 && st->st_nlink <= 1 && !refuses_new_file(errno) ? errno : 0;
    twin = twin && fs_copy_metadata(old, st, temp.fd);
    bool ok = twin && put(job, &temp, false);
    if (twin && !ok && !refuses_new_file(errno)) refused = errno;
    fs_temp_close(&temp);
    errno = refused;
    return ok;
}

static bool write_old(struct job *job, int old, const struct stat *st)
{
    if (job->append) return fs_extend(job->root, old, job->bytes, job->size);
    if (replace(job, old, st)) return true;
    return errno == 0 && fs_overwrite(job->root, &job->place, old, job->bytes, job->size);
}

static bool write_once(struct job *job, bool *created)
{
    struct stat st;
    if (fs_guards_name(job->root, &job->place)) {
        errno = FS_EGUARDED;
        return false;
    }
    int old = fs_open_content(job->root, &job->place, O_WRONLY, &st);
    if (old < 0 && errno != ENOENT) return false;
    *created = old < 0;
    if (old < 0) return create(job);
    bool ok = write_old(job, old, &st);
    fs_close(old);
    return ok;
}

static bool run(struct job *job, struct fs_target *t, bool *created)
{
    for (int tries = 0; tries < FS_RACE_MAX; tries++) {
        if (!fs_make_place(t, &job->place)) return false;
        bool ok = write_once(job, created);
        fs_place_close(&job->place);
        if (ok) return true;
        if (errno != FS_ERACED) break;
    }
    return fs_fail(t, errno);
}

static bool start(struct job *job, const char *path, size_t len, bool *created, struct fs_error *error)
{
    struct fs_target t;
    if (!fs_target_open(&t, job->root, path, len, error)) return false;
    bool ok = run(job, &t, created);
    fs_target_close(&t);
    return ok;
}

bool fs_write(struct fs_root *root, const char *path, size_t len, const void *bytes, size_t size,
              bool *created, struct fs_error *error)
{
    struct job job = {.root = root, .bytes = bytes, .size = size};
    return start(&job, path, len, created, error);
}

bool fs_append(struct fs_root *root, const char *path, size_t len, const void *bytes, size_t size,
               bool *created, struct fs_error *error)
{
    struct job job = {.root = root, .bytes = bytes, .size = size, .append = true};
    return start(&job, path, len, created, error);
}
