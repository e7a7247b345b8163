#include "fs_internal.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

void fs_error_free(struct fs_error *error)
{
    free(error->message);
    free(error->path);
    *error = (struct fs_error)FS_ERROR_INIT;
}

const char *fs_error_text(const struct fs_error *error)
{
    if (error->message != NULL) return error->message;
    return error->code == NULL ? "no error" : "out of memory";
}

static bool fail(struct fs_error *error, const char *code, char *path, const char *text, const char *more)
{
    fs_error_free(error);
    error->code = code;
    error->path = path;
    int n = path == NULL   ? -1
            : more == NULL ? asprintf(&error->message, "%s: %s", path, text)
                           : asprintf(&error->message, "%s: %s (%s)", path, text, more);
    if (n < 0) error->message = NULL;
    return false;
}

/* The numbers of our own. */
static const struct own {
    int number;
    const char *code, *text, *more;
} owns[] = {
    {FS_ENOTREG, "ENOTREG", "Not a regular file", NULL},
    {FS_EGUARDED, "EACCES", "Permission denied", "a file of the server itself"},
    {FS_ERACED, "EAGAIN", "Resource temporarily unavailable", "the name changes all the time"},
    {FS_ENOKEEP, "EFBIG", "File too large",
     "no new file can take its place here, and its old content is too large to be kept while it is written "
     "to"},
    {FS_ETORN, "EIO", "Input/output error",
     "nor could the old content be put back; if the folder allowed it, a copy named *.sandstorm-old lies "
     "there"},
    {FS_ETAIL, "EIO", "Input/output error", "only a part was added"},
};

static const struct own *find_own(int number)
{
    for (size_t i = 0; i < sizeof owns / sizeof *owns; i++)
        if (owns[i].number == number) return &owns[i];
    return NULL;
}

static bool fail_about(struct fs_error *error, char *path, int number, const char *more)
{
    const struct own *own = find_own(number);
    if (own != NULL) return fail(error, own->code, path, own->text, own->more);
    const char *code = strerrorname_np(number);
    const char *text = strerrordesc_np(number);
    return fail(error, code == NULL ? "EUNKNOWN" : code, path, text == NULL ? "Unknown error" : text, more);
}

/* Puts `Path "<as given>" <what>` as the message; a NUL byte is shown as \0. */
static bool fail_given(struct fs_target *t, const char *code, const char *what)
{
    fs_error_free(t->error);
    t->error->code = code;
    struct buf text = BUF_INIT;
    buf_puts(&text, "Path \"");
    for (size_t i = 0; i < t->given_len; i++)
        if (t->given[i] == '\0')
            buf_puts(&text, "\\0");
        else
            buf_byte(&text, t->given[i]);
    buf_printf(&text, "\" %s", what);
    if (buf_byte(&text, '\0'))
        t->error->message = text.data;
    else
        buf_free(&text);
    return false;
}

bool fs_fail_nul(struct fs_target *t)
{
    return fail_given(t, "EINVAL", "contains a NUL byte, which no file name can");
}

static bool fail_outside(struct fs_target *t)
{
    struct buf what = BUF_INIT;
    buf_printf(&what, "is outside the allowed directory (%s)", t->root->path);
    fail_given(t, "EOUTSIDE", buf_byte(&what, '\0') ? what.data : "is outside the allowed directory");
    buf_free(&what);
    return false;
}

bool fs_fail_with(struct fs_target *t, int number, const char *more)
{
    if (number == FS_EOUTSIDE) return fail_outside(t);
    return fail_about(t->error, strdup(t->absolute), number, more);
}

bool fs_fail(struct fs_target *t, int number)
{
    return fs_fail_with(t, number, NULL);
}

bool fs_fail_root(struct fs_target *t, int number)
{
    return fail(t->error, "EROOT", strdup(t->root->path), strerrordesc_np(number), "the workspace root");
}

bool fs_fail_at(struct fs_target *t, const char *relative, size_t len, int number)
{
    if (number == FS_EOUTSIDE) return fail_outside(t);
    const char *root = t->root->path;
    const char *slash = len == 0 || strcmp(root, "/") == 0 ? "" : "/";
    char *path = NULL;
    if (asprintf(&path, "%s%s%.*s", root, slash, (int)len, relative) < 0) path = NULL;
    return fail_about(t->error, path, number, NULL);
}
