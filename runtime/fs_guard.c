#include "fs_internal.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "path.h"

bool fs_root_protect(struct fs_root *root, const char *path)
{
    struct fs_guard *guards = realloc(root->guards, (root->guard_count + 1) * sizeof *guards);
    if (guards == NULL) return false;
    root->guards = guards;
    struct fs_guard *g = &guards[root->guard_count];
    g->path = path_fold("/", path, strlen(path));
    if (g->path == NULL) return false;
    size_t parent = path_parent(g->path, strlen(g->path));
    g->folder = parent == 0 ? strdup("/") : strndup(g->path, parent);
    if (g->folder == NULL) {
        free(g->path);
        return false;
    }
    g->name = g->path + parent + 1;
    root->guard_count++;
    return true;
}

bool fs_root_protect_database(struct fs_root *root, const char *path)
{
    static const char *const endings[] = {"", "-journal", "-wal", "-shm"};
    bool ok = true;
    for (size_t i = 0; ok && i < sizeof endings / sizeof *endings; i++) {
        char *name = NULL;
        if (asprintf(&name, "%s%s", path, endings[i]) < 0) return false;
        ok = fs_root_protect(root, name);
        free(name);
    }
    return ok;
}

static bool same(const struct stat *a, const struct stat *b)
{
    return a->st_dev == b->st_dev && a->st_ino == b->st_ino;
}

bool fs_guards_file(const struct fs_root *root, const struct stat *st)
{
    struct stat own;
    for (size_t i = 0; i < root->guard_count; i++)
        if (stat(root->guards[i].path, &own) == 0 && same(&own, st)) return true;
    return false;
}

bool fs_guards_name(const struct fs_root *root, const struct fs_place *place)
{
    struct stat here, own;
    if (root->guard_count == 0 || fstatat(place->dir, ".", &here, 0) != 0) return false;
    for (size_t i = 0; i < root->guard_count; i++) {
        const struct fs_guard *g = &root->guards[i];
        if (strcmp(g->name, place->name) == 0 && stat(g->folder, &own) == 0 && same(&own, &here)) return true;
    }
    struct stat st;
    return fs_place_stat(place, &st) && S_ISREG(st.st_mode) && fs_guards_file(root, &st);
}

bool fs_guards_below(const struct fs_root *root, const char *absolute)
{
    for (size_t i = 0; i < root->guard_count; i++) {
        char *folder = realpath(root->guards[i].folder, NULL);
        bool below = folder != NULL && path_below(absolute, folder) != NULL;
        free(folder);
        if (below) return true;
    }
    return false;
}
