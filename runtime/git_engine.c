#include <assert.h>
#include <stddef.h>
#include <stdio.h>

#include "git_internal.h"
#include "late_library.h"

bool repo_engine(struct libgit2 *git, char refusal[REPO_REFUSAL_SIZE])
{
#define NAME(name) "git_" #name,
    static const char *const names[] = {LIBGIT2_FUNCTIONS(NAME) NULL};
#undef NAME
    static_assert(sizeof names == sizeof *git + sizeof names[0], "a name for each function");
    if (!late_library_load(LIBGIT2_LIBRARY, names, git, refusal, REPO_REFUSAL_SIZE)) return false;
    int users = git->libgit2_init(); /* a start that failed counts as one, too */
    int left = users == 1 ? 1 : git->libgit2_shutdown();
    return (users > 0 && left > 0) || repo_refuse(refusal, "libgit2 does not start");
}

/* In the order of git_error_t. */
static const char *const classes[] = {
    "none",     "memory",    "os",       "invalid",    "reference", "zlib",      "repository", "config",
    "regex",    "odb",       "index",    "object",     "net",       "tag",       "tree",       "indexer",
    "ssl",      "submodule", "thread",   "stash",      "checkout",  "fetchhead", "merge",      "ssh",
    "filter",   "revert",    "callback", "cherrypick", "describe",  "rebase",    "filesystem", "patch",
    "worktree", "sha",       "http",     "internal"};
#define CLASS_COUNT (sizeof classes / sizeof classes[0])
static_assert(CLASS_COUNT == GIT_ERROR_INTERNAL + 1, "a class of errors has no name");

static const char *class_name(int number)
{
    return number >= 0 && (size_t)number < CLASS_COUNT ? classes[number] : "error";
}

bool repo_refuse(char refusal[REPO_REFUSAL_SIZE], const char *reason)
{
    snprintf(refusal, REPO_REFUSAL_SIZE, "%s", reason);
    return false;
}

bool repo_has_room(const struct buf *lines, char refusal[REPO_REFUSAL_SIZE])
{
    return lines->len < REPO_LINES_MAX || repo_refuse(refusal, "the answer is long");
}

bool repo_refuse_error(const struct libgit2 *git, char refusal[REPO_REFUSAL_SIZE], const char *what)
{
    const git_error *last = git->error_last();
    if (last == NULL) return repo_refuse(refusal, what);
    snprintf(refusal, REPO_REFUSAL_SIZE, "%s: libgit2 %s %d: %s", what, class_name(last->klass), last->klass,
             last->message);
    return false;
}
