#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
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

static bool fail_unclear(struct repo_error *error, const char *path, const char *expected)
{
    error->code = "EUNCLEAR";
    snprintf(error->message, sizeof error->message,
             "cannot tell which repository git would use: \"%.800s\" %s", path, expected);
    return false;
}

static bool join(char path[PATH_MAX], const char *directory, const char *name)
{
    return snprintf(path, PATH_MAX, "%s/%s", directory, name) < PATH_MAX;
}

enum content { ABSENT, PLAIN, ODD };

/* Git, libgit2 and this file cut other bytes off the end of a path and end it at other ones; these are the
 * lines of which all make the same. Ends the line with NUL. */
static bool is_plain(char line[PATH_MAX], ssize_t len)
{
    if (len <= 0 || len == PATH_MAX) return false;
    if (line[len - 1] == '\n') len--;
    line[len] = '\0';
    return len > 0 && strlen(line) == (size_t)len && strpbrk(line, "\r\n") == NULL &&
           strchr(" \t\v\f", line[len - 1]) == NULL;
}

/* The only line of a small file. */
static enum content read_line(const char *directory, const char *name, char line[PATH_MAX])
{
    char path[PATH_MAX];
    struct stat st;
    if (!join(path, directory, name)) return ODD;
    int fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
    if (fd < 0) return errno == ENOENT ? ABSENT : ODD;
    ssize_t len = fstat(fd, &st) == 0 && S_ISREG(st.st_mode) ? read(fd, line, PATH_MAX) : -1;
    close(fd);
    return is_plain(line, len) ? PLAIN : ODD;
}

static bool leads_inside(const struct fs_root *root, const char *git_dir, const char *worktree)
{
    char *real = worktree != NULL ? real_path(git_dir, worktree) : NULL;
    bool inside = real != NULL ? is_inside(root, real) : worktree != NULL && is_inside(root, worktree);
    free(real);
    return inside;
}

/* Does every core.worktree of a configuration lead inside? Git takes the last one and leaves out those of
 * included files, which libgit2 does not: so each counts. False too when it cannot be read. */
static bool check_values(const struct libgit2 *git, const struct fs_root *root, const char *git_dir,
                         git_config *config, bool *named, struct repo_error *error)
{
    git_config_iterator *values = NULL;
    git_config_entry *entry;
    bool inside = true;
    int status = git->config_multivar_iterator_new(&values, config, "core.worktree", NULL);
    while (status == 0 && inside && (status = git->config_next(&entry, values)) == 0) {
        *named = true;
        inside = leads_inside(root, git_dir, entry->value);
    }
    git->config_iterator_free(values);
    if (!inside) return fail_outside(error, root, "work tree (core.worktree)", git_dir);
    return status == GIT_ITEROVER || fail_unclear(error, git_dir, "has a configuration that cannot be read");
}

/* Do all work trees lie inside that a configuration file names, if it is there? */
static bool check_config(const struct libgit2 *git, const struct fs_root *root, const char *git_dir,
                         const char *directory, const char *file, bool *named, struct repo_error *error)
{
    char path[PATH_MAX];
    struct stat st;
    git_config *config = NULL;
    if (!join(path, directory, file)) return fail_unclear(error, directory, "is a path too long");
    bool there = stat(path, &st) == 0;
    if (!there && errno == ENOENT) return true;
    if (!there || !S_ISREG(st.st_mode)) return fail_unclear(error, path, "cannot be read as a file");
    bool ok = git->config_open_ondisk(&config, path) == 0;
    if (!ok) {
        error->code = "EUNCLEAR";
        repo_refuse_error(git, error->message, "configuration");
    }
    ok = ok && check_values(git, root, git_dir, config, named, error);
    git->config_free(config);
    return ok;
}

