/* What the parts of the file engine (fs_*.c) share; everybody else includes fs.h.
 *
 * Words used here, beside those of fs.h
 *   relative  a folded path below the root without a slash in front: "" is the root itself
 *   target    one path argument of one call, with what is needed to report about it
 *   place     an opened folder and a name in it, which may or may not exist
 *   guard     a file that fs_root_protect named */
#ifndef SANDSTORM_FS_INTERNAL_H
#define SANDSTORM_FS_INTERNAL_H

#include <limits.h>
#include <pthread.h>
#include <stdbool.h>
#include <stdint.h>
#include <sys/stat.h>

#include "fs.h"

#define FS_STRIPES 16
#define FS_LINKS_MAX 40 /* as the kernel */
#define FS_RACE_MAX 8   /* how often a call starts again because a name changed under it */

struct fs_guard {
    char *path; /* absolute */
    char *folder;
    const char *name; /* into path */
};

struct fs_root {
    int fd; /* O_PATH; the number stays when the folder is opened again */
    char *path;
    char *given;   /* the absolute form before links were resolved; NULL when it is the same */
    bool nameless; /* a temporary file can be given its name when it is complete: /proc is there */
    pthread_rwlock_t stripes[FS_STRIPES]; /* by inode: content is written in place, or read */
    struct fs_guard *guards;
    size_t guard_count;
};

struct fs_target {
    struct fs_root *root;
    const char *given;
    size_t given_len;
    char *absolute;       /* owned */
    const char *relative; /* into absolute */
    struct fs_error *error;
};

struct fs_place {
    int dir; /* O_PATH, -1 when none */
    char name[NAME_MAX + 1];
};

/* Folds and checks a path and makes sure of the root. False: the error is filled, nothing is left to free. */
bool fs_target_open(struct fs_target *t, struct fs_root *root, const char *path, size_t len,
                    struct fs_error *error);
void fs_target_close(struct fs_target *t);

/* Error numbers of our own beside errno's; functions below that say "False: errno" may set errno to these. */
enum {
    FS_EOUTSIDE = -1, /* the path leads out of the root */
    FS_ENOTREG = -2,  /* neither a regular file nor a folder */
    FS_EGUARDED = -3,
    FS_ERACED = -4,  /* the name changed meanwhile: look again */
    FS_ENOKEEP = -5, /* the old content is too large to be kept while the new is written */
    FS_ETORN = -6,   /* neither the new content could be written nor the old one put back */
    FS_ETAIL = -7    /* a part of what was to be added could not be taken away again */
};

/* These fill the error and return false. A further text in parentheses follows strerror's when `more` is not
 * NULL. */
bool fs_fail(struct fs_target *t, int number);
bool fs_fail_with(struct fs_target *t, int number, const char *more);
/* EINVAL: the path as given holds a NUL byte. */
bool fs_fail_nul(struct fs_target *t);
/* EROOT: there is no folder in the root's place. */
bool fs_fail_root(struct fs_target *t, int number);
/* About another path than the target's. */
bool fs_fail_at(struct fs_target *t, const char *relative, size_t len, int number);

/* close, but errno stays. -1 is allowed. */
void fs_close(int fd);

/* openat2 beneath `dir`, never out of it, with further resolve flags; again while the kernel asks for it.
 * "" is `dir` itself. */
int fs_open_at(int dir, const char *relative, uint64_t flags, mode_t mode, uint64_t resolve);

/* openat2 of one name in an opened folder; a link is not followed (ELOOP, or the link itself with O_PATH). */
int fs_open_name(int dir, const char *name, uint64_t flags);

/* Opens beneath the root and follows links inside. -1: errno. */
int fs_open_beneath(struct fs_root *root, const char *relative, uint64_t flags);

/* Resolves links: writes the relative path without any link to `out`. With `last`, a link as the last
 * component is followed too. The last component need not exist. False: errno. */
bool fs_follow(struct fs_root *root, const char *relative, bool last, char out[PATH_MAX]);

/* Opens the folder that `relative` (not "") lies in; the last component is not looked at. False: errno. */
bool fs_place_find(struct fs_root *root, const char *relative, struct fs_place *place);

/* The same for what `relative` leads to when its last component is a link, through all links. EISDIR for the
 * root. */
bool fs_place_follow(struct fs_root *root, const char *relative, struct fs_place *place);
void fs_place_close(struct fs_place *place); /* errno stays */

/* lstat of a place. False: errno. */
bool fs_place_stat(const struct fs_place *place, struct stat *st);

