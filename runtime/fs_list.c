#include "fs_internal.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/sysmacros.h>
#include <unistd.h>

void fs_listing_free(struct fs_listing *listing)
{
    for (size_t i = 0; i < listing->count; i++) {
        free(listing->entries[i].name);
        free(listing->entries[i].target);
    }
    free(listing->entries);
    free(listing->path);
    fs_names_free(listing->names);
    *listing = (struct fs_listing){0};
}

static const char *type_of(mode_t mode)
{
    switch (mode & S_IFMT) {
    case S_IFREG:
        return "file";
    case S_IFDIR:
        return "directory";
    case S_IFLNK:
        return "link";
    case S_IFIFO:
        return "fifo";
    case S_IFSOCK:
        return "socket";
    case S_IFCHR:
        return "char";
    case S_IFBLK:
        return "block";
    default:
        return "unknown";
    }
}

static char *read_link(int dir, const char *name)
{
    char target[PATH_MAX];
    ssize_t n = readlinkat(dir, name, target, sizeof target);
    return strndup(target, n < 0 ? 0 : (size_t)n);
}

static bool fill(struct fs_listing *listing, struct fs_entry *e, int dir, const struct stat *st)
{
    e->type = type_of(st->st_mode);
    e->mode = st->st_mode & 07777;
    e->uid = st->st_uid;
    e->gid = st->st_gid;
    e->user = fs_names_user(listing->names, st->st_uid);
    e->group = fs_names_group(listing->names, st->st_gid);
    e->nlink = st->st_nlink;
    e->size = (uint64_t)st->st_size;
    e->blocks = (uint64_t)st->st_blocks;
    e->major = major(st->st_rdev);
    e->minor = minor(st->st_rdev);
    e->mtime = st->st_mtime;
    if (S_ISLNK(st->st_mode)) e->target = read_link(dir, e->name);
    listing->blocks += e->blocks;
    return e->user != NULL && e->group != NULL && (e->target != NULL || !S_ISLNK(st->st_mode));
}

/* Adds the entry `name` (taken over) of the folder `dir`; one that vanished meanwhile is left out. `..` of
 * the root is the root. */
static bool add(struct fs_listing *listing, int dir, bool is_root, char *name)
{
    struct stat st;
    struct fs_entry *e = &listing->entries[listing->count];
    bool up = is_root && strcmp(name, "..") == 0;
    int number = fstatat(dir, up ? "." : name, &st, AT_SYMLINK_NOFOLLOW) == 0 ? 0 : errno;
    if (number == ENOENT) {
        free(name);
        return true;
    }
    *e = (struct fs_entry){.name = name, .type = "unknown", .user = "?", .group = "?"};
    listing->count++;
    return number != 0 || fill(listing, e, dir, &st);
}

static bool reserve(struct fs_listing *listing, size_t count)
{
    listing->names = fs_names_new();
    listing->entries = calloc(count, sizeof *listing->entries);
    return listing->names != NULL && listing->entries != NULL;
}

/* Merges `.` and `..` into the sorted names. */
static bool add_all(struct fs_listing *listing, int dir, bool is_root, struct fs_strings *names)
{
    static const char *const dots[] = {".", ".."};
    size_t dot = 0;
    bool ok = reserve(listing, names->count + 2);
    for (size_t i = 0; ok && i <= names->count; i++) {
        while (ok && dot < 2 && (i == names->count || strcmp(dots[dot], names->items[i]) < 0)) {
            char *name = strdup(dots[dot++]);
            ok = name != NULL && add(listing, dir, is_root, name);
        }
        if (!ok || i == names->count) break;
        ok = add(listing, dir, is_root, names->items[i]);
        names->items[i] = NULL;
    }
    listing->blocks = (listing->blocks + 1) / 2;
    return ok;
}

static bool list_folder(struct fs_target *t, const struct fs_place *place, size_t limit,
                        struct fs_listing *listing)
{
    struct fs_strings names;
    int fd = fs_open_listing(t->root, place);
    if (fd < 0) return fs_fail(t, errno);
    int dir = fcntl(fd, F_DUPFD_CLOEXEC, 3);
    bool read = fs_read_names(fd, limit, &names, &listing->truncated);
    bool ok = dir >= 0 && read;
    if (!ok)
        fs_fail(t, errno);
    else
        ok = add_all(listing, dir, t->relative[0] == '\0', &names) || fs_fail(t, ENOMEM);
    fs_close(dir);
    fs_strings_free(&names);
    listing->is_directory = true;
    return ok;
}

static bool list_one(struct fs_target *t, const struct fs_place *place, struct fs_listing *listing)
{
    int dir = place->dir < 0 ? t->root->fd : place->dir;
    char *name = reserve(listing, 1) ? strdup(place->dir < 0 ? "." : place->name) : NULL;
    if (name == NULL || !add(listing, dir, false, name)) return fs_fail(t, ENOMEM);
    listing->blocks = (listing->blocks + 1) / 2;
    return listing->count == 1 || fs_fail(t, ENOENT);
}

bool fs_look(struct fs_target *t, struct fs_place *place, struct stat *st)
{
    place->dir = -1;
    if (t->relative[0] == '\0') return fstat(t->root->fd, st) == 0 || fs_fail(t, errno);
    if (!fs_place_find(t->root, t->relative, place) || !fs_place_stat(place, st)) return fs_fail(t, errno);
    if (!S_ISLNK(st->st_mode)) return true;
    int fd = fs_open_beneath(t->root, t->relative, O_PATH);
    if (fd < 0 && errno == FS_EOUTSIDE) return fs_fail(t, errno);
    fs_close(fd);
    return true;
}

int fs_open_listing(struct fs_root *root, const struct fs_place *place)
{
    if (place->dir < 0) return fs_open_beneath(root, "", O_RDONLY | O_DIRECTORY);
    return fs_open_name(place->dir, place->name, O_RDONLY | O_DIRECTORY);
}

static bool list(struct fs_root *root, const char *path, size_t len, size_t limit, struct fs_listing *listing,
                 struct fs_error *error)
{
    struct fs_target t;
    struct fs_place place = {.dir = -1};
    struct stat st;
    *listing = (struct fs_listing){0};
    if (!fs_target_open(&t, root, path, len, error)) return false;
    bool ok = fs_look(&t, &place, &st);
    if (ok)
        ok = S_ISDIR(st.st_mode) && limit > 0 ? list_folder(&t, &place, limit, listing)
                                              : list_one(&t, &place, listing);
    fs_place_close(&place);
    listing->path = t.absolute;
    if (!ok) fs_listing_free(listing);
    return ok;
}

bool fs_list(struct fs_root *root, const char *path, size_t len, size_t limit, struct fs_listing *listing,
             struct fs_error *error)
{
    return list(root, path, len, limit == 0 ? 1 : limit, listing, error);
}

bool fs_stat(struct fs_root *root, const char *path, size_t len, struct fs_listing *listing,
             struct fs_error *error)
{
    return list(root, path, len, 0, listing, error);
}
