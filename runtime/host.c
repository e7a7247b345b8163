#include "host.h"

#include <stdio.h>

#include "config.h"
#include "fs.h"
#include "jobs.h"
#include "process.h"

bool host_open(struct host *host, uv_loop_t *loop, const struct config *config, struct log *log, char *error,
               size_t error_size)
{
    *host = (struct host){.loop = loop, .config = config, .log = log};
    host->workspace = fs_root_open(config->workspace_root, error, error_size);
    if (host->workspace == NULL) return false;
    host->processes = process_set_new(loop, NULL);
    host->jobs = host->processes != NULL ? job_table_new(host->processes) : NULL;
    if (host->jobs != NULL) return true;
    snprintf(error, error_size, "not enough memory");
    process_set_free(host->processes);
    fs_root_free(host->workspace);
    return false;
}

void host_close(struct host *host)
{
    process_set_stop(host->processes);
    uv_run(host->loop, UV_RUN_DEFAULT);
    job_table_free(host->jobs);
    uv_run(host->loop, UV_RUN_DEFAULT);
    process_set_free(host->processes);
    fs_root_free(host->workspace);
}