/* Opens the regular file at a place for its content; `st` receives its state. It is looked at before it is
 * opened, so that nothing else is ever opened. -1: errno; FS_ERACED when it is, or became, a link. */
int fs_open_content(struct fs_root *root, const struct fs_place *place, uint64_t flags, struct stat *st);

/* Is this file, this name in this folder, or something at or below this absolute path guarded? */
bool fs_guards_file(const struct fs_root *root, const struct stat *st);
bool fs_guards_name(const struct fs_root *root, const struct fs_place *place);
bool fs_guards_below(const struct fs_root *root, const char *absolute);

/* Makes what is missing of the folder that the target lies in. */
bool fs_make_parent(struct fs_target *t);

/* The place of a target; missing folders above it are made. */
bool fs_make_place(struct fs_target *t, struct fs_place *place);

/* renameat; with `exclusive` it fails with EEXIST where `to` is taken. */
bool fs_rename(int from_dir, const char *from, int to_dir, const char *to, bool exclusive);

/* `out` gets 16 random hex digits. */
#define FS_DIGITS_SIZE 17
void fs_random_digits(char out[FS_DIGITS_SIZE]);

/* `out` gets a name that nobody else has. */
#define FS_TEMP_NAME_SIZE 32
void fs_temp_name(char out[FS_TEMP_NAME_SIZE]);

/* A file under a temporary name, or without any as long as the file system allows it. */
struct fs_temp {
    int dir; /* borrowed */
    int fd;
    char name[FS_TEMP_NAME_SIZE]; /* "" while nameless */
};

bool fs_temp_open(struct fs_temp *temp, const struct fs_root *root, int dir, mode_t mode);
/* Gives it the name in its folder, replacing what is there, or with `exclusive` failing with EEXIST. */
bool fs_temp_rename(struct fs_temp *temp, int dir, const char *name, bool exclusive);
/* Closes it and removes what has not got its final name; errno stays. */
void fs_temp_close(struct fs_temp *temp);

/* Writes everything at `offset`. False: errno. */
bool fs_write_all(int fd, const void *bytes, size_t size, off_t offset);
/* Copies all content of one file over that of the other; holes stay holes. False: errno. */
bool fs_copy_content(int from, int to);
/* Gives `to` the owner, mode, ACL and attributes of `from`. False when owner, mode or ACL cannot be kept. */
bool fs_copy_metadata(int from, const struct stat *st, int to);

/* Copies a file or link to another place, where it appears complete; `exclusive` as in fs_rename. False:
 * errno. */
bool fs_copy_place(struct fs_root *root, const struct fs_place *source, const struct stat *st,
                   const struct fs_place *dest, bool exclusive);

/* Writes new content into an existing file (`fd`: O_WRONLY); see fs_write. False: errno. */
bool fs_overwrite(struct fs_root *root, const struct fs_place *place, int fd, const void *bytes, size_t size);

/* Adds to the end of an existing file (`fd`: O_WRONLY). False: errno, and the file is as it was. */
bool fs_extend(struct fs_root *root, int fd, const void *bytes, size_t size);

/* Names in a folder. */
struct fs_strings {
    char **items; /* owned, each of them too */
    size_t count, cap;
};

/* Takes over `text` (NULL: it fails). False when there is no memory; `text` is freed then. */
bool fs_strings_add(struct fs_strings *list, char *text);
void fs_strings_free(struct fs_strings *list);

/* The names in the folder `fd` (opened for reading; closed here), sorted by bytes, without `.` and `..`: at
 * most `limit`; `more` tells whether there are others. False: errno, and the list is empty. */
bool fs_read_names(int fd, size_t limit, struct fs_strings *names, bool *more);

/* Names of users and groups, looked up once each. The text is owned by the cache; NULL when there is no
 * memory. */
struct fs_names *fs_names_new(void);
const char *fs_names_user(struct fs_names *names, uint32_t id);
const char *fs_names_group(struct fs_names *names, uint32_t id);
void fs_names_free(struct fs_names *names);

/* Opens what a listing is about: lstat in `st`, and its place (dir -1 for the root). A link that leads out is
 * refused. False: the error is filled. */
bool fs_look(struct fs_target *t, struct fs_place *place, struct stat *st);

/* Opens the folder at a place (the root where dir is -1) for reading its names. -1: errno. */
int fs_open_listing(struct fs_root *root, const struct fs_place *place);

/* The lock that readers of a file share and that who writes in place holds. */
pthread_rwlock_t *fs_stripe(struct fs_root *root, const struct stat *st);

#endif
