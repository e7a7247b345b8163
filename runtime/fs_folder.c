#include "fs_internal.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <unistd.h>

#include "path.h"

/* Why `relative` cannot be opened as a folder: something else has that name, or stands in the way above it.
 */
static int refuse_folder(struct fs_target *t, const char *relative, size_t len, int number)
{
    struct fs_place place = {.dir = -1};
    struct stat st;
    if ((number == ENOTDIR || number == ELOOP) && fs_place_find(t->root, relative, &place) &&
        fs_place_stat(&place, &st))
        number = EEXIST;
    fs_place_close(&place);
    fs_fail_at(t, relative, len, number);
    return -1;
}

/* Opens the longest part of `relative` that is there as a folder; `*len` receives its length. */
static int open_existing(struct fs_target *t, const char *relative, size_t *len)
{
    char part[PATH_MAX];
    *len = strlen(relative);
    if (*len >= sizeof part) {
        fs_fail(t, ENAMETOOLONG);
        return -1;
    }
    strcpy(part, relative);
    for (;;) {
        int fd = fs_open_beneath(t->root, part, O_PATH | O_DIRECTORY);
        if (fd >= 0) return fd;
        if (errno != ENOENT || *len == 0) return refuse_folder(t, part, *len, errno);
        *len = path_parent(part, *len);
        part[*len] = '\0';
    }
}

/* Makes (or finds) the folder at `place` and steps into it. `end` is where its name ends in `relative`. */
static bool step_into(struct fs_target *t, struct fs_place *place, const char *relative, size_t end,
                      bool *created)
{
    if (fs_guards_name(t->root, place)) return fs_fail(t, FS_EGUARDED);
    bool made = mkdirat(place->dir, place->name, 0777) == 0;
    if (made) *created = true;
    int fd = made || errno == EEXIST ? fs_open_name(place->dir, place->name, O_PATH | O_DIRECTORY) : -1;
    if (fd < 0) return fs_fail_at(t, relative, end, errno == ELOOP || errno == ENOTDIR ? EEXIST : errno);
    close(place->dir);
    place->dir = fd;
    return true;
}

/* Opens the folder `relative` and makes what is missing of it. -1: the error is filled. */
static int make_folders(struct fs_target *t, const char *relative, bool *created)
{
    size_t len;
    struct fs_place place = {.dir = open_existing(t, relative, &len)};
    const char *rest = relative + len, *part;
    bool ok = place.dir >= 0;
    while (ok && (part = path_next(&rest, &len)) != NULL) {
        size_t end = (size_t)(rest - relative);
        ok = len <= NAME_MAX || fs_fail_at(t, relative, end, ENAMETOOLONG);
        if (!ok) break;
        memcpy(place.name, part, len);
        place.name[len] = '\0';
        ok = step_into(t, &place, relative, end, created);
    }
    if (!ok) fs_place_close(&place);
    return place.dir;
}

bool fs_make_parent(struct fs_target *t)
{
    char folder[PATH_MAX];
    bool created = false;
    size_t parent = path_parent(t->relative, strlen(t->relative));
    if (parent >= sizeof folder) return fs_fail(t, ENAMETOOLONG);
    memcpy(folder, t->relative, parent);
    folder[parent] = '\0';
    int fd = make_folders(t, folder, &created);
    if (fd < 0) return false;
    close(fd);
    return true;
}

bool fs_make_place(struct fs_target *t, struct fs_place *place)
{
    place->dir = -1;
    if (t->relative[0] == '\0') return fs_fail(t, EISDIR);
    if (fs_place_follow(t->root, t->relative, place)) return true;
    if (errno != ENOENT && errno != ENOTDIR) return fs_fail(t, errno);
    if (!fs_make_parent(t)) return false;
    return fs_place_follow(t->root, t->relative, place) || fs_fail(t, errno);
}

/* Without `parents` only the last folder may be missing. */
static bool parent_exists(struct fs_target *t)
{
    struct fs_place place;
    if (t->relative[0] == '\0') return true;
    bool ok = fs_place_find(t->root, t->relative, &place) || fs_fail(t, errno);
    fs_place_close(&place);
    return ok;
}

static bool make_folder(struct fs_target *t, bool parents, bool *created)
{
    if (!parents && !parent_exists(t)) return false;
    int fd = make_folders(t, t->relative, created);
    if (fd < 0) return false;
    close(fd);
    return true;
}

bool fs_mkdir(struct fs_root *root, const char *path, size_t len, bool parents, bool *created,
              struct fs_error *error)
{
    struct fs_target t;
    *created = false;
    if (!fs_target_open(&t, root, path, len, error)) return false;
    bool ok = make_folder(&t, parents, created);
    fs_target_close(&t);
    return ok;
}
