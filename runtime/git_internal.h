/* Between the git_*.c files. */
#ifndef SANDSTORM_GIT_INTERNAL_H
#define SANDSTORM_GIT_INTERNAL_H

#include <git2.h>

#include "git.h"

/* What is used of libgit2: git_commit_free(c) is git->commit_free(c). */
/* clang-format off */
#define LIBGIT2_FUNCTIONS(F) \
    F(buf_dispose) F(commit_author) F(commit_free) F(commit_id) F(commit_lookup) \
    F(commit_message_encoding) F(commit_message_raw) F(commit_parent_id) F(commit_parentcount) \
    F(commit_time) F(config_free) F(config_get_int32) F(config_get_string_buf) F(config_iterator_free) \
    F(config_iterator_new) F(config_multivar_iterator_new) F(config_next) F(config_open_ondisk) \
    F(error_last) F(libgit2_init) F(libgit2_shutdown) F(object_short_id) F(oid_cpy) F(oid_equal) \
    F(oid_tostr) F(reference_free) F(reference_iterator_free) F(reference_iterator_glob_new) \
    F(reference_list) F(reference_lookup) F(reference_name_to_id) F(reference_next_name) \
    F(reference_symbolic_target) F(refspec_free) F(refspec_parse) F(refspec_src_matches) \
    F(refspec_transform) F(repository_commondir) F(repository_config_snapshot) F(repository_discover) \
    F(repository_free) F(repository_is_bare) F(repository_is_shallow) F(repository_open) \
    F(repository_path) F(repository_workdir) F(strarray_dispose)
/* clang-format on */

struct libgit2 {
#define MEMBER(name) __typeof__(git_##name) *name;
    LIBGIT2_FUNCTIONS(MEMBER)
#undef MEMBER
};

/* Loads and starts libgit2 unless that was done. It stays until the process ends: it reads all certificates
 * of the system when it starts. False: `refusal` says why. */
bool repo_engine(struct libgit2 *git, char refusal[REPO_REFUSAL_SIZE]);

/* repo_locate, with libgit2 at hand. */
bool repo_find(const struct libgit2 *git, struct fs_root *root, const char *path, size_t len,
               struct repo_place *place, struct repo_error *error);

/* Writes what libgit2 said last, with the class of the error, and returns false. */
bool repo_refuse_error(const struct libgit2 *git, char refusal[REPO_REFUSAL_SIZE], const char *what);

/* Writes a reason and returns false. */
bool repo_refuse(char refusal[REPO_REFUSAL_SIZE], const char *reason);

/* Opens the repository of a directory for reading refs and commits, if nothing about it makes libgit2's
 * answer differ from git's. The caller frees it with repository_free. NULL: `refusal` says why. */
git_repository *repo_open_native(const struct libgit2 *git, struct fs_root *root, const char *path,
                                 size_t len, char refusal[REPO_REFUSAL_SIZE]);

/* Is there room for more lines? A longer answer is the program's, whose output is cut. */
#define REPO_LINES_MAX ((size_t)10 << 20)
bool repo_has_room(const struct buf *lines, char refusal[REPO_REFUSAL_SIZE]);

/* Is there such a file or directory in a directory? */
bool repo_has(const char *directory, const char *name);

#endif
