/* Files: the one way in which the server reaches the disk on behalf of an agent. Knows no Lua.
 *
 * Words used here
 *   root   the folder that everything is confined to
 *   path   what an agent gave: bytes with a length, relative to the root or absolute inside it; "" is the
 *          root. First it is folded as text: `.`, `..`, `//` and a slash at the end go. A NUL byte is refused
 *   link   a symbolic link
 *
 * Confinement. Every access is an openat2 beneath the root's descriptor, or an *at call in a folder that was
 * opened so. Links are followed as the kernel does it as long as they stay inside; absolute ones count as
 * inside when their text begins with the root. What leads out, by text or by link, is refused with code
 * EOUTSIDE and `Path "<as given>" is outside the allowed directory (<root>)`.
 *
 * Content is read from and written to regular files only: a FIFO, socket or device answers ENOTREG at once.
 *
 * Errors. Functions return false (NULL, -1) and fill `error`; the message has the form
 * `<absolute path>: <strerror text>`, sometimes with more in parentheses. An fs_error starts as
 * FS_ERROR_INIT and is given to fs_error_free afterwards, also when nothing failed.
 *
 * Everything here may block on the disk and is meant for the thread pool, except fs_resolve. Thread-safe, but
 * opening, freeing and fs_root_protect belong to start and stop. */
#ifndef SANDSTORM_FS_H
#define SANDSTORM_FS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#include "buf.h"

struct fs_root;

struct fs_error {
    const char *code; /* "ENOENT", "EOUTSIDE", "ENOTREG", ...; static text, NULL while nothing failed */
    char *message;    /* one line, owned; NULL while nothing failed or when memory ran out */
    char *path;       /* the absolute path that the message is about, owned; NULL where there is none */
};

#define FS_ERROR_INIT                                                                                        \
    {                                                                                                        \
        NULL, NULL, NULL                                                                                     \
    }

void fs_error_free(struct fs_error *error);

/* The message, never NULL. */
const char *fs_error_text(const struct fs_error *error);

/* Opens a root. Links in `path` are resolved now; afterwards absolute paths may begin with the resolved form
 * or with the form given here. Another folder that takes the place of this one is picked up, a link is not;
 * while there is none all calls fail with EROOT. Returns NULL and one line in `error` when it is missing, no
 * folder or not readable. */
struct fs_root *fs_root_open(const char *path, char *error, size_t error_size);

/* Is a folder in its place? False: one line in `error`. */
bool fs_root_check(struct fs_root *root, char *error, size_t error_size);

/* NULL is allowed. */
void fs_root_free(struct fs_root *root);

/* The resolved absolute path, without a slash at the end (unless it is "/"). */
const char *fs_root_path(const struct fs_root *root);

/* Guards a file of the server itself, inside or outside the root, whether or not it exists yet: its content
 * is neither opened nor its name made, replaced, moved or removed (code EACCES), whatever link, hard link or
 * folder leads to it. `path` is absolute and copied. False when there is no memory. */
bool fs_root_protect(struct fs_root *root, const char *path);

/* The same for an SQLite database and the files that SQLite keeps beside it: to close any other descriptor of
 * them in this process would take away its locks. */
bool fs_root_protect_database(struct fs_root *root, const char *path);

/* The absolute folded path; text only, nothing is looked up. The caller frees it. */
char *fs_resolve(struct fs_root *root, const char *path, size_t len, struct fs_error *error);

/* A folder as a descriptor for fchdir and *at calls (O_PATH, close-on-exec); the caller closes it. */
int fs_open_dir(struct fs_root *root, const char *path, size_t len, struct fs_error *error);

#define FS_READ_MAX ((size_t)16 << 20) /* bytes that one fs_read gives at most */

/* Reads `limit` bytes (at most FS_READ_MAX) from `offset`; limit 0 means the rest of the file and fails with
 * EFBIG when that is more than FS_READ_MAX. `out` comes empty; `size` receives the size of the whole file. */
bool fs_read(struct fs_root *root, const char *path, size_t len, uint64_t offset, size_t limit,
             struct buf *out, uint64_t *size, struct fs_error *error);

/* Replaces the content of a file, or makes it, with its parents. Links are followed to the file they name,
 * which need not exist yet. Of concurrent writers the last one wins, whole.
 *
 * The new content is complete under a temporary name before it takes the place of the old one by a rename:
 * readers see one or the other, and whatever fails or kills the server leaves the old one. Mode, owner, ACL
 * and extended attributes are kept; a new file gets 0666 less the umask.
 *
 * Where a new file cannot take the place - the old one has further hard links, its owner or ACL cannot be
 * given to a new file, the folder is not writable, it is a mount point - the old file is written to: space is
 * reserved first, and the old content is put back when something fails. A copy of the old content lies beside
 * it meanwhile as `.NAME.<hex>.sandstorm-old`, and stays there if the server is killed at that moment. Where
 * the folder takes no file that copy is in memory, up to FS_KEEP_MAX. */
