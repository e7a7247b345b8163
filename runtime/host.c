#include "host.h"

#include <limits.h>
#include <stdio.h>

#include "config.h"
#include "fiber_slice.h"
#include "fs.h"
#include "inbox.h"
#include "jobs.h"
#include "shared.h"
#include "stream.h"

#define SHARED_ENTRIES 65536
#define SHARED_BYTES ((size_t)32 << 20)
#define STREAMS_MAX 4096

static bool protect_own_files(const struct host *host)
{
    char database[PATH_MAX];
    int n = snprintf(database, sizeof database, "%s/sessions.db", host->config->state_dir);
    return n < (int)sizeof database && fs_root_protect_database(host->workspace, database);
}

bool host_open(struct host *host, uv_loop_t *loop, const struct config *config, struct log *log, char *error,
               size_t error_size)
{
    *host = (struct host){.loop = loop, .config = config, .log = log};
    host->workspace = fs_root_open(config->workspace_root, error, error_size);
    if (host->workspace == NULL) return false;
    host->jobs = job_table_new(loop, NULL);
    host->shared = shared_new(SHARED_ENTRIES, SHARED_BYTES);
    host->streams = stream_hub_new(loop, STREAMS_MAX);
    host->inboxes = inbox_table_new();
    host->slices = slice_timer_new();
    bool ok = host->jobs != NULL && host->shared != NULL && host->streams != NULL && host->inboxes != NULL &&
              host->slices != NULL;
    if (ok && protect_own_files(host)) return true;
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
    slice_timer_free(host->slices);
    inbox_table_free(host->inboxes);
    shared_free(host->shared);
    fs_root_free(host->workspace);
}
