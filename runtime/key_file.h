/* A file of random bytes that is made once and read ever after. */
#ifndef SANDSTORM_KEY_FILE_H
#define SANDSTORM_KEY_FILE_H

#include <stddef.h>

enum key_file_result {
    KEY_FILE_READ,   /* `key` is filled */
    KEY_FILE_NONE,   /* there is none and none can be made; `why` says what stands against it */
    KEY_FILE_BROKEN, /* something is there that is no such file, or cannot be read; `why` says what */
};

#define KEY_FILE_SIZE 32

/* Reads `name` in `folder`, after making both where they are missing. The file appears whole and is never
 * replaced, so that of processes that start together all read the same; its mode is 0600. */
enum key_file_result key_file_load(const char *folder, const char *name, unsigned char key[KEY_FILE_SIZE],
                                   char *why, size_t why_size);

#endif
