#include "metrics_host.h"

#include <stdio.h>

#include "audit.h"
#include "fs.h"
#include "host.h"
#include "http.h"
#include "jobs.h"
#include "metrics.h"
#include "process.h"
#include "scripts.h"
#include "stream.h"
#include "system.h"

static void set(struct host *host, const char *name, const char *label, double value)
{
    const char *values[] = {label};
    metrics_set(host->metrics, metrics_family(name), values, value);
}

static void collect_http(struct host *host)
{
    const struct http_totals *totals = http_server_totals(host->http);
    char status[8];
    set(host, "sandstorm_http_connections", NULL, http_server_connections(host->http));
    set(host, "sandstorm_http_bytes_total", "in", (double)totals->bytes_in);
    set(host, "sandstorm_http_bytes_total", "out", (double)totals->bytes_out);
    for (unsigned i = 0; i < sizeof totals->responses / sizeof *totals->responses; i++) {
        if (totals->responses[i] == 0) continue;
        snprintf(status, sizeof status, "%u", i + 100);
        set(host, "sandstorm_http_responses_total", status, (double)totals->responses[i]);
    }
}

void metrics_host_collect(struct host *host, uint64_t generation, size_t lua_bytes)
{
    struct system_figures figures;
    system_figures(host->system, fs_root_path(host->workspace), &figures);
    if (host->http != NULL) collect_http(host);
    set(host, "sandstorm_build_info", SANDSTORM_VERSION, 1);
    set(host, "sandstorm_streams", NULL, (double)stream_hub_count(host->streams));
    set(host, "sandstorm_processes", NULL, process_set_count(job_table_processes(host->jobs)));
    set(host, "sandstorm_background_jobs", NULL, job_table_running(host->jobs));
    set(host, "sandstorm_fibers", NULL, host->scripts != NULL ? scripts_live(host->scripts) : 1);
    set(host, "sandstorm_lua_memory_bytes", NULL, (double)lua_bytes);
    set(host, "sandstorm_script_generation", NULL, (double)generation);
    set(host, "sandstorm_script_failed", NULL, host->scripts != NULL && scripts_error(host->scripts) != NULL);
    set(host, "sandstorm_audit_lines_total", "written", (double)audit_written(host->audit));
    set(host, "sandstorm_audit_lines_total", "lost", (double)audit_lost(host->audit));
    set(host, "process_start_time_seconds", NULL, (double)host->started_ms / 1000);
    set(host, "process_resident_memory_bytes", NULL, (double)figures.resident);
}
