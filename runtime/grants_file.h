/* The file behind grants.h: lines that several processes append under a lock, and that one of them may
 * replace by a shorter file. */
#ifndef SANDSTORM_GRANTS_FILE_H
#define SANDSTORM_GRANTS_FILE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#include "buf.h"

struct grants_file {
    char *folder, *path; /* owned */
    dev_t device;        /* which file was read ... */
    ino_t inode;
    int64_t offset; /* ... and how far; 0: nothing */
};

/* Who makes sense of the lines. */
struct grants_reader {
    void *data;
    void (*forget)(void *data); /* the file is another one: what was read before no longer counts */
    void (*line)(void *data, const char *text, size_t len);
};

/* False without memory. */
bool grants_file_init(struct grants_file *file, const char *folder, const char *name);
void grants_file_free(struct grants_file *file);

/* Reads what is new. A file that is gone, or cannot be read, changes nothing. */
void grants_file_read(struct grants_file *file, const struct grants_reader *reader);

/* Was it read, and is there none any more? */
bool grants_file_is_gone(const struct grants_file *file);

/* False with errno set where the file is there and cannot be read. */
bool grants_file_readable(const struct grants_file *file);

/* Appends whole lines and reads what is new, these included; makes folder and file where they are missing.
 * `durable` waits for the disk. False with errno set. */
bool grants_file_append(struct grants_file *file, const struct grants_reader *reader, const char *lines,
                        size_t len, bool durable);

/* Replaces the content by `lines`, unless another process wrote meanwhile. */
void grants_file_replace(struct grants_file *file, const struct grants_reader *reader,
                         const struct buf *lines);

/* Bytes read so far. */
int64_t grants_file_size(const struct grants_file *file);

/* Hands on each line of a text. */
void grants_file_lines(const struct grants_reader *reader, const char *text, size_t len);

#endif
