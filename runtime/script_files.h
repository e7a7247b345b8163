/* Which files a reading of the scripts was made from, as they were then: what the watcher compares with. */
#ifndef SANDSTORM_SCRIPT_FILES_H
#define SANDSTORM_SCRIPT_FILES_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/stat.h>

struct script_file {
    char *path; /* absolute */
    int64_t mtime_ns;
    uint64_t inode;
    int64_t size; /* bytes; -1: there was no such file, and if there is one it will be preferred */
    struct script_file *next;
};

/* A list, empty when `first` is NULL. The owner frees it. */
struct script_files {
    struct script_file *first;
};

/* The entry of `path`, made with size -1 if there is none. NULL when there is no memory. */
struct script_file *script_files_add(struct script_files *files, const char *path);

/* Notes how the file is now. */
void script_file_note(struct script_file *file, const struct stat *st);

/* True if any file is not as it was noted. */
bool script_files_changed(const struct script_files *files);

/* A number that stands for the files that there were, as they were noted, in whatever order: the same after
 * a restart, and another one after an edit. */
uint64_t script_files_id(const struct script_files *files);

/* Moves the entries of `older` that `files` lacks into `files`, noting how they are now, and empties `older`.
 */
void script_files_merge(struct script_files *files, struct script_files *older);

void script_files_free(struct script_files *files);

#endif