/* Does a linked work tree take core.worktree from the configuration that all share? */
static bool uses_common_worktree(const struct libgit2 *git, const struct repo_place *place)
{
    char path[PATH_MAX];
    git_config *config = NULL;
    git_buf value = GIT_BUF_INIT;
    if (strcmp(place->git_dir, place->common_dir) == 0) return false;
    bool uses = !join(path, place->common_dir, "config") || git->config_open_ondisk(&config, path) != 0 ||
                git->config_get_string_buf(&value, config, "extensions.worktreeConfig") != GIT_ENOTFOUND;
    git->buf_dispose(&value);
    git->config_free(config);
    return uses;
}

/* Does a git directory outside of the root say itself that its work tree is inside? */
static bool points_back(const struct libgit2 *git, const struct fs_root *root, const char *git_dir,
                        struct repo_error *error)
{
    char line[PATH_MAX];
    bool named = false;
    enum content content = read_line(git_dir, "gitdir", line);
    if (content == ABSENT) return check_config(git, root, git_dir, git_dir, "config", &named, error) && named;
    char *back = content == PLAIN ? real_path(git_dir, line) : NULL;
    bool inside = back != NULL && is_inside(root, back);
    free(back);
    return inside;
}

static bool find_common_dir(struct repo_place *place, struct repo_error *error)
{
    char line[PATH_MAX];
    enum content content = read_line(place->git_dir, "commondir", line);
    if (content == ABSENT) place->common_dir = strdup(place->git_dir);
    if (content == PLAIN) place->common_dir = real_path(place->git_dir, line);
    return place->common_dir != NULL ||
           fail_unclear(error, place->git_dir,
                        "has a file commondir that is not one line, the path of a directory");
}

static bool check_place(const struct libgit2 *git, const struct fs_root *root, const struct repo_place *place,
                        struct repo_error *error)
{
    const char *git_dir = place->git_dir;
    bool named = false, inside = is_inside(root, git_dir);
    if (!inside && !points_back(git, root, git_dir, error))
        return fail_outside(error, root, "directory", git_dir);
    if (inside && !is_inside(root, place->common_dir))
        return fail_outside(error, root, "common directory", place->common_dir);
    if (uses_common_worktree(git, place) &&
        !check_config(git, root, git_dir, place->common_dir, "config", &named, error))
        return false;
    return check_config(git, root, git_dir, git_dir, "config", &named, error) &&
           check_config(git, root, git_dir, git_dir, "config.worktree", &named, error);
}

static bool has_entry(const char *directory, const char *name)
{
    char path[PATH_MAX];
    struct stat st;
    return join(path, directory, name) && lstat(path, &st) == 0;
}

/* Everything that git takes for a git directory is like one, and more. */
static bool is_like_git_dir(const char *path)
{
    return has_entry(path, "HEAD") &&
           (has_entry(path, "commondir") || (has_entry(path, "objects") && has_entry(path, "refs")));
}

/* Is a HEAD, as a link or as text, one that git takes? */
static bool is_head(const char *git_dir)
{
    char path[PATH_MAX], head[256] = "";
    if (!join(path, git_dir, "HEAD")) return false;
    if (readlink(path, head, sizeof head - 1) >= 0) return strncmp(head, "refs/", 5) == 0;
    int fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
    if (fd < 0) return false;
    ssize_t len = read(fd, head, sizeof head - 1);
    close(fd);
    if (len <= 0) return false;
    if (strncmp(head, "ref:", 4) != 0) return strspn(head, "0123456789abcdefABCDEF") >= 40;
    return strncmp(head + 4 + strspn(head + 4, " \t\r\n"), "refs/", 5) == 0;
}

static bool may_enter(const char *directory, const char *name)
{
    char path[PATH_MAX];
    return join(path, directory, name) && access(path, X_OK) == 0;
}

static bool git_takes(const struct repo_place *place)
{
    return is_head(place->git_dir) && may_enter(place->common_dir, "objects") &&
           may_enter(place->common_dir, "refs");
}

/* Where a file .git leads. */
static bool follow_file(const char *directory, char **met, struct repo_error *error)
{
    static const char start[] = "gitdir: ";
    char line[PATH_MAX];
    if (read_line(directory, ".git", line) == PLAIN && strncmp(line, start, sizeof start - 1) == 0)
        *met = real_path(directory, line + sizeof start - 1);
    return *met != NULL ||
           fail_unclear(error, directory,
                        "has a file .git that is not one line, \"gitdir: \" and the path of a directory");
}

