#include "state_dir.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static bool make(const char *path, mode_t mode)
{
    struct stat st;
    if (mkdir(path, mode) == 0) return true;
    int error = errno;
    if (stat(path, &st) == 0 && S_ISDIR(st.st_mode)) return true;
    errno = error == EEXIST ? ENOTDIR : error;
    return false;
}

void state_dir_give(const char *path, int fd)
{
    struct stat around, st;
    if (geteuid() != 0 || stat(path, &around) != 0 || around.st_uid == 0) return;
    if (fstat(fd, &st) != 0 || st.st_uid != 0) return;
    if (fchown(fd, around.st_uid, around.st_gid) != 0)
        return; /* the one it is for will say that it cannot read */
}

static void give_folder(const char *path)
{
    char parent[PATH_MAX];
    snprintf(parent, sizeof parent, "%.*s", (int)(strrchr(path, '/') - path), path);
    int fd = open(path, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
    if (fd < 0) return;
    state_dir_give(parent[0] != '\0' ? parent : "/", fd);
    close(fd);
}

/* Best effort: it only spares whoever has the folder in a repository. */
static void hide_from_git(const char *path)
{
    char name[PATH_MAX];
    if (snprintf(name, sizeof name, "%s/.gitignore", path) >= (int)sizeof name) return;
    int fd = open(name, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0600);
    if (fd < 0) return;
    state_dir_give(path, fd);
    ssize_t written = write(fd, "*\n", 2);
    (void)written;
    close(fd);
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
    if (!ok || !make(path, 0700)) return false;
    give_folder(path);
    hide_from_git(path);
    return true;
}
