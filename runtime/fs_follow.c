#include "fs_internal.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/openat2.h>
#include <string.h>
#include <unistd.h>

#include "path.h"

/* A way that is being walked: `done` has no links, `todo` is still to be looked at. */
struct way {
    struct fs_root *root;
    char *done;
    size_t done_len;
    char todo[2 * PATH_MAX];
    unsigned links;
};

static bool fail(int number)
{
    errno = number;
    return false;
}

static int open_done(const struct way *w, uint64_t flags)
{
    return fs_open_at(w->root->fd, w->done, flags | O_PATH, 0, RESOLVE_NO_SYMLINKS);
}

/* `..`, physically: what was walked has to be a folder. */
static bool step_up(struct way *w)
{
    if (w->done_len == 0) return fail(FS_EOUTSIDE);
    int fd = open_done(w, O_DIRECTORY);
    if (fd < 0) return false;
    close(fd);
    w->done_len = path_parent(w->done, w->done_len);
    w->done[w->done_len] = '\0';
    return true;
}

static bool append(struct way *w, const char *name, size_t len)
{
    size_t slash = w->done_len > 0;
    if (w->done_len + slash + len >= PATH_MAX) return fail(ENAMETOOLONG);
    if (slash) w->done[w->done_len] = '/';
    memcpy(w->done + w->done_len + slash, name, len);
    w->done_len += slash + len;
    w->done[w->done_len] = '\0';
    return true;
}

/* Puts the text of a link in front of what is still to be done. */
static bool prepend(struct way *w, const char *target, const char *rest)
{
    char todo[sizeof w->todo];
    size_t head = strlen(target), tail = strlen(rest);
    if (head + 1 + tail >= sizeof todo) return fail(ENAMETOOLONG);
    memcpy(todo, target, head);
    todo[head] = '/';
    memcpy(todo + head + 1, rest, tail + 1);
    strcpy(w->todo, todo);
    return true;
}

/* What was walked last is the link `fd`: takes it off again and goes on with its text. */
static bool enter_link(struct way *w, int fd, const char *rest)
{
    char target[PATH_MAX];
    if (++w->links > FS_LINKS_MAX) return fail(ELOOP);
    ssize_t n = readlinkat(fd, "", target, sizeof target - 1);
    if (n < 0) return false;
    target[n] = '\0';
    const char *text = target;
    w->done_len = path_parent(w->done, w->done_len);
    if (target[0] == '/') {
        text = path_below(w->root->path, target);
        if (text == NULL && w->root->given != NULL) text = path_below(w->root->given, target);
        if (text == NULL) return fail(FS_EOUTSIDE);
        w->done_len = 0;
    }
    w->done[w->done_len] = '\0';
    return prepend(w, text, rest);
}

/* Looks at the component that was appended; `rest` is what follows it. */
static bool look(struct way *w, const char *rest, bool last)
{
    size_t more;
    const char *peek = rest;
    bool is_last = path_next(&peek, &more) == NULL;
    struct stat st;
    int fd = open_done(w, O_NOFOLLOW);
    if (fd < 0 && errno == ENOENT && is_last) {
        w->todo[0] = '\0';
        return true;
    }
    if (fd < 0) return false;
    bool ok = fstat(fd, &st) == 0;
    if (ok && S_ISLNK(st.st_mode) && (last || !is_last))
        ok = enter_link(w, fd, rest);
    else if (ok)
        memmove(w->todo, rest, strlen(rest) + 1);
    fs_close(fd);
    return ok;
}

bool fs_follow(struct fs_root *root, const char *relative, bool last, char out[PATH_MAX])
{
    struct way w = {.root = root, .done = out};
    out[0] = '\0';
    if (strlen(relative) >= PATH_MAX) return fail(ENAMETOOLONG);
    strcpy(w.todo, relative);
    for (;;) {
        const char *rest = w.todo;
        size_t len;
        const char *name = path_next(&rest, &len);
        if (name == NULL) return true;
        bool up = len == 2 && name[0] == '.' && name[1] == '.';
        if (up) {
            if (!step_up(&w)) return false;
            memmove(w.todo, rest, strlen(rest) + 1);
        } else if (!append(&w, name, len) || !look(&w, rest, last)) {
            return false;
        }
    }
}
