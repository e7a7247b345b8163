#include <stdlib.h>
#include <string.h>

#include "git_internal.h"

#define HEADS "refs/heads/"

struct listing {
    const struct libgit2 *git;
    git_repository *repo;
    git_config *config;  /* a snapshot */
    const char *current; /* full name of the branch that HEAD is on */
    struct buf *out;
    char *refusal;
};

/* libgit2 1.5 has git_branch_upstream_name, but on its way matches regular expressions, and leaks where one
 * does not match. So the names are mapped here. */

/* Calls `take` for each value of a setting until it returns false. False when libgit2 fails. */
static bool each_value(const struct listing *l, const char *section, const char *name, const char *key,
                       bool (*take)(void *data, const char *value), void *data)
{
    struct buf full = BUF_INIT;
    git_config_iterator *values = NULL;
    git_config_entry *entry;
    bool ok = buf_printf(&full, "%s.%s.%s", section, name, key) && buf_byte(&full, '\0') &&
              l->git->config_multivar_iterator_new(&values, l->config, full.data, NULL) == 0;
    for (bool more = ok; more && l->git->config_next(&entry, values) == 0;)
        more = take(data, entry->value);
    l->git->config_iterator_free(values);
    buf_free(&full);
    return ok;
}

struct upstream {
    const struct libgit2 *git;
    struct buf remote, merge; /* the first values, each ended by NUL */
    struct buf name;          /* full name of the ref, empty for none */
    bool failed;
};

static bool take_first(void *data, const char *value)
{
    struct buf *first = data;
    buf_add(first, value, strlen(value) + 1);
    return false;
}

/* Maps the merge through a refspec for fetching, unless it does not match. */
static bool take_refspec(void *data, const char *value)
{
    struct upstream *up = data;
    git_refspec *spec = NULL;
    git_buf target = GIT_BUF_INIT;
    if (up->git->refspec_parse(&spec, value, 1) != 0) {
        up->failed = true;
        return false;
    }
    bool matches = up->git->refspec_src_matches(spec, up->merge.data) != 0;
    if (matches) up->failed = up->git->refspec_transform(&target, spec, up->merge.data) != 0;
    if (matches && !up->failed) buf_add(&up->name, target.ptr, target.size);
    up->git->buf_dispose(&target);
    up->git->refspec_free(spec);
    return !matches;
}

static bool find_upstream(const struct listing *l, const char *branch, struct upstream *up)
{
    if (!each_value(l, "branch", branch, "remote", take_first, &up->remote) ||
        !each_value(l, "branch", branch, "merge", take_first, &up->merge))
        return false;
    if (up->remote.len == 0 || up->merge.len == 0) return true;
    if (strcmp(up->remote.data, ".") == 0) return buf_add(&up->name, up->merge.data, up->merge.len - 1);
    return each_value(l, "remote", up->remote.data, "fetch", take_refspec, up) && !up->failed;
}

static bool add_upstream(const struct listing *l, const char *branch)
{
    struct upstream up = {l->git, BUF_INIT, BUF_INIT, BUF_INIT, false};
    bool ok = find_upstream(l, branch, &up);
    if (ok) buf_add(l->out, up.name.len > 0 ? up.name.data : "", up.name.len);
    buf_free(&up.remote);
    buf_free(&up.merge);
    buf_free(&up.name);
    return ok || repo_refuse_error(l->git, l->refusal, "upstream");
}

static bool add_branch(const struct listing *l, const char *name, const git_reference *ref, const git_oid *id)
{
    char hex[GIT_OID_HEXSZ + 1];
    bool local = strncmp(name, HEADS, sizeof HEADS - 1) == 0;
    const char *target = l->git->reference_symbolic_target(ref);
    buf_byte(l->out, strcmp(name, l->current) == 0 ? '*' : ' ');
    buf_byte(l->out, '\0');
    buf_puts(l->out, name);
    buf_byte(l->out, '\0');
    if (target != NULL) buf_puts(l->out, target);
    buf_byte(l->out, '\0');
    buf_puts(l->out, l->git->oid_tostr(hex, sizeof hex, id));
    buf_byte(l->out, '\0');
    if (local && !add_upstream(l, name + sizeof HEADS - 1)) return false;
    buf_byte(l->out, '\0');
    return buf_byte(l->out, '\n') || repo_refuse(l->refusal, "not enough memory");
}

static bool add_name(const struct listing *l, const char *name)
{
    git_reference *ref = NULL;
    git_oid id;
    git_commit *commit = NULL;
    bool ok = l->git->reference_lookup(&ref, l->repo, name) == 0 &&
              l->git->reference_name_to_id(&id, l->repo, name) == 0 &&
              l->git->commit_lookup(&commit, l->repo, &id) == 0;
    ok = ok ? add_branch(l, name, ref, &id) : repo_refuse_error(l->git, l->refusal, name);
    l->git->commit_free(commit);
    l->git->reference_free(ref);
    return ok;
}

static bool is_branch(const char *name)
{
    return strncmp(name, HEADS, sizeof HEADS - 1) == 0 || strncmp(name, "refs/remotes/", 13) == 0;
}

static int by_bytes(const void *a, const void *b)
{
    return strcmp(*(char *const *)a, *(char *const *)b);
}

static bool list(const struct listing *l)
{
    git_strarray names = {NULL, 0};
    if (l->git->reference_list(&names, l->repo) != 0) return repo_refuse_error(l->git, l->refusal, "refs");
    qsort(names.strings, names.count, sizeof(char *), by_bytes);
    bool ok = true;
    for (size_t i = 0; ok && i < names.count; i++)
        if (is_branch(names.strings[i]))
            ok = repo_has_room(l->out, l->refusal) && add_name(l, names.strings[i]);
    l->git->strarray_dispose(&names);
    return ok;
}

/* Of a detached HEAD git tells how it came about, of other work trees what they are on. */
static bool list_on_branch(struct listing *l)
{
    git_reference *head = NULL;
    if (repo_has(l->git->repository_commondir(l->repo), "worktrees"))
        return repo_refuse(l->refusal, "linked work trees");
    if (l->git->reference_lookup(&head, l->repo, "HEAD") != 0)
        return repo_refuse_error(l->git, l->refusal, "HEAD");
    l->current = l->git->reference_symbolic_target(head);
    bool ok = l->current != NULL ? list(l) : repo_refuse(l->refusal, "detached HEAD");
    l->git->reference_free(head);
    return ok;
}

bool repo_branches(struct fs_root *root, const char *path, size_t len, struct buf *out,
                   char refusal[REPO_REFUSAL_SIZE])
{
    struct libgit2 git;
    if (!repo_engine(&git, refusal)) return false;
    struct listing l = {.git = &git,
                        .repo = repo_open_native(&git, root, path, len, refusal),
                        .out = out,
                        .refusal = refusal};
    if (l.repo == NULL) return false;
    bool ok = git.repository_config_snapshot(&l.config, l.repo) == 0
                  ? list_on_branch(&l)
                  : repo_refuse_error(&git, refusal, "configuration");
    git.config_free(l.config);
    git.repository_free(l.repo);
    return ok;
}
