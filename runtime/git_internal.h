/* Between the git_*.c files. */
#ifndef SANDSTORM_GIT_INTERNAL_H
#define SANDSTORM_GIT_INTERNAL_H

#include <git2.h>

#include "git.h"

/* Writes what libgit2 said last, with the class of the error, and returns false. */
bool repo_refuse_error(char refusal[REPO_REFUSAL_SIZE], const char *what);

/* Writes a reason and returns false. */
bool repo_refuse(char refusal[REPO_REFUSAL_SIZE], const char *reason);

/* Opens the repository of a directory for reading refs and commits, if nothing about it makes libgit2's
 * answer differ from git's. The caller frees it with git_repository_free. NULL: `refusal` says why. */
git_repository *repo_open_native(struct fs_root *root, const char *path, size_t len,
                                 char refusal[REPO_REFUSAL_SIZE]);

/* Is there room for more lines? A longer answer is the program's, whose output is cut. */
#define REPO_LINES_MAX ((size_t)10 << 20)
bool repo_has_room(const struct buf *lines, char refusal[REPO_REFUSAL_SIZE]);

/* Is there such a file or directory in a directory? */
bool repo_has(const char *directory, const char *name);

#endif
