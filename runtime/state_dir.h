/* The folder in which the server keeps its own data. Thread-safe. */
#ifndef SANDSTORM_STATE_DIR_H
#define SANDSTORM_STATE_DIR_H

#include <stdbool.h>

/* Makes the folder (0700) where it is missing, and its parents (0777 less the umask); one that is there stays
 * as it is, but for a .gitignore that keeps all of it out of a repository around it (the folder lies in the
 * workspace by default). `path` is absolute. False with errno set. */
bool state_dir_make(const char *path);

#endif
