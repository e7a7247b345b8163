#include "host.h"

#include <limits.h>
#include <stdio.h>

#include "config.h"
#include "fs.h"
#include "jobs.h"

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
    if (protect_own_files(host)) host->jobs = job_table_new(loop, NULL);
    if (host->jobs != NULL) return true;
    snprintf(error, error_size, "not enough memory");
    fs_root_free(host->workspace);
    return false;
}

void host_close(struct host *host)
{
    job_table_stop_all(host->jobs);
    uv_run(host->loop, UV_RUN_DEFAULT);
    job_table_free(host->jobs);
    uv_run(host->loop, UV_RUN_DEFAULT);
    fs_root_free(host->workspace);
}