static bool look_at(const char *directory, char **met, struct repo_error *error)
{
    char path[PATH_MAX];
    struct stat st;
    if (!join(path, directory, ".git")) return fail_unclear(error, directory, "is a path too long");
    if (stat(path, &st) == 0 && S_ISREG(st.st_mode)) return follow_file(directory, met, error);
    bool below = is_like_git_dir(path);
    if (!below && !is_like_git_dir(directory)) return true;
    *met = realpath(below ? path : directory, NULL);
    return *met != NULL || fail_unclear(error, directory, "cannot be resolved");
}

/* Goes to the parent directory; false at the root. */
static bool ascend(const struct fs_root *root, char at[PATH_MAX])
{
    char *slash = strrchr(at, '/');
    if (slash == NULL || at[1] == '\0' || strcmp(at, fs_root_path(root)) == 0) return false;
    slash[slash == at ? 1 : 0] = '\0';
    return true;
}

/* What git comes upon first between a directory and the root; NULL when there is nothing. False when that
 * cannot be told. Ends with the directory where that is. */
static bool find_first(const struct fs_root *root, char at[PATH_MAX], char **met, struct repo_error *error)
{
    do {
        if (!look_at(at, met, error)) return false;
    } while (*met == NULL && ascend(root, at));
    return true;
}

/* What git does not take it passes over, and goes on to a repository further up that nobody looked at. */
static bool fail_passed_over(const struct fs_root *root, char at[PATH_MAX], const char *git_dir,
                             struct repo_error *error)
{
    char *further = NULL;
    bool alone = strcmp(git_dir, at) == 0 || !is_like_git_dir(at);
    if (alone && ascend(root, at)) alone = find_first(root, at, &further, error) && further == NULL;
    free(further);
    if (alone) return fail(error, "ENOREPO", "no repository: HEAD, objects or refs cannot be read");
    return fail_unclear(error, git_dir, "needs a HEAD, objects and refs that git can read");
}

/* The folder above the root: no search goes into it. */
static void ceiling_of(const struct fs_root *root, char ceiling[PATH_MAX])
{
    snprintf(ceiling, PATH_MAX, "%s", fs_root_path(root));
    char *slash = strrchr(ceiling, '/');
    slash[slash == ceiling ? 1 : 0] = '\0';
}

/* Libgit2 has to come to the same: what only is like a git directory, git passes over. */
static bool confirm(const struct libgit2 *git, const struct fs_root *root, const struct repo_place *place,
                    struct repo_error *error)
{
    char ceiling[PATH_MAX], why[REPO_REFUSAL_SIZE] = "only libgit2 finds a repository";
    git_buf found = GIT_BUF_INIT;
    const char *own = place->git_dir;
    ceiling_of(root, ceiling);
    int status = git->repository_discover(&found, place->directory, 0, ceiling);
    if (status != 0) repo_refuse_error(git, why, "no repository");
    char *theirs = status == 0 ? realpath(found.ptr, NULL) : NULL;
    git->buf_dispose(&found);
    bool same = own != NULL && theirs != NULL && strcmp(own, theirs) == 0;
    free(theirs);
    if (same) return true;
    if (own != NULL) return fail_unclear(error, own, "looks like the nearest one, but is not to libgit2");
    return fail(error, status == GIT_ENOTFOUND ? "ENOREPO" : "EUNCLEAR", why);
}

static bool discover(const struct libgit2 *git, const struct fs_root *root, struct repo_place *place,
                     struct repo_error *error)
{
    char at[PATH_MAX];
    snprintf(at, sizeof at, "%s", place->directory);
    if (!find_first(root, at, &place->git_dir, error)) return false;
    if (place->git_dir == NULL) return confirm(git, root, place, error);
    if (!find_common_dir(place, error)) return false;
    return git_takes(place) ? confirm(git, root, place, error)
                            : fail_passed_over(root, at, place->git_dir, error);
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
