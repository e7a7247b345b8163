/* Git without a process, through libgit2, for what is proven to be what `git` says, and faster. Knows no Lua.
 *
 * Words used here
 *   place    where the repository of a directory lies: its git directory, common directory and work tree
 *   repo_    our prefix: git_ is libgit2's own
 *   refusal  why this engine does not answer, so that the program has to: "shallow clone", "replace refs"
 *
 * libgit2 is loaded when it is first needed (late_library.h). Everything may block on the disk and is meant
 * for the thread pool; functions are safe in any thread. A repository is opened for one call and closed with
 * it: what other processes did to it meanwhile is never missed. */
#ifndef SANDSTORM_GIT_H
#define SANDSTORM_GIT_H

#include <stdbool.h>
#include <stddef.h>

#include "buf.h"
#include "fs.h"

struct repo_place {
    char *directory;  /* where the search began: absolute, without links */
    char *git_dir;    /* absolute, without links and without a slash at the end */
    char *common_dir; /* the same, unless it is a linked work tree */
};

/* What went wrong; code and message as in fs.h, and these codes:
 *   ENOREPO    no repository was found between the directory and the root
 *   EUNCLEAR   git may use another repository than libgit2, or something of it cannot be read: git must not
 *              run
 *   ELIBRARY   libgit2 cannot be loaded or started
 *   EOUTSIDE   the repository leads out of the root: by its own place, its common directory or core.worktree.
 *              A git directory outside is fine when itself says that its work tree lies inside (linked work
 *              trees, submodules). */
struct repo_error {
    const char *code; /* static text; NULL while nothing failed */
    char message[1024];
};

/* Finds the repository that `git` would use in a directory. */
bool repo_locate(struct fs_root *root, const char *path, size_t len, struct repo_place *place,
                 struct repo_error *error);

/* Frees what a place holds and empties it. */
void repo_place_free(struct repo_place *place);

#define REPO_REFUSAL_SIZE 1024

/* The history of HEAD, newest first, at most `count` commits, as `git log` orders it. Adds one line a commit
 * to `out`, fields separated by NUL bytes: id, unique short id, ids of the parents separated by blanks,
 * author's name, email, date ("<seconds> <zone>"), subject. False: `refusal` says why; `out` is to be
 * ignored. */
bool repo_history(struct fs_root *root, const char *path, size_t len, unsigned count, struct buf *out,
                  char refusal[REPO_REFUSAL_SIZE]);

/* All local and remote-tracking branches in the order of `git branch --all`. Adds one line a branch, fields
 * separated by NUL bytes: "*" for the current one or " ", full name, full name of what a symbolic one
 * points to, id, full name of the upstream, and the path of the work tree, which is left empty here. False
 * as above. */
bool repo_branches(struct fs_root *root, const char *path, size_t len, struct buf *out,
                   char refusal[REPO_REFUSAL_SIZE]);

/* Is `git status` in this directory made of nothing but the branch, its upstream and lists of paths? That
 * needs the top of a work tree, no operation in progress, no sparse checkout, and no setting that changes the
 * words. False: `refusal` says why not. */
bool repo_status_is_plain(struct fs_root *root, const char *path, size_t len,
                          char refusal[REPO_REFUSAL_SIZE]);

#endif
