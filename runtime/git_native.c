/* The predicate's half in C: what about a repository makes its refs and commits look different to git. */
#include <dirent.h>
#include <fnmatch.h>
#include <limits.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "git_internal.h"

#define PACKED_OBJECTS_MAX 16384 /* from here on git's short ids grow */

bool repo_has(const char *directory, const char *name)
{
    char path[PATH_MAX];
    return snprintf(path, sizeof path, "%s/%s", directory, name) < (int)sizeof path &&
           access(path, F_OK) == 0;
}

static bool is_mine(const char *path)
{
    struct stat st;
    return path == NULL || (stat(path, &st) == 0 && st.st_uid == geteuid());
}

struct pattern {
    const char *text, *reason;
};

static const struct pattern settings[] = {
    {"core.abbrev", "core.abbrev is set"},
    {"branch.sort", "branch.sort is set"},
    {"core.worktree", "core.worktree is set"},
    {"core.alternaterefs*", "alternate refs"},
    {"includeif.hasconfig:*", "includeIf hasconfig"},
    {"extensions.*", "repository extension"},
    {NULL, NULL},
};

static const char *setting_in_the_way(const struct pattern *pattern, const char *name)
{
    for (; pattern->text != NULL; pattern++)
        if (fnmatch(pattern->text, name, 0) == 0) return pattern->reason;
    return NULL;
}

static bool check_settings(const struct libgit2 *git, git_repository *repo, const struct pattern *patterns,
                           char refusal[REPO_REFUSAL_SIZE])
{
    git_config *config = NULL;
    git_config_iterator *all = NULL;
    git_config_entry *entry;
    const char *reason = NULL;
    bool ok =
        git->repository_config_snapshot(&config, repo) == 0 && git->config_iterator_new(&all, config) == 0;
    while (ok && reason == NULL && git->config_next(&entry, all) == 0)
        reason = setting_in_the_way(patterns, entry->name);
    git->config_iterator_free(all);
    git->config_free(config);
    if (!ok) return repo_refuse_error(git, refusal, "configuration");
    return reason == NULL || repo_refuse(refusal, reason);
}

static bool check_files(const struct libgit2 *git, git_repository *repo, char refusal[REPO_REFUSAL_SIZE])
{
    static const struct {
        const char *name, *reason;
    } files[] = {
        {"info/grafts", "grafts"},
        {"objects/info/alternates", "alternate object directories"},
        {"objects/pack/multi-pack-index", "multi-pack index"},
        {"refs/replace", "replace refs"},
    };
    const char *common = git->repository_commondir(repo);
    for (size_t i = 0; i < sizeof files / sizeof files[0]; i++)
        if (repo_has(common, files[i].name)) return repo_refuse(refusal, files[i].reason);
    return true;
}

static bool check_replace(const struct libgit2 *git, git_repository *repo, char refusal[REPO_REFUSAL_SIZE])
{
    git_reference_iterator *found = NULL;
    const char *name;
    if (git->reference_iterator_glob_new(&found, repo, "refs/replace/*") != 0)
        return repo_refuse_error(git, refusal, "refs");
    bool any = git->reference_next_name(&name, found) == 0;
    git->reference_iterator_free(found);
    return !any || repo_refuse(refusal, "replace refs");
}

/* The number of objects in a pack: the last entry of its index' first table. */
static uint64_t count_pack(const char *packs, const char *name)
{
    unsigned char count[4];
    char path[PATH_MAX];
    if (snprintf(path, sizeof path, "%s/%s", packs, name) >= (int)sizeof path) return 0;
    FILE *file = fopen(path, "re");
    if (file == NULL) return 0;
    bool ok = fseek(file, 8 + 255 * 4, SEEK_SET) == 0 && fread(count, 1, sizeof count, file) == sizeof count;
    fclose(file);
    return ok ? (uint64_t)count[0] << 24 | (uint64_t)count[1] << 16 | (uint64_t)count[2] << 8 | count[3] : 0;
}

static bool check_size(const struct libgit2 *git, git_repository *repo, char refusal[REPO_REFUSAL_SIZE])
{
    char packs[PATH_MAX];
    uint64_t objects = 0;
    snprintf(packs, sizeof packs, "%sobjects/pack", git->repository_commondir(repo));
    DIR *directory = opendir(packs);
    if (directory == NULL) return true;
    for (struct dirent *entry; (entry = readdir(directory)) != NULL;) {
        size_t len = strlen(entry->d_name);
        if (len > 4 && strcmp(entry->d_name + len - 4, ".idx") == 0)
            objects += count_pack(packs, entry->d_name);
    }
    closedir(directory);
    return objects < PACKED_OBJECTS_MAX || repo_refuse(refusal, "many objects");
}

