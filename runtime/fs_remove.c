#include "fs_internal.h"

#include <errno.h>
#include <unistd.h>

static bool remove_place(const struct fs_root *root, const struct fs_place *place)
{
    struct stat st;
    if (!fs_place_stat(place, &st)) return false;
    if (S_ISDIR(st.st_mode)) {
        errno = EISDIR;
        return false;
    }
    if (fs_guards_name(root, place)) {
        errno = FS_EGUARDED;
        return false;
    }
    return unlinkat(place->dir, place->name, 0) == 0;
}

bool fs_remove(struct fs_root *root, const char *path, size_t len, struct fs_error *error)
{
    struct fs_target t;
    struct fs_place place = {.dir = -1};
    if (!fs_target_open(&t, root, path, len, error)) return false;
    errno = EISDIR;
    bool ok = t.relative[0] != '\0' && fs_place_find(root, t.relative, &place) && remove_place(root, &place);
    if (!ok) fs_fail(&t, errno);
    fs_place_close(&place);
    fs_target_close(&t);
    return ok;
}
