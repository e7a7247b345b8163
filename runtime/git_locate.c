#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "git_internal.h"

static bool fail(struct repo_error *error, const char *code, const char *message)
{
    error->code = code;
    snprintf(error->message, sizeof error->message, "%s", message);
    return false;
}

static bool fail_outside(struct repo_error *error, const struct fs_root *root, const char *what,
                         const char *path)
{
    error->code = "EOUTSIDE";
    snprintf(error->message, sizeof error->message,
             "The %s of this repository, \"%s\", is outside the allowed directory (%s)", what, path,
             fs_root_path(root));
    return false;
}

static bool is_inside(const struct fs_root *root, const char *path)
{
    const char *top = fs_root_path(root);
    size_t len = strlen(top);
    if (strcmp(top, "/") == 0) return true;
    return strncmp(path, top, len) == 0 && (path[len] == '/' || path[len] == '\0');
}

/* The real path of a path that may be relative to a directory; owned, or NULL when there is nothing. */
static char *real_path(const char *directory, const char *path)
{
    char joined[PATH_MAX];
    int n = path[0] == '/' ? snprintf(joined, sizeof joined, "%s", path)
                           : snprintf(joined, sizeof joined, "%s/%s", directory, path);
    return n < (int)sizeof joined ? realpath(joined, NULL) : NULL;
}

/* The first line of a small file; false when there is none. */
static bool read_line(const char *directory, const char *name, char line[PATH_MAX])
{
    char path[PATH_MAX];
    if (snprintf(path, sizeof path, "%s/%s", directory, name) >= (int)sizeof path) return false;
    FILE *file = fopen(path, "re");
    if (file == NULL) return false;
    bool ok = fgets(line, PATH_MAX, file) != NULL;
    fclose(file);
    if (ok) line[strcspn(line, "\n")] = '\0';
    return ok;
}

/* The real path of core.worktree in a configuration file; NULL when it says nothing. What it names and is not
 * there comes as it is. */
static char *configured_worktree(const struct libgit2 *git, const char *git_dir, const char *file)
{
    char path[PATH_MAX];
    if (snprintf(path, sizeof path, "%s/%s", git_dir, file) >= (int)sizeof path) return NULL;
    git_config *config = NULL;
    git_buf value = GIT_BUF_INIT;
    char *found = NULL;
    if (access(path, R_OK) == 0 && git->config_open_ondisk(&config, path) == 0 &&
        git->config_get_string_buf(&value, config, "core.worktree") == 0) {
        found = real_path(git_dir, value.ptr);
        if (found == NULL) found = strdup(value.ptr);
    }
    git->buf_dispose(&value);
    git->config_free(config);
    return found;
}

static bool worktree_is_inside(const struct libgit2 *git, const struct fs_root *root, const char *git_dir,
                               const char *file, bool if_absent)
{
    char *worktree = configured_worktree(git, git_dir, file);
    bool inside = worktree == NULL ? if_absent : is_inside(root, worktree);
    free(worktree);
    return inside;
}

/* Does a git directory outside of the root say itself that its work tree is inside? */
static bool points_back(const struct libgit2 *git, const struct fs_root *root, const char *git_dir)
{
    char line[PATH_MAX];
    if (!read_line(git_dir, "gitdir", line)) return worktree_is_inside(git, root, git_dir, "config", false);
    char *back = real_path(git_dir, line);
    bool inside = back != NULL && is_inside(root, back);
    free(back);
    return inside;
}

static bool find_common_dir(struct repo_place *place)
{
    char line[PATH_MAX];
    place->common_dir = read_line(place->git_dir, "commondir", line) ? real_path(place->git_dir, line)
                                                                     : strdup(place->git_dir);
    return place->common_dir != NULL;
}

static bool check_place(const struct libgit2 *git, const struct fs_root *root, const struct repo_place *place,
                        struct repo_error *error)
{
    bool inside = is_inside(root, place->git_dir);
    if (!inside && !points_back(git, root, place->git_dir))
        return fail_outside(error, root, "directory", place->git_dir);
    if (inside && !is_inside(root, place->common_dir))
        return fail_outside(error, root, "common directory", place->common_dir);
    if (!worktree_is_inside(git, root, place->git_dir, "config", true) ||
        !worktree_is_inside(git, root, place->git_dir, "config.worktree", true))
        return fail_outside(error, root, "work tree (core.worktree)", place->git_dir);
    return true;
}

/* The folder above the root: no search goes into it. */
static void ceiling_of(const struct fs_root *root, char ceiling[PATH_MAX])
{
    snprintf(ceiling, PATH_MAX, "%s", fs_root_path(root));
    char *slash = strrchr(ceiling, '/');
    slash[slash == ceiling ? 1 : 0] = '\0';
}

static bool discover(const struct libgit2 *git, const struct fs_root *root, struct repo_place *place,
                     struct repo_error *error)
{
    char ceiling[PATH_MAX];
    git_buf found = GIT_BUF_INIT;
    ceiling_of(root, ceiling);
    int status = git->repository_discover(&found, place->directory, 0, ceiling);
    if (status == 0) place->git_dir = realpath(found.ptr, NULL);
    git->buf_dispose(&found);
    if (status == 0 && place->git_dir != NULL && find_common_dir(place)) return true;
    char why[REPO_REFUSAL_SIZE] = "no repository";
    if (status != 0) repo_refuse_error(git, why, "no repository");
    return fail(error, "ENOREPO", why);
}

static bool open_directory(struct fs_root *root, const char *path, size_t len, struct repo_place *place,
                           struct repo_error *error)
{
    struct fs_error why = FS_ERROR_INIT;
    char link[64], real[PATH_MAX];
    int fd = fs_open_dir(root, path, len, &why);
    if (fd < 0) fail(error, why.code != NULL ? why.code : "ENOMEM", fs_error_text(&why));
    fs_error_free(&why);
    if (fd < 0) return false;
    snprintf(link, sizeof link, "/proc/self/fd/%d", fd);
    ssize_t n = readlink(link, real, sizeof real - 1);
    close(fd);
    if (n < 0) return fail(error, strerrorname_np(errno), "cannot tell where the directory lies");
    real[n] = '\0';
    place->directory = strdup(real);
    return place->directory != NULL || fail(error, "ENOMEM", "not enough memory");
}

bool repo_find(const struct libgit2 *git, struct fs_root *root, const char *path, size_t len,
               struct repo_place *place, struct repo_error *error)
{
    if (open_directory(root, path, len, place, error) && discover(git, root, place, error) &&
        check_place(git, root, place, error))
        return true;
    repo_place_free(place);
    return false;
}

bool repo_locate(struct fs_root *root, const char *path, size_t len, struct repo_place *place,
                 struct repo_error *error)
{
    struct libgit2 git;
    char why[REPO_REFUSAL_SIZE];
    if (!repo_engine(&git, why)) return fail(error, "ELIBRARY", why);
    return repo_find(&git, root, path, len, place, error);
}

void repo_place_free(struct repo_place *place)
{
    free(place->directory);
    free(place->git_dir);
    free(place->common_dir);
    *place = (struct repo_place){NULL, NULL, NULL};
}