static bool check_repository(const struct libgit2 *git, git_repository *repo, char refusal[REPO_REFUSAL_SIZE])
{
    if (git->repository_is_bare(repo)) return repo_refuse(refusal, "bare repository");
    if (git->repository_is_shallow(repo)) return repo_refuse(refusal, "shallow clone");
    if (!is_mine(git->repository_path(repo)) || !is_mine(git->repository_workdir(repo)) ||
        !is_mine(git->repository_commondir(repo)))
        return repo_refuse(refusal, "another user's repository");
    return check_files(git, repo, refusal) && check_settings(git, repo, settings, refusal) &&
           check_replace(git, repo, refusal) && check_size(git, repo, refusal);
}

/* Version 1 is for repositories with extensions. libgit2 refuses most of them, and 1.5 leaks while it looks
 * at them: it must not open one at all. */
static bool check_format(const struct libgit2 *git, const char *common_dir, char refusal[REPO_REFUSAL_SIZE])
{
    char path[PATH_MAX];
    git_config *config = NULL;
    int32_t version = 0;
    bool ok = snprintf(path, sizeof path, "%s/config", common_dir) < (int)sizeof path;
    ok = ok && git->config_open_ondisk(&config, path) == 0;
    if (ok && git->config_get_int32(&version, config, "core.repositoryformatversion") == GIT_ENOTFOUND)
        version = 0;
    git->config_free(config);
    if (!ok) return repo_refuse_error(git, refusal, "configuration");
    return version == 0 || repo_refuse(refusal, "repository extension");
}

/* Opens the repository of a place, whatever is in it. */
static git_repository *open_place(const struct libgit2 *git, const struct repo_place *place,
                                  char refusal[REPO_REFUSAL_SIZE])
{
    git_repository *repo = NULL;
    if (check_format(git, place->common_dir, refusal) && git->repository_open(&repo, place->git_dir) != 0)
        repo_refuse_error(git, refusal, "open");
    return repo;
}

static bool locate(const struct libgit2 *git, struct fs_root *root, const char *path, size_t len,
                   struct repo_place *place, char refusal[REPO_REFUSAL_SIZE])
{
    struct repo_error error = {NULL, ""};
    return repo_find(git, root, path, len, place, &error) || repo_refuse(refusal, error.message);
}

git_repository *repo_open_native(const struct libgit2 *git, struct fs_root *root, const char *path,
                                 size_t len, char refusal[REPO_REFUSAL_SIZE])
{
    struct repo_place place = {NULL, NULL, NULL};
    if (!locate(git, root, path, len, &place, refusal)) return NULL;
    git_repository *repo = open_place(git, &place, refusal);
    repo_place_free(&place);
    if (repo != NULL && check_repository(git, repo, refusal)) return repo;
    git->repository_free(repo);
    return NULL;
}

static const struct pattern wordings[] = {
    {"advice.*", "advice is configured"},
    {"status.*", "status is configured"},
    {"core.quotepath", "core.quotePath is set"},
    {"core.sparsecheckout*", "sparse checkout"},
    {"core.worktree", "core.worktree is set"},
    {"extensions.*", "repository extension"},
    {NULL, NULL},
};

static bool is_idle(const char *git_dir, char refusal[REPO_REFUSAL_SIZE])
{
    static const char *const names[] = {"MERGE_HEAD",  "rebase-apply", "rebase-merge", "CHERRY_PICK_HEAD",
                                        "REVERT_HEAD", "BISECT_LOG",   "sequencer"};
    for (size_t i = 0; i < sizeof names / sizeof names[0]; i++)
        if (repo_has(git_dir, names[i])) return repo_refuse(refusal, "an operation is in progress");
    return true;
}

static bool is_top(const struct libgit2 *git, const git_repository *repo, const char *directory)
{
    const char *top = git->repository_workdir(repo);
    size_t len = strlen(directory);
    return top != NULL && strncmp(top, directory, len) == 0 && strcmp(top + len, "/") == 0;
}

bool repo_status_is_plain(struct fs_root *root, const char *path, size_t len, char refusal[REPO_REFUSAL_SIZE])
{
    struct libgit2 git;
    struct repo_place place = {NULL, NULL, NULL};
    if (!repo_engine(&git, refusal) || !locate(&git, root, path, len, &place, refusal)) return false;
    git_repository *repo = open_place(&git, &place, refusal);
    bool ok =
        repo != NULL && is_idle(place.git_dir, refusal) && check_settings(&git, repo, wordings, refusal);
    if (ok && !is_top(&git, repo, place.directory))
        ok = repo_refuse(refusal, "below the top of the work tree");
    git.repository_free(repo);
    repo_place_free(&place);
    return ok;
}