#define FS_KEEP_MAX ((uint64_t)64 << 20)
bool fs_write(struct fs_root *root, const char *path, size_t len, const void *bytes, size_t size,
              bool *created, struct fs_error *error);

/* Adds to the end of a file, or makes it, with its parents. All or nothing. */
bool fs_append(struct fs_root *root, const char *path, size_t len, const void *bytes, size_t size,
               bool *created, struct fs_error *error);

/* Removes a file, a link (not what it names) or any other thing that is no folder. */
bool fs_remove(struct fs_root *root, const char *path, size_t len, struct fs_error *error);

struct fs_removed {
    uint64_t entries; /* names that are gone */
    bool complete;    /* nothing is left; false: the limit came first, call again */
};

/* Removes a folder with everything in it, or what else has that name. At most `limit` names go in one call.
 *
 * No link is ever followed, neither on the way to `path` (ELOOP) nor below it, where links themselves are
 * removed; mount points are not entered (EXDEV). Folders without permissions get them first. Whatever cannot
 * be removed is left, the rest goes, and the error names the first of it. ENOENT when nothing is there. */
bool fs_remove_tree(struct fs_root *root, const char *path, size_t len, uint64_t limit,
                    struct fs_removed *removed, struct fs_error *error);

struct fs_moved {
    char *path;    /* the new absolute path; the caller frees it */
    bool replaced; /* a file was there and is gone */
};

/* Renames; missing parents of `to` are made. A link is moved as a link. An existing folder as `to` means:
 * into it, where the name must be free. An existing file is replaced only with `replace`, else EEXIST; no
 * other thread or process can slip in between. To another file system files and links are copied first and
 * removed then, folders fail with EXDEV. Where the source may be read but not removed, the copy stays and the
 * error names the source. */
bool fs_move(struct fs_root *root, const char *from, size_t from_len, const char *to, size_t to_len,
             bool replace, struct fs_moved *moved, struct fs_error *error);

/* Makes a folder (0777 less the umask); one that is there is a success with *created false. */
bool fs_mkdir(struct fs_root *root, const char *path, size_t len, bool parents, bool *created,
              struct fs_error *error);

/* One thing in a folder, as lstat sees it. */
struct fs_entry {
    char *name;       /* bytes as in the folder */
    const char *type; /* "file", "directory", "link", "fifo", "socket", "char", "block", or "unknown" when it
                         could not be looked at; static text */
    char *target;     /* text of a link, else NULL */
    const char *user; /* name, or the number as text; owned by the listing */
    const char *group;
    uint32_t mode; /* permission bits with set-id and sticky bits: st_mode & 07777 */
    uint32_t uid, gid;
    uint64_t nlink, size, blocks; /* blocks of 512 bytes */
    uint32_t major, minor;        /* of devices */
    int64_t mtime;                /* unix seconds */
};

struct fs_listing {
    char *path;               /* absolute path of what was listed */
    bool is_directory;        /* else there is one entry: the thing itself */
    bool truncated;           /* there are more entries than asked for */
    uint64_t blocks;          /* of 1024 bytes, of all entries, rounded up: what `ls` calls total */
    struct fs_entry *entries; /* sorted by bytes; with `.` and `..`, which are the same in the root */
    size_t count;
    struct fs_names *names; /* private */
};

/* Lists a folder, at most `limit` entries. A link is not followed: it is listed itself, but one that leads
 * out of the root is refused. */
bool fs_list(struct fs_root *root, const char *path, size_t len, size_t limit, struct fs_listing *listing,
             struct fs_error *error);

/* Like fs_list of something that is no folder, for everything. */
bool fs_stat(struct fs_root *root, const char *path, size_t len, struct fs_listing *listing,
             struct fs_error *error);

/* Frees what a listing holds and empties it. */
void fs_listing_free(struct fs_listing *listing);

struct fs_walk_options {
    unsigned depth;          /* levels below the start, at most FS_DEPTH_MAX */
    size_t limit;            /* paths at most */
    const char *const *skip; /* names of folders that are listed, but not entered */
    size_t skip_count;
};

#define FS_DEPTH_MAX 64

struct fs_walk_result {
    char **paths; /* absolute, the start first, then depth first and sorted by bytes */
    size_t count;
    char **unreadable; /* folders that could not be read */
    size_t unreadable_count;
    bool truncated; /* more than `limit` */
    bool deeper;    /* something lies deeper than `depth` */
};

/* Lists what lies below. Links are listed, never followed; one as the start that leads out is refused. */
bool fs_walk(struct fs_root *root, const char *path, size_t len, const struct fs_walk_options *options,
             struct fs_walk_result *result, struct fs_error *error);

void fs_walk_result_free(struct fs_walk_result *result);

#endif
