/* Paths as text: nothing here looks at a disk. Thread-safe. */
#ifndef SANDSTORM_PATH_H
#define SANDSTORM_PATH_H

#include <stddef.h>

/* The absolute path that `path` means in the folder `base` (absolute, ignored where `path` is absolute),
 * without `.`, `..`, doubled slashes and slash at the end; `..` of "/" is "/". `path` holds no NUL byte.
 * The caller frees it; NULL when there is no memory. */
char *path_fold(const char *base, const char *path, size_t len);

/* What of the absolute `path` lies below the absolute folded `folder`, compared by components: a pointer into
 * `path` past the slashes, "" when both are the same, NULL when `path` lies elsewhere. Of `path` only the
 * part that equals the folder is looked at: `.` and doubled slashes are skipped there, `..` is not
 * understood. */
const char *path_below(const char *folder, const char *path);

/* The next component of `*path`, which is moved behind it; slashes and `.` are skipped. NULL (and `*len` 0)
 * at the end. */
const char *path_next(const char **path, size_t *len);

/* Length of the part of `path` before its last component, without slashes at its end: 0 for "a". */
size_t path_parent(const char *path, size_t len);

#endif
