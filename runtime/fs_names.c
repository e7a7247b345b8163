#include "fs_internal.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <grp.h>
#include <pwd.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

bool fs_strings_add(struct fs_strings *list, char *text)
{
    if (text != NULL && list->count == list->cap) {
        size_t cap = list->cap == 0 ? 32 : list->cap * 2;
        char **items = realloc(list->items, cap * sizeof *items);
        if (items != NULL) {
            list->items = items;
            list->cap = cap;
        }
    }
    if (text == NULL || list->count == list->cap) {
        free(text);
        errno = ENOMEM;
        return false;
    }
    list->items[list->count++] = text;
    return true;
}

void fs_strings_free(struct fs_strings *list)
{
    for (size_t i = 0; i < list->count; i++)
        free(list->items[i]);
    free(list->items);
    *list = (struct fs_strings){NULL, 0, 0};
}

static int by_bytes(const void *a, const void *b)
{
    return strcmp(*(char *const *)a, *(char *const *)b);
}

static bool read_all(DIR *dir, size_t limit, struct fs_strings *names, bool *more)
{
    *more = false;
    for (;;) {
        errno = 0;
        const struct dirent *entry = readdir(dir);
        if (entry == NULL) return errno == 0;
        if (strcmp(entry->d_name, ".") == 0 || strcmp(entry->d_name, "..") == 0) continue;
        *more = names->count == limit;
        if (*more) return true;
        if (!fs_strings_add(names, strdup(entry->d_name))) return false;
    }
}

bool fs_read_names(int fd, size_t limit, struct fs_strings *names, bool *more)
{
    *names = (struct fs_strings){NULL, 0, 0};
    DIR *dir = fdopendir(fd);
    if (dir == NULL) {
        fs_close(fd);
        return false;
    }
    bool ok = read_all(dir, limit, names, more);
    int number = errno;
    closedir(dir);
    if (!ok) fs_strings_free(names);
    if (names->count > 1) qsort(names->items, names->count, sizeof *names->items, by_bytes);
    errno = number;
    return ok;
}

struct known {
    uint32_t id;
    char *name;
};

struct fs_names {
    struct known *users, *groups;
    size_t user_count, group_count;
};

struct fs_names *fs_names_new(void)
{
    return calloc(1, sizeof(struct fs_names));
}

static void free_known(struct known *known, size_t count)
{
    for (size_t i = 0; i < count; i++)
        free(known[i].name);
    free(known);
}

void fs_names_free(struct fs_names *names)
{
    if (names == NULL) return;
    free_known(names->users, names->user_count);
    free_known(names->groups, names->group_count);
    free(names);
}

/* Each of these gives the name, "" when there is none, NULL when `space` is too small. */
static const char *look_up_user(uint32_t id, char *space, size_t size)
{
    struct passwd entry, *found = NULL;
    if (getpwuid_r(id, &entry, space, size, &found) == ERANGE) return NULL;
    return found == NULL ? "" : entry.pw_name;
}

static const char *look_up_group(uint32_t id, char *space, size_t size)
{
    struct group entry, *found = NULL;
    if (getgrgid_r(id, &entry, space, size, &found) == ERANGE) return NULL;
    return found == NULL ? "" : entry.gr_name;
}

/* The number stands for who has no name. */
static char *name_of(uint32_t id, const char *(*look_up)(uint32_t, char *, size_t))
{
    char number[16];
    snprintf(number, sizeof number, "%u", id);
    for (size_t size = 4096; size <= (size_t)1 << 20; size *= 4) {
        char *space = malloc(size);
        if (space == NULL) return NULL;
        const char *name = look_up(id, space, size);
        char *copy = name == NULL ? NULL : strdup(name[0] == '\0' ? number : name);
        free(space);
        if (name != NULL) return copy;
    }
    return strdup(number);
}

static const char *find(struct known **known, size_t *count, uint32_t id,
                        const char *(*look_up)(uint32_t, char *, size_t))
{
    for (size_t i = 0; i < *count; i++)
        if ((*known)[i].id == id) return (*known)[i].name;
    struct known *grown = realloc(*known, (*count + 1) * sizeof **known);
    if (grown == NULL) return NULL;
    *known = grown;
    char *name = name_of(id, look_up);
    if (name == NULL) return NULL;
    grown[(*count)++] = (struct known){id, name};
    return name;
}

const char *fs_names_user(struct fs_names *names, uint32_t id)
{
    return find(&names->users, &names->user_count, id, look_up_user);
}

const char *fs_names_group(struct fs_names *names, uint32_t id)
{
    return find(&names->groups, &names->group_count, id, look_up_group);
}
