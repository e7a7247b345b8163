#include "script_files.h"

#include <stdlib.h>
#include <string.h>

static struct script_file *find(const struct script_files *files, const char *path)
{
    for (struct script_file *f = files->first; f != NULL; f = f->next)
        if (strcmp(f->path, path) == 0) return f;
    return NULL;
}

struct script_file *script_files_add(struct script_files *files, const char *path)
{
    struct script_file *f = find(files, path);
    if (f != NULL) return f;
    f = calloc(1, sizeof *f);
    if (f == NULL) return NULL;
    f->path = strdup(path);
    if (f->path == NULL) {
        free(f);
        return NULL;
    }
    f->size = -1;
    f->next = files->first;
    files->first = f;
    return f;
}

void script_file_note(struct script_file *file, const struct stat *st)
{
    file->mtime_ns = (int64_t)st->st_mtim.tv_sec * 1000000000 + st->st_mtim.tv_nsec;
    file->inode = st->st_ino;
    file->size = st->st_size;
}

static bool file_changed(const struct script_file *f)
{
    struct script_file now = {.size = -1};
    struct stat st;
    if (stat(f->path, &st) == 0) script_file_note(&now, &st);
    return f->size != now.size || f->mtime_ns != now.mtime_ns || f->inode != now.inode;
}

bool script_files_changed(const struct script_files *files)
{
    for (const struct script_file *f = files->first; f != NULL; f = f->next)
        if (file_changed(f)) return true;
    return false;
}

/* FNV-1a, 64 bits */
static uint64_t hash(uint64_t sum, const void *bytes, size_t len)
{
    for (size_t i = 0; i < len; i++)
        sum = (sum ^ ((const unsigned char *)bytes)[i]) * UINT64_C(1099511628211);
    return sum;
}

uint64_t script_files_id(const struct script_files *files)
{
    uint64_t id = 0;
    for (const struct script_file *f = files->first; f != NULL; f = f->next) {
        if (f->size < 0) continue;
        uint64_t sum = hash(UINT64_C(14695981039346656037), f->path, strlen(f->path));
        sum = hash(sum, &f->mtime_ns, sizeof f->mtime_ns);
        sum = hash(sum, &f->inode, sizeof f->inode);
        id += hash(sum, &f->size, sizeof f->size);
    }
    return id;
}

static void free_file(struct script_file *f)
{
    free(f->path);
    free(f);
}

void script_files_merge(struct script_files *files, struct script_files *older)
{
    while (older->first != NULL) {
        struct script_file *f = older->first;
        older->first = f->next;
        if (find(files, f->path) != NULL) {
            free_file(f);
            continue;
        }
        struct stat st;
        if (stat(f->path, &st) == 0)
            script_file_note(f, &st);
        else
            f->size = -1;
        f->next = files->first;
        files->first = f;
    }
}

void script_files_free(struct script_files *files)
{
    while (files->first != NULL) {
        struct script_file *f = files->first;
        files->first = f->next;
        free_file(f);
    }
}
