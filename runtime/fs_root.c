#include "fs_internal.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/openat2.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "path.h"

/* The absolute text of `path` with its links still in it. NULL where `..` makes that text meaningless. */
static char *unresolved(const char *path)
{
    size_t len;
    for (const char *rest = path, *name; (name = path_next(&rest, &len)) != NULL;)
        if (len == 2 && name[0] == '.' && name[1] == '.') return NULL;
    char *cwd = getcwd(NULL, 0);
    char *text = path_fold(cwd == NULL ? "/" : cwd, path, strlen(path));
    free(cwd);
    return text;
}

static bool open_folder(struct fs_root *root, const char *path)
{
    root->path = realpath(path, NULL);
    if (root->path == NULL) return false;
    root->fd = open(root->path, O_PATH | O_DIRECTORY | O_CLOEXEC);
    return root->fd >= 0 && faccessat(root->fd, ".", R_OK | X_OK, AT_EACCESS) == 0;
}

struct fs_root *fs_root_open(const char *path, char *error, size_t error_size)
{
    struct fs_root *root = calloc(1, sizeof *root);
    if (root == NULL) {
        snprintf(error, error_size, "%s: out of memory", path);
        return NULL;
    }
    root->fd = -1;
    for (size_t i = 0; i < FS_STRIPES; i++)
        pthread_rwlock_init(&root->stripes[i], NULL);
    if (!open_folder(root, path)) {
        snprintf(error, error_size, "%s: %s", path, strerrordesc_np(errno));
        fs_root_free(root);
        return NULL;
    }
    root->given = unresolved(path);
    root->nameless = access("/proc/self/fd", X_OK) == 0;
    return root;
}

void fs_root_free(struct fs_root *root)
{
    if (root == NULL) return;
    if (root->fd >= 0) close(root->fd);
    for (size_t i = 0; i < FS_STRIPES; i++)
        pthread_rwlock_destroy(&root->stripes[i]);
    for (size_t i = 0; i < root->guard_count; i++) {
        free(root->guards[i].path);
        free(root->guards[i].folder);
    }
    free(root->guards);
    free(root->path);
    free(root->given);
    free(root);
}

const char *fs_root_path(const struct fs_root *root)
{
    return root->path;
}

pthread_rwlock_t *fs_stripe(struct fs_root *root, const struct stat *st)
{
    return &root->stripes[(st->st_ino ^ st->st_dev) % FS_STRIPES];
}

/* Opens the folder that has the root's name now; no link was in that name when it was resolved. dup3 keeps
 * the number, so others may use it meanwhile. */
static bool open_again(struct fs_root *root)
{
    struct open_how how = {.flags = O_PATH | O_DIRECTORY | O_CLOEXEC, .resolve = RESOLVE_NO_SYMLINKS};
    int fd = (int)syscall(SYS_openat2, AT_FDCWD, root->path, &how, sizeof how);
    bool ok = fd >= 0 && dup3(fd, root->fd, O_CLOEXEC) >= 0;
    fs_close(fd);
    return ok;
}

/* Is the open folder the one of that name? One whose name cannot be looked up any more counts as that. False:
 * errno. */
static bool refresh(struct fs_root *root)
{
    struct stat named, open;
    if (lstat(root->path, &named) != 0) return errno == EACCES;
    if (fstat(root->fd, &open) == 0 && open.st_dev == named.st_dev && open.st_ino == named.st_ino)
        return true;
    return open_again(root);
}

bool fs_root_check(struct fs_root *root, char *error, size_t error_size)
{
    if (refresh(root)) return true;
    snprintf(error, error_size, "%s: %s", root->path, strerrordesc_np(errno));
    return false;
}

/* What of a folded absolute path lies below the root, in either form. NULL: outside. */
static const char *below_root(const struct fs_root *root, const char *absolute)
{
    const char *rest = path_below(root->path, absolute);
    if (rest == NULL && root->given != NULL) rest = path_below(root->given, absolute);
    return rest;
}

static char *join(const char *folder, const char *rest)
{
    const char *slash = rest[0] == '\0' || strcmp(folder, "/") == 0 ? "" : "/";
    char *out = NULL;
    return asprintf(&out, "%s%s%s", folder, slash, rest) < 0 ? NULL : out;
}

static bool out_of_memory(struct fs_error *error)
{
    error->code = "ENOMEM";
    return false;
}

static bool fold_target(struct fs_target *t, struct fs_root *root, const char *path, size_t len,
                        struct fs_error *error)
{
    *t = (struct fs_target){.root = root, .given = path, .given_len = len, .error = error};
    if (memchr(path, '\0', len) != NULL) return fs_fail_nul(t);
    char *folded = path_fold(root->path, path, len);
    if (folded == NULL) return out_of_memory(error);
    const char *rest = below_root(root, folded);
    if (rest == NULL) {
        free(folded);
        return fs_fail(t, FS_EOUTSIDE);
    }
    t->absolute = join(root->path, rest);
    free(folded);
    if (t->absolute == NULL) return out_of_memory(error);
    t->relative = path_below(root->path, t->absolute);
    return true;
}

bool fs_target_open(struct fs_target *t, struct fs_root *root, const char *path, size_t len,
                    struct fs_error *error)
{
    if (!fold_target(t, root, path, len, error)) return false;
    if (refresh(root)) return true;
    fs_fail_root(t, errno);
    fs_target_close(t);
    return false;
}

void fs_target_close(struct fs_target *t)
{
    free(t->absolute);
    t->absolute = NULL;
}

char *fs_resolve(struct fs_root *root, const char *path, size_t len, struct fs_error *error)
{
    struct fs_target t;
    if (!fold_target(&t, root, path, len, error)) return NULL;
    return t.absolute;
}
