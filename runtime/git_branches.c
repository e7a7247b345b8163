#include <stdlib.h>
#include <string.h>

#include "git_private.h"

struct listing {
    git_repository *repo;
    const char *current; /* full name of the branch that HEAD is on */
    struct buf *out;
    char *refusal;
};

static bool add_upstream(const struct listing *l, const char *name)
{
    git_buf upstream = GIT_BUF_INIT;
    int status = git_branch_upstream_name(&upstream, l->repo, name);
    if (status == 0) buf_add(l->out, upstream.ptr, upstream.size);
    git_buf_dispose(&upstream);
    return status == 0 || status == GIT_ENOTFOUND || repo_refuse_error(l->refusal, "upstream");
}

static bool add_branch(const struct listing *l, const char *name, const git_reference *ref, const git_oid *id)
{
    char hex[GIT_OID_HEXSZ + 1];
    bool local = strncmp(name, "refs/heads/", 11) == 0;
    const char *target = git_reference_symbolic_target(ref);
    buf_byte(l->out, strcmp(name, l->current) == 0 ? '*' : ' ');
    buf_byte(l->out, '\0');
    buf_puts(l->out, name);
    buf_byte(l->out, '\0');
    if (target != NULL) buf_puts(l->out, target);
    buf_byte(l->out, '\0');
    buf_puts(l->out, git_oid_tostr(hex, sizeof hex, id));
    buf_byte(l->out, '\0');
    if (local && !add_upstream(l, name)) return false;
    buf_byte(l->out, '\0');
    return buf_byte(l->out, '\n') || repo_refuse(l->refusal, "not enough memory");
}

static bool add_name(const struct listing *l, const char *name)
{
    git_reference *ref = NULL;
    git_oid id;
    git_commit *commit = NULL;
    bool ok = git_reference_lookup(&ref, l->repo, name) == 0 &&
              git_reference_name_to_id(&id, l->repo, name) == 0 &&
              git_commit_lookup(&commit, l->repo, &id) == 0;
    ok = ok ? add_branch(l, name, ref, &id) : repo_refuse_error(l->refusal, name);
    git_commit_free(commit);
    git_reference_free(ref);
    return ok;
}

static bool is_branch(const char *name)
{
    return strncmp(name, "refs/heads/", 11) == 0 || strncmp(name, "refs/remotes/", 13) == 0;
}

static int by_bytes(const void *a, const void *b)
{
    return strcmp(*(char *const *)a, *(char *const *)b);
}

static bool list(const struct listing *l)
{
    git_strarray names = {NULL, 0};
    if (git_reference_list(&names, l->repo) != 0) return repo_refuse_error(l->refusal, "refs");
    qsort(names.strings, names.count, sizeof(char *), by_bytes);
    bool ok = true;
    for (size_t i = 0; ok && i < names.count; i++)
        if (is_branch(names.strings[i])) ok = add_name(l, names.strings[i]);
    git_strarray_dispose(&names);
    return ok;
}

/* Of a detached HEAD git tells how it came about, of other work trees what they are on. */
static bool list_on_branch(struct listing *l)
{
    git_reference *head = NULL;
    if (repo_has(git_repository_commondir(l->repo), "worktrees"))
        return repo_refuse(l->refusal, "linked work trees");
    if (git_reference_lookup(&head, l->repo, "HEAD") != 0) return repo_refuse_error(l->refusal, "HEAD");
    l->current = git_reference_symbolic_target(head);
    bool ok = l->current != NULL ? list(l) : repo_refuse(l->refusal, "detached HEAD");
    git_reference_free(head);
    return ok;
}

bool repo_branches(struct fs_root *root, const char *path, size_t len, struct buf *out,
                   char refusal[REPO_REFUSAL_SIZE])
{
    struct listing l = {.repo = repo_open_native(root, path, len, refusal), .out = out, .refusal = refusal};
    if (l.repo == NULL) return false;
    bool ok = list_on_branch(&l);
    git_repository_free(l.repo);
    return ok;
}
