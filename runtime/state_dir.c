#include "state_dir.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

static bool make(const char *path, mode_t mode)
{
    struct stat st;
    if (mkdir(path, mode) == 0) return true;
    int error = errno;
    if (stat(path, &st) == 0 && S_ISDIR(st.st_mode)) return true;
    errno = error == EEXIST ? ENOTDIR : error;
    return false;
}

bool state_dir_make(const char *path)
{
    char *copy = strdup(path);
    if (copy == NULL) return false;
    bool ok = true;
    for (char *slash = strchr(copy + 1, '/'); ok && slash != NULL; slash = strchr(slash + 1, '/')) {
        *slash = '\0';
        ok = make(copy, 0777);
        *slash = '/';
    }
    int error = errno;
    free(copy);
    errno = error;
    return ok && make(path, 0700);
}
