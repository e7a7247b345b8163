/* The folder in which the server keeps its own data. Thread-safe. */
#ifndef SANDSTORM_STATE_DIR_H
#define SANDSTORM_STATE_DIR_H

#include <stdbool.h>

/* Makes the folder (0700) where it is missing, and its parents (0777 less the umask); one that is there stays
 * as it is, but for a .gitignore that keeps all of it out of a repository around it (the folder lies in the
 * workspace by default). `path` is absolute. False with errno set. */
bool state_dir_make(const char *path);

/* A file that root made in the folder is given to the folder's owner, who runs the server: an operator may
 * use the command line as root. The folder itself belongs to the owner of the one around it in the same way.
 */
void state_dir_give(const char *path, int fd);

#endif
