#include "path.h"

#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

/* Appends the components of `path` to the folded text in `out`; `end` is its length, 0 for "/". */
static size_t fold_onto(char *out, size_t end, const char *path, size_t len)
{
    size_t i = 0;
    while (i < len) {
        const char *slash = memchr(path + i, '/', len - i);
        size_t part = slash == NULL ? len - i : (size_t)(slash - (path + i));
        const char *name = path + i;
        i += part + 1;
        if (part == 0 || (part == 1 && name[0] == '.')) continue;
        if (part == 2 && name[0] == '.' && name[1] == '.') {
            end = path_parent(out, end);
            continue;
        }
        out[end] = '/';
        memcpy(out + end + 1, name, part);
        end += 1 + part;
    }
    return end;
}

char *path_fold(const char *base, const char *path, size_t len)
{
    bool absolute = len > 0 && path[0] == '/';
    size_t base_len = absolute ? 0 : strlen(base);
    char *out = malloc(base_len + len + 4);
    if (out == NULL) return NULL;
    size_t end = fold_onto(out, 0, base, base_len);
    end = fold_onto(out, end, path, len);
    if (end == 0) out[end++] = '/';
    out[end] = '\0';
    return out;
}

const char *path_next(const char **path, size_t *len)
{
    const char *p = *path;
    for (;;) {
        p += strspn(p, "/");
        *len = strcspn(p, "/");
        if (*len != 1 || p[0] != '.') break;
        p += 1;
    }
    *path = p + *len;
    return *len == 0 ? NULL : p;
}

const char *path_below(const char *folder, const char *path)
{
    size_t want_len, have_len;
    const char *want;
    while ((want = path_next(&folder, &want_len)) != NULL) {
        const char *have = path_next(&path, &have_len);
        if (have == NULL || have_len != want_len || memcmp(have, want, want_len) != 0) return NULL;
    }
    return path + strspn(path, "/");
}

size_t path_parent(const char *path, size_t len)
{
    while (len > 0 && path[len - 1] != '/')
        len--;
    while (len > 0 && path[len - 1] == '/')
        len--;
    return len;
}
