#include "fs_internal.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "path.h"

/* One call of fs_move. */
struct move {
    struct fs_root *root;
    struct fs_target from, to;
    struct fs_place source, dest;
    char *final;         /* absolute path of dest, owned */
    struct stat st;      /* of the source */
    struct stat dest_st; /* of the destination, when dest_exists */
    bool dest_exists;
    bool into;      /* `to` is a folder: dest is a name in it */
    bool exclusive; /* nothing may be replaced */
};

static bool same(const struct stat *a, const struct stat *b)
{
    return a->st_dev == b->st_dev && a->st_ino == b->st_ino;
}

static bool into_itself(struct move *m)
{
    return fs_fail_with(&m->from, EINVAL, "it cannot be moved into itself");
}

static bool find_source(struct move *m)
{
    if (m->from.relative[0] == '\0') return into_itself(m);
    if (!fs_place_find(m->root, m->from.relative, &m->source)) return fs_fail(&m->from, errno);
    if (!fs_place_stat(&m->source, &m->st)) return fs_fail(&m->from, errno);
    if (fs_guards_name(m->root, &m->source)) return fs_fail(&m->from, FS_EGUARDED);
    if (!S_ISDIR(m->st.st_mode)) return true;
    const char *inside = path_below(m->from.absolute, m->to.absolute);
    if (inside != NULL && inside[0] != '\0') return into_itself(m);
    return true;
}

/* A folder must not carry a guarded file away with it. */
static bool guards_content(struct move *m)
{
    char plain[PATH_MAX], *absolute = NULL;
    if (!S_ISDIR(m->st.st_mode) || m->root->guard_count == 0) return false;
    if (!fs_follow(m->root, m->from.relative, false, plain)) return true;
    if (asprintf(&absolute, "%s/%s", m->root->path, plain) < 0) return true;
    bool guarded = fs_guards_below(m->root, absolute);
    free(absolute);
    return guarded;
}

static bool open_dest(struct move *m)
{
    m->dest.dir = fs_open_beneath(m->root, m->to.relative, O_PATH | O_DIRECTORY);
    struct stat st;
    bool folder = m->dest.dir >= 0;
    bool itself = folder && S_ISDIR(m->st.st_mode) && fstat(m->dest.dir, &st) == 0 && same(&m->st, &st);
    m->into = folder && !itself;
    if (m->into) {
        strcpy(m->dest.name, m->source.name);
        return true;
    }
    if (!folder && errno != ENOENT && errno != ENOTDIR && errno != ELOOP) return fs_fail(&m->to, errno);
    fs_place_close(&m->dest);
    if (!fs_make_parent(&m->to)) return false;
    return fs_place_find(m->root, m->to.relative, &m->dest) || fs_fail(&m->to, errno);
}

static bool find_dest(struct move *m)
{
    if (!open_dest(m)) return false;
    m->final = path_fold(m->to.absolute, m->dest.name, m->into ? strlen(m->dest.name) : 0);
    if (m->final == NULL) return fs_fail(&m->to, ENOMEM);
    if (fs_guards_name(m->root, &m->dest)) return fs_fail(&m->to, FS_EGUARDED);
    m->dest_exists = fs_place_stat(&m->dest, &m->dest_st);
    return true;
}

/* The destination is the source itself, by whatever way. */
static bool is_same_place(const struct move *m)
{
    struct stat a, b;
    return !m->into && strcmp(m->source.name, m->dest.name) == 0 && fstat(m->source.dir, &a) == 0 &&
           fstat(m->dest.dir, &b) == 0 && same(&a, &b);
}

static bool fail_dest(struct move *m, int number)
{
    const char *relative = path_below(m->root->path, m->final);
    return fs_fail_at(&m->to, relative, strlen(relative), number);
}

static bool writable(const struct fs_place *place)
{
    return faccessat(place->dir, ".", W_OK | X_OK, AT_EACCESS) == 0;
}

/* Puts a failed rename into words: about the side that is to blame. */
static bool fail_rename(struct move *m, int number)
{
    bool folder = S_ISDIR(m->st.st_mode);
    if (number == EINVAL && folder) return into_itself(m);
    if (number == ENOTDIR && folder) return fail_dest(m, EEXIST);
    if (number == EXDEV)
        return fs_fail_with(&m->from, EXDEV, "only files and links can be moved to another file system");
    bool denied = number == EACCES || number == EPERM;
    bool dest_denied = writable(&m->source) && (m->dest_exists || !writable(&m->dest));
    if (number == ENOENT || number == EBUSY || (denied && !dest_denied)) return fs_fail(&m->from, number);
    return fail_dest(m, number);
}

/* rename() of one name of a file onto another name of it leaves both, and calls that a success. */
static bool rename_source(struct move *m)
{
    bool twins = m->dest_exists && same(&m->st, &m->dest_st) && m->st.st_nlink > 1;
    if (!fs_rename(m->source.dir, m->source.name, m->dest.dir, m->dest.name, m->exclusive)) return false;
    return !twins || unlinkat(m->source.dir, m->source.name, 0) == 0;
}

static bool carry_out(struct move *m)
{
    if (rename_source(m)) return true;
    int number = errno;
    bool denied = (number == EACCES || number == EPERM) && !m->dest_exists;
    bool copyable = S_ISREG(m->st.st_mode) || S_ISLNK(m->st.st_mode);
    if (!copyable || !(denied || number == EXDEV)) return fail_rename(m, number);
    if (!fs_copy_place(m->root, &m->source, &m->st, &m->dest, m->exclusive)) return fail_rename(m, errno);
    return unlinkat(m->source.dir, m->source.name, 0) == 0 || fs_fail(&m->from, errno);
}

static bool run(struct move *m, bool replace, struct fs_moved *moved)
{
    if (!find_source(m) || !find_dest(m)) return false;
    if (guards_content(m)) return fs_fail(&m->from, FS_EGUARDED);
    m->exclusive = m->into || !replace;
    if (is_same_place(m)) return true;
    moved->replaced = m->dest_exists; /* counts only where it did not fail */
    return carry_out(m);
}

bool fs_move(struct fs_root *root, const char *from, size_t from_len, const char *to, size_t to_len,
             bool replace, struct fs_moved *moved, struct fs_error *error)
{
    struct move m = {.root = root, .source.dir = -1, .dest.dir = -1};
    *moved = (struct fs_moved){NULL, false};
    bool ok = fs_target_open(&m.from, root, from, from_len, error) &&
              fs_target_open(&m.to, root, to, to_len, error) && run(&m, replace, moved);
    fs_place_close(&m.source);
    fs_place_close(&m.dest);
    fs_target_close(&m.from);
    fs_target_close(&m.to);
    if (ok)
        moved->path = m.final;
    else
        free(m.final);
    return ok;
}
