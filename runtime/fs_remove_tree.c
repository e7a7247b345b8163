#include "fs_internal.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <linux/openat2.h>
#include <stdio.h>
#include <string.h>
#include <sys/types.h>
#include <unistd.h>

#include "path.h"

#define DEPTH_MAX 48  /* descriptors held at a time; what is deeper is moved up first */
#define PASSES_MAX 64 /* over the top folder, for what was moved there or made meanwhile */

struct sweep {
    int top; /* the folder that everything lies in */
    uint64_t limit;
    struct fs_removed *removed;
    int number; /* errno of the first failure, 0 without one */
    char name[NAME_MAX + 1];
};

static bool sweep_failed(struct sweep *s, const char *name, int number)
{
    if (number == ENOENT) return true; /* somebody else was quicker */
    if (s->number == 0) {
        s->number = number;
        snprintf(s->name, sizeof s->name, "%s", name);
    }
    return false;
}

/* Gives the owner every permission on a folder; the link in /proc leads to exactly what `name` was. */
static void unlock(int dir, const char *name)
{
    char link[64];
    int fd =
        fs_open_at(dir, name, O_PATH | O_DIRECTORY | O_NOFOLLOW, 0, RESOLVE_NO_SYMLINKS | RESOLVE_NO_XDEV);
    if (fd < 0) return;
    snprintf(link, sizeof link, "/proc/self/fd/%d", fd);
    if (chmod(link, 0700) != 0) { /* then the next step says what is wrong */
    }
    close(fd);
}

static int open_folder(int dir, const char *name)
{
    const uint64_t flags = O_RDONLY | O_DIRECTORY | O_NOFOLLOW;
    int fd = fs_open_at(dir, name, flags, 0, RESOLVE_NO_SYMLINKS | RESOLVE_NO_XDEV);
    if (fd >= 0 || errno != EACCES) return fd;
    unlock(dir, name);
    return fs_open_at(dir, name, flags, 0, RESOLVE_NO_SYMLINKS | RESOLVE_NO_XDEV);
}

/* A folder that is not empty is one that somebody fills, or where something was too deep: left for later. */
static bool unlink_in(struct sweep *s, int dir, const char *name, int flags)
{
    if (unlinkat(dir, name, flags) != 0)
        return errno == ENOTEMPTY || errno == EEXIST || sweep_failed(s, name, errno);
    s->removed->entries++;
    return true;
}

static bool sweep_folder(struct sweep *s, int fd, unsigned depth);

/* A folder that is too deep goes to the top under a new name, where a later pass finds it. */
static bool move_up(struct sweep *s, int dir, const char *name)
{
    char up[FS_TEMP_NAME_SIZE];
    fs_temp_name(up);
    unlock(dir, name);
    return renameat(dir, name, s->top, up) == 0 || sweep_failed(s, name, errno);
}

static bool remove_folder(struct sweep *s, int dir, const char *name, unsigned depth)
{
    if (depth >= DEPTH_MAX) return move_up(s, dir, name);
    int fd = open_folder(dir, name);
    if (fd < 0) return sweep_failed(s, name, errno);
    bool ok = sweep_folder(s, fd, depth + 1);
    if (!ok || s->removed->entries >= s->limit) return ok;
    return unlink_in(s, dir, name, AT_REMOVEDIR);
}

/* `dir` is open for reading. */
static bool remove_entry(struct sweep *s, int dir, const char *name, unsigned depth)
{
    struct stat st;
    if (fstatat(dir, name, &st, AT_SYMLINK_NOFOLLOW) != 0) return sweep_failed(s, name, errno);
    if (S_ISDIR(st.st_mode)) return remove_folder(s, dir, name, depth);
    return unlink_in(s, dir, name, 0);
}

static bool is_dot(const char *name)
{
    return strcmp(name, ".") == 0 || strcmp(name, "..") == 0;
}

/* One pass: *seen tells how many names there were. */
static bool sweep_pass(struct sweep *s, DIR *stream, unsigned depth, size_t *seen)
{
    bool ok = true;
    *seen = 0;
    rewinddir(stream);
    for (struct dirent *e; s->removed->entries < s->limit && (e = readdir(stream)) != NULL;) {
        if (is_dot(e->d_name)) continue;
        *seen += 1;
        ok = remove_entry(s, dirfd(stream), e->d_name, depth) && ok;
    }
    return ok;
}

/* Empties the folder `fd`, which is closed. */
static bool sweep_folder(struct sweep *s, int fd, unsigned depth)
{
    if (fchmod(fd, 0700) != 0) { /* what cannot be removed without is named then */
    }
    DIR *stream = fdopendir(fd);
    size_t seen = 1;
    bool ok = true;
    int passes = depth == 1 ? PASSES_MAX : 1;
    if (stream == NULL) {
        close(fd);
        return sweep_failed(s, ".", ENOMEM);
    }
    for (int pass = 0; ok && seen > 0 && s->removed->entries < s->limit && pass < passes; pass++)
        ok = sweep_pass(s, stream, depth, &seen);
    closedir(stream);
    return ok;
}

/* The folder that the target lies in, reached without any link. */
static int open_parent(struct fs_target *t, const char **name)
{
    char folder[PATH_MAX];
    size_t parent = path_parent(t->relative, strlen(t->relative));
    *name = t->relative + parent + (parent > 0);
    if (parent >= sizeof folder) {
        errno = ENAMETOOLONG;
        return -1;
    }
    memcpy(folder, t->relative, parent);
    folder[parent] = '\0';
    return fs_open_at(t->root->fd, folder, O_RDONLY | O_DIRECTORY, 0, RESOLVE_NO_SYMLINKS);
}

static bool sweep_target(struct fs_target *t, struct sweep *s)
{
    const char *name;
    struct stat st;
    if (t->relative[0] == '\0') return fs_fail(t, EISDIR);
    if (fs_guards_below(t->root, t->absolute)) return fs_fail(t, FS_EGUARDED);
    int dir = open_parent(t, &name);
    if (dir < 0) return fs_fail(t, errno);
    bool there = fstatat(dir, name, &st, AT_SYMLINK_NOFOLLOW) == 0;
    if (there && S_ISDIR(st.st_mode)) s->top = open_folder(dir, name);
    bool ok = there && (!S_ISDIR(st.st_mode) || s->top >= 0);
    if (!ok)
        fs_fail(t, errno);
    else if (!(ok = remove_entry(s, dir, name, 0)))
        fs_fail_with(t, s->number, s->name);
    s->removed->complete = ok && fstatat(dir, name, &st, AT_SYMLINK_NOFOLLOW) != 0;
    fs_close(s->top);
    close(dir);
    return ok;
}

bool fs_remove_tree(struct fs_root *root, const char *path, size_t len, uint64_t limit,
                    struct fs_removed *removed, struct fs_error *error)
{
    struct fs_target t;
    struct sweep s = {.top = -1, .limit = limit, .removed = removed};
    *removed = (struct fs_removed){0};
    if (!fs_target_open(&t, root, path, len, error)) return false;
    bool ok = sweep_target(&t, &s);
    fs_target_close(&t);
    return ok;
}
