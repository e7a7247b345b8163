#include "fs_internal.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "path.h"

#define NAMES_MAX ((size_t)200000) /* of one folder */

struct walk {
    const struct fs_walk_options *options;
    struct fs_walk_result *result;
    struct fs_strings paths, unreadable;
};

static bool skipped(const struct walk *w, const char *name)
{
    for (size_t i = 0; i < w->options->skip_count; i++)
        if (strcmp(w->options->skip[i], name) == 0) return true;
    return false;
}

/* Opens `name` for reading its names if it is a folder: -1 with errno ENOTDIR when it is not. */
static int open_folder(int dir, const char *name)
{
    struct stat st;
    if (fstatat(dir, name, &st, AT_SYMLINK_NOFOLLOW) == 0 && !S_ISDIR(st.st_mode)) {
        errno = ENOTDIR;
        return -1;
    }
    int fd = fs_open_name(dir, name, O_RDONLY | O_DIRECTORY);
    if (fd < 0 && (errno == ELOOP || errno == ENOENT)) errno = ENOTDIR;
    return fd;
}

/* Only whether there is anything, for what lies below the last level. */
static bool look_deeper(struct walk *w, int fd)
{
    struct fs_strings names;
    bool more = false;
    if (fs_read_names(fd, 0, &names, &more) && more) w->result->deeper = true;
    return true;
}

static bool descend(struct walk *w, int fd, const char *path, unsigned level);

static bool visit(struct walk *w, int dir, const char *folder, const char *name, unsigned level)
{
    if (w->paths.count >= w->options->limit) {
        w->result->truncated = true;
        return true;
    }
    char *path = path_fold(folder, name, strlen(name));
    if (!fs_strings_add(&w->paths, path)) return false;
    if (skipped(w, name)) return true;
    int fd = open_folder(dir, name);
    if (fd >= 0) return descend(w, fd, path, level);
    return errno == ENOTDIR || fs_strings_add(&w->unreadable, strdup(path));
}

/* Visits what is in the folder `fd`, which is closed here; `path` is its own and `level` how deep it lies. */
static bool descend(struct walk *w, int fd, const char *path, unsigned level)
{
    struct fs_strings names;
    bool more = false;
    if (level >= w->options->depth) return look_deeper(w, fd);
    int dir = fcntl(fd, F_DUPFD_CLOEXEC, 3);
    bool read = fs_read_names(fd, NAMES_MAX, &names, &more);
    if (more) w->result->truncated = true;
    bool ok = dir >= 0 && read ? true : fs_strings_add(&w->unreadable, strdup(path));
    for (size_t i = 0; ok && i < names.count && !w->result->truncated; i++)
        ok = visit(w, dir, path, names.items[i], level + 1);
    fs_close(dir);
    fs_strings_free(&names);
    return ok;
}

static bool start(struct walk *w, struct fs_target *t, const struct fs_place *place, const struct stat *st)
{
    char *path = strdup(t->absolute);
    if (!fs_strings_add(&w->paths, path)) return false;
    if (!S_ISDIR(st->st_mode)) return true;
    int fd = fs_open_listing(t->root, place);
    if (fd < 0) return fs_strings_add(&w->unreadable, strdup(path));
    return descend(w, fd, path, 0);
}

bool fs_walk(struct fs_root *root, const char *path, size_t len, const struct fs_walk_options *options,
             struct fs_walk_result *result, struct fs_error *error)
{
    struct fs_target t;
    struct fs_place place = {.dir = -1};
    struct stat st;
    struct walk w = {.options = options, .result = result};
    *result = (struct fs_walk_result){0};
    if (!fs_target_open(&t, root, path, len, error)) return false;
    bool ok = fs_look(&t, &place, &st) && (start(&w, &t, &place, &st) || fs_fail(&t, ENOMEM));
    fs_place_close(&place);
    fs_target_close(&t);
    result->paths = w.paths.items;
    result->count = w.paths.count;
    result->unreadable = w.unreadable.items;
    result->unreadable_count = w.unreadable.count;
    if (!ok) fs_walk_result_free(result);
    return ok;
}

void fs_walk_result_free(struct fs_walk_result *result)
{
    struct fs_strings paths = {result->paths, result->count, 0};
    struct fs_strings unreadable = {result->unreadable, result->unreadable_count, 0};
    fs_strings_free(&paths);
    fs_strings_free(&unreadable);
    *result = (struct fs_walk_result){0};
}
