#include "host.h"

#include <limits.h>
#include <stdio.h>

#include "audit.h"
#include "clock.h"
#include "config.h"
#include "db.h"
#include "fiber_slice.h"
#include "fs.h"
#include "grants.h"
#include "inbox.h"
#include "jobs.h"
#include "keys.h"
#include "metrics.h"
#include "path.h"
#include "shared.h"
#include "stream.h"
#include "system.h"
#include "turns.h"

#define SHARED_ENTRIES 65536
#define SHARED_BYTES ((size_t)32 << 20)
#define STREAMS_MAX 4096

static bool protect(struct fs_root *root, const char *folder, const char *name,
                    bool (*how)(struct fs_root *root, const char *path))
{
    char path[PATH_MAX];
    int n = snprintf(path, sizeof path, "%s/%s", folder, name);
    return n < (int)sizeof path && how(root, path);
}

/* Outside of the workspace nobody reaches them, and every guard costs each access to a file. */
static bool protect_audit_files(const struct host *host)
{
    char path[PATH_MAX];
    const struct config *config = host->config;
    if (config->audit_file == NULL || path_below(fs_root_path(host->workspace), config->audit_file) == NULL)
        return true;
    bool ok = fs_root_protect(host->workspace, config->audit_file);
    for (int64_t i = 1; ok && i <= config->audit_files; i++) {
        snprintf(path, sizeof path, "%s.%lld", config->audit_file, (long long)i);
        ok = fs_root_protect(host->workspace, path);
    }
    return ok;
}

static bool protect_own_files(const struct host *host)
{
    const char *folder = host->config->state_dir;
    bool ok = protect(host->workspace, folder, KEYS_FILE, fs_root_protect) &&
              protect(host->workspace, folder, GRANTS_FILE, fs_root_protect);
    for (const char *const *name = db_names; ok && *name != NULL; name++) {
        char file[NAME_MAX];
        snprintf(file, sizeof file, "%s" DB_SUFFIX, *name);
        ok = protect(host->workspace, folder, file, fs_root_protect_database);
    }
    return ok && protect_audit_files(host);
}

static bool open_parts(struct host *host, const struct config_secrets *secrets)
{
    host->keys = keys_new(secrets, host->config->state_dir);
    host->grants = grants_new(host->config->state_dir);
    host->databases = db_table_new(host->loop, host->config->state_dir);
    host->jobs = job_table_new(host->loop);
    host->shared = shared_new(SHARED_ENTRIES, SHARED_BYTES);
    host->streams = stream_hub_new(host->loop, STREAMS_MAX);
    host->inboxes = inbox_table_new();
    host->turns = turn_table_new();
    host->metrics = metrics_new();
    host->audit = audit_new(host->config->audit_file, host->config->audit_bytes, host->config->audit_files);
    host->slices = slice_timer_new();
    host->system = system_new();
    return host->keys != NULL && host->grants != NULL && host->databases != NULL && host->jobs != NULL &&
           host->shared != NULL && host->streams != NULL && host->inboxes != NULL && host->turns != NULL &&
           host->metrics != NULL && host->audit != NULL && host->slices != NULL && host->system != NULL;
}

bool host_open(struct host *host, uv_loop_t *loop, const struct config *config,
               const struct config_secrets *secrets, struct log *log, char *error, size_t error_size)
{
    *host = (struct host){.loop = loop, .config = config, .log = log, .started_ms = clock_unix_ms()};
    host->workspace = fs_root_open(config->workspace_root, error, error_size);
    if (host->workspace == NULL) return false;
    if (open_parts(host, secrets) && protect_own_files(host)) return true;
    snprintf(error, error_size, "not enough memory");
    host_close(host);
    return false;
}

void host_close(struct host *host)
{
    stream_hub_free(host->streams);
    if (host->jobs != NULL) job_table_stop_all(host->jobs);
    uv_run(host->loop, UV_RUN_DEFAULT);
    job_table_free(host->jobs);
    uv_run(host->loop, UV_RUN_DEFAULT);
    system_free(host->system);
    slice_timer_free(host->slices);
    audit_free(host->audit);
    metrics_free(host->metrics);
    turn_table_free(host->turns);
    inbox_table_free(host->inboxes);
    shared_free(host->shared);
    db_table_free(host->databases);
    grants_free(host->grants);
    keys_free(host->keys);
    fs_root_free(host->workspace);
}
