/* The walk of `git log`: from HEAD, always on to the newest commit that is known; of equally old ones to that
 * which became known first. */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "git_internal.h"

#define SEEN_MAX 4096 /* each new one is compared with all before it */

struct walk {
    const struct libgit2 *git;
    git_repository *repo;
    git_oid *seen; /* every commit that became known */
    size_t seen_count, seen_cap;
    git_commit **queue; /* owned; newest first */
    size_t queue_count, queue_cap;
    char *refusal;
};

/* Makes room for one more item of `size` bytes. */
static bool grow(void **items, size_t *cap, size_t count, size_t size)
{
    if (count < *cap) return true;
    size_t more = *cap == 0 ? 64 : *cap * 2;
    void *moved = realloc(*items, more * size);
    if (moved == NULL) return false;
    *items = moved;
    *cap = more;
    return true;
}

static bool is_seen(const struct walk *w, const git_oid *id)
{
    for (size_t i = 0; i < w->seen_count; i++)
        if (w->git->oid_equal(&w->seen[i], id)) return true;
    return false;
}

static bool learn(struct walk *w, const git_oid *id)
{
    git_commit *commit;
    if (is_seen(w, id)) return true;
    if (w->seen_count == SEEN_MAX) return repo_refuse(w->refusal, "many parents");
    if (!grow((void **)&w->seen, &w->seen_cap, w->seen_count, sizeof *w->seen) ||
        !grow((void **)&w->queue, &w->queue_cap, w->queue_count, sizeof(git_commit *)))
        return repo_refuse(w->refusal, "not enough memory");
    if (w->git->commit_lookup(&commit, w->repo, id) != 0)
        return repo_refuse_error(w->git, w->refusal, "commit");
    w->git->oid_cpy(&w->seen[w->seen_count++], id);
    size_t at = w->queue_count;
    for (; at > 0 && w->git->commit_time(w->queue[at - 1]) < w->git->commit_time(commit); at--)
        w->queue[at] = w->queue[at - 1];
    w->queue[at] = commit;
    w->queue_count++;
    return true;
}

static void walk_free(struct walk *w)
{
    for (size_t i = 0; i < w->queue_count; i++)
        w->git->commit_free(w->queue[i]);
    free(w->queue);
    free(w->seen);
}

static bool is_blank(char c)
{
    return c == ' ' || c == '\t' || c == '\n' || c == '\r' || c == '\f' || c == '\v';
}

/* The length of a line without what is blank at its end; `next` is where the following one starts. */
static size_t line_length(const char *line, const char **next)
{
    size_t len = strcspn(line, "\n");
    *next = line[len] == '\n' ? line + len + 1 : line + len;
    while (len > 0 && is_blank(line[len - 1]))
        len--;
    return len;
}

/* The lines of the first paragraph, joined by blanks. */
static void add_subject(struct buf *out, const char *message)
{
    const char *next;
    size_t len = 0;
    while (*message != '\0' && (len = line_length(message, &next)) == 0)
        message = next;
    for (bool first = true; *message != '\0' && (len = line_length(message, &next)) > 0; message = next) {
        if (!first) buf_byte(out, ' ');
        buf_add(out, message, len);
        first = false;
    }
}

static bool add_ids(struct walk *w, const git_commit *commit, struct buf *out)
{
    char id[GIT_OID_HEXSZ + 1];
    git_buf shortest = GIT_BUF_INIT;
    if (w->git->object_short_id(&shortest, (const git_object *)commit) != 0)
        return repo_refuse_error(w->git, w->refusal, "short id");
    buf_puts(out, w->git->oid_tostr(id, sizeof id, w->git->commit_id(commit)));
    buf_byte(out, '\0');
    buf_puts(out, shortest.ptr);
    buf_byte(out, '\0');
    w->git->buf_dispose(&shortest);
    for (unsigned i = 0; i < w->git->commit_parentcount(commit); i++) {
        if (i > 0) buf_byte(out, ' ');
        buf_puts(out, w->git->oid_tostr(id, sizeof id, w->git->commit_parent_id(commit, i)));
    }
    buf_byte(out, '\0');
    return true;
}

static bool add_commit(struct walk *w, const git_commit *commit, struct buf *out)
{
    if (w->git->commit_message_encoding(commit) != NULL)
        return repo_refuse(w->refusal, "commit with an encoding");
    const git_signature *author = w->git->commit_author(commit);
    int zone = author->when.offset < 0 ? -author->when.offset : author->when.offset;
    if (!add_ids(w, commit, out)) return false;
    buf_puts(out, author->name);
    buf_byte(out, '\0');
    buf_puts(out, author->email);
    buf_byte(out, '\0');
    buf_printf(out, "%" PRId64 " %c%02d%02d", (int64_t)author->when.time, author->when.offset < 0 ? '-' : '+',
               zone / 60, zone % 60);
    buf_byte(out, '\0');
    add_subject(out, w->git->commit_message_raw(commit));
    return buf_byte(out, '\n') || repo_refuse(w->refusal, "not enough memory");
}

/* Writes the newest known commit and learns its parents. */
static bool step(struct walk *w, struct buf *out)
{
    git_commit *commit = w->queue[0];
    memmove(w->queue, w->queue + 1, --w->queue_count * sizeof(git_commit *));
    bool ok = add_commit(w, commit, out);
    for (unsigned i = 0; ok && i < w->git->commit_parentcount(commit); i++)
        ok = learn(w, w->git->commit_parent_id(commit, i));
    w->git->commit_free(commit);
    return ok;
}

static bool start(struct walk *w)
{
    git_oid head;
    if (w->git->reference_name_to_id(&head, w->repo, "HEAD") != 0)
        return repo_refuse_error(w->git, w->refusal, "HEAD");
    return learn(w, &head);
}

bool repo_history(struct fs_root *root, const char *path, size_t len, unsigned count, struct buf *out,
                  char refusal[REPO_REFUSAL_SIZE])
{
    struct libgit2 git;
    if (!repo_engine(&git, refusal)) return false;
    struct walk w = {
        .git = &git, .repo = repo_open_native(&git, root, path, len, refusal), .refusal = refusal};
    if (w.repo == NULL) return false;
    bool ok = start(&w);
    for (unsigned i = 0; ok && i < count && w.queue_count > 0; i++)
        ok = step(&w, out) && repo_has_room(out, refusal);
    walk_free(&w);
    git.repository_free(w.repo);
    return ok;
}
