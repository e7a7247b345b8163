#include "worker.h"

#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <unistd.h>

#include "audit.h"
#include "auth.h"
#include "call.h"
#include "clock.h"
#include "config.h"
#include "fs.h"
#include "gate.h"
#include "grants.h"
#include "http.h"
#include "jobs.h"
#include "json.h"
#include "keys.h"
#include "log.h"
#include "lua_app.h"
#include "lua_http.h"
#include "metrics.h"
#include "lua_ticks.h"
#include "origin.h"
#include "process.h"
#include "scripts.h"
#include "stdio_lines.h"
#include "vm.h"

#define LOGGER "sandstorm_mcp.app"
#define TICK_MS 500
#define STOP_TICK_MS 20
#define LAST_WAIT_MS 3000     /* for threads, once everything else is over */
#define INPUT_END_MS 1500     /* what calls may take after the end of standard input */
#define STOPPED_GRACE_MS 5000 /* what stopped calls and children may take beyond config.stop_ms */

static const int SIGNALS[] = {SIGTERM, SIGINT, SIGHUP};

struct worker {
    struct host *host;
    struct auth *auth;
    struct gate gate;
    struct call_list slow;
    uv_timer_t tick, stop_tick, last_wait;
    uv_signal_t signals[3];
    uv_check_t flush; /* the log, once per loop turn */
    uint64_t beat_ns; /* the clock's last beat */
    bool stopping, forced, said_goodbye;
    uint64_t stop_ns;  /* when running calls are stopped */
    size_t queued;     /* what waited for the reader of standard output when it was last looked at ... */
    uint64_t taken_ns; /* ... and when that changed */
};

static bool on_stdio(const struct worker *w)
{
    return w->host->config->command == COMMAND_STDIO;
}

/* ---- requests ---------------------------------------------------------------------------------------- */

static void on_head(void *data, struct http_exchange *ex)
{
    struct worker *w = data;
    gate_head(&w->gate, ex);
}

static void on_request(void *data, struct http_exchange *ex)
{
    (void)data;
    lua_http_start(http_exchange_data(ex));
}

static void on_gone(void *data, struct http_exchange *ex)
{
    (void)data;
    struct exchange_owner *owner = http_exchange_data(ex);
    if (owner != NULL) owner->gone(owner);
}

/* ---- clock, signals, shutdown ------------------------------------------------------------------------ */

/* The clock of the loop beats every TICK_MS; what it is late by, the loop was busy for. */
static void observe_lag(struct worker *w)
{
    uint64_t now = clock_ns(), due = w->beat_ns + TICK_MS * UINT64_C(1000000);
    double late = w->beat_ns != 0 && now > due ? (double)(now - due) / 1e9 : 0;
    w->beat_ns = now;
    metrics_observe(w->host->metrics, metrics_family("sandstorm_loop_lag_seconds"), NULL, late);
}

static void on_tick(uv_timer_t *timer)
{
    struct worker *w = timer->data;
    observe_lag(w);
    call_list_tick(&w->slow);
    vm_tidy(scripts_vm(w->host->scripts));
    if (!w->stopping && !on_stdio(w)) lua_ticks_run(scripts_vm(w->host->scripts));
}

static void on_flush(uv_check_t *check)
{
    struct worker *w = check->data;
    log_flush(w->host->log);
    audit_flush(w->host->audit);
}

/* What the thread pool is at cannot be interrupted: a script that is read without end, a file system that
 * hangs. */
static void on_last_wait(uv_timer_t *timer)
{
    const struct worker *w = timer->data;
    log_line(w->host->log, LOG_ERROR, LOGGER, "a thread is still busy, it is left behind");
    log_flush(w->host->log);
    _exit(1);
}

static void bound_last_wait(struct worker *w)
{
    uv_timer_init(w->host->loop, &w->last_wait);
    w->last_wait.data = w;
    uv_timer_start(&w->last_wait, on_last_wait, LAST_WAIT_MS, 0);
    uv_unref((uv_handle_t *)&w->last_wait);
}

static void close_all(struct worker *w)
{
    bound_last_wait(w);
    if (w->host->http != NULL) http_server_close(w->host->http, NULL, NULL);
    stdio_close(w->host->stdio);
    w->host->http = NULL;
    w->host->stdio = NULL;
    scripts_close(w->host->scripts);
    uv_close((uv_handle_t *)&w->tick, NULL);
    uv_close((uv_handle_t *)&w->stop_tick, NULL);
    uv_close((uv_handle_t *)&w->flush, NULL);
    for (size_t i = 0; i < 3; i++) {
        uv_close((uv_handle_t *)&w->signals[i], NULL);
        signal(SIGNALS[i], SIG_IGN); /* the end is near and in good order: none may break it off */
    }
}

/* Whether more of standard output is being taken. The reader may be slow, as long as it reads at all. */
static bool is_read(struct worker *w, uint64_t now)
{
    size_t queued = stdio_queued(w->host->stdio);
    if (queued != w->queued) w->taken_ns = now;
    w->queued = queued;
    return queued > 0 && now < w->taken_ns + STOPPED_GRACE_MS * UINT64_C(1000000);
}

static void on_stop_tick(uv_timer_t *timer)
{
    struct worker *w = timer->data;
    uint64_t now = clock_ns();
    unsigned live = scripts_live(w->host->scripts);
    if (live > 0 && (w->forced || now >= w->stop_ns))
        scripts_stop_fibers(w->host->scripts, "stopped: the server is shutting down");
    bool late = now >= w->stop_ns + STOPPED_GRACE_MS * UINT64_C(1000000);
    if (live > 0 && !late) return;
    if (!w->said_goodbye) { /* to whom the last calls brought */
        w->said_goodbye = true;
        lua_app_start(scripts_vm(w->host->scripts), "stopping", NULL, 0);
        if (scripts_live(w->host->scripts) > 0 && !late) return; /* a slice of its time ended */
    }
    stream_end_all(w->host->streams);
    struct process_set *children = job_table_processes(w->host->jobs);
    job_table_stop_all(w->host->jobs);
    if (process_set_count(children) > 0 && !late) return;
    unsigned connections = w->host->http != NULL ? http_server_connections(w->host->http) : 0;
    if (connections > 0 && !late && !w->forced && now < w->stop_ns) return;
    if (is_read(w, now) && !w->forced) return;
    if (w->queued > 0)
        log_line(w->host->log, LOG_WARNING, LOGGER, "%zu bytes of standard output were not taken", w->queued);
    close_all(w);
}

static void on_scripts_changed(void *data, struct vm *vm)
{
    (void)data;
    lua_app_start(vm, "changed", NULL, 0);
}

static void begin_stop(struct worker *w, uint64_t patience_ms)
{
    w->stopping = true;
    w->stop_ns = clock_ns() + patience_ms * 1000000;
    log_line(w->host->log, LOG_INFO, LOGGER, "sandstorm-mcp is stopping, %u calls run",
             scripts_live(w->host->scripts));
    lua_app_start(scripts_vm(w->host->scripts), "stopping", NULL, 0);
    if (w->host->http != NULL) http_server_drain(w->host->http);
    scripts_stop_tagged(w->host->scripts, TICKS_TAG, TICKS_STOP);
    uv_timer_start(&w->stop_tick, on_stop_tick, 0, STOP_TICK_MS);
}

static void on_signal(uv_signal_t *handle, int number)
{
    struct worker *w = handle->data;
    if (number == SIGHUP) {
        if (!w->stopping) scripts_reload(w->host->scripts);
    } else if (!w->stopping) {
        begin_stop(w, (uint64_t)w->host->config->stop_ms);
    } else {
        w->forced = true;
        w->stop_ns = clock_ns();
        job_table_kill_all(w->host->jobs);
    }
}

static void start_handles(struct worker *w)
{
    uv_timer_init(w->host->loop, &w->tick);
    uv_timer_init(w->host->loop, &w->stop_tick);
    uv_check_init(w->host->loop, &w->flush);
    w->tick.data = w->stop_tick.data = w->flush.data = w;
    uv_timer_start(&w->tick, on_tick, TICK_MS, TICK_MS);
    uv_check_start(&w->flush, on_flush);
    for (size_t i = 0; i < 3; i++) {
        uv_signal_init(w->host->loop, &w->signals[i]);
        w->signals[i].data = w;
        uv_signal_start(&w->signals[i], on_signal, SIGNALS[i]);
    }
}

/* ---- standard input and output ----------------------------------------------------------------------- */

static void on_line(void *data, const char *text, size_t len)
{
    struct worker *w = data;
    if (!w->stopping) lua_app_start(scripts_vm(w->host->scripts), "line", text, len);
}

/* The client is gone, or will send no more: what runs may end, if it ends soon. */
static void on_input_end(void *data)
{
    struct worker *w = data;
    uint64_t stop_ms = (uint64_t)w->host->config->stop_ms;
    if (!w->stopping) begin_stop(w, stop_ms < INPUT_END_MS ? stop_ms : INPUT_END_MS);
}

static bool open_stdio(struct worker *w, char *error, size_t error_size)
{
    const struct stdio_handler handler = {.data = w, .line = on_line, .end = on_input_end};
    w->host->stdio =
        stdio_open(w->host->loop, (size_t)w->host->config->body_limit, &handler, error, error_size);
    return w->host->stdio != NULL;
}

/* ---- life -------------------------------------------------------------------------------------------- */

static bool listen_http(struct worker *w, char *error, size_t error_size)
{
    const struct config *c = w->host->config;
    const struct http_handler handler = {.data = w, .head = on_head, .request = on_request, .gone = on_gone};
    struct http_limits limits;
    http_limits_default(&limits);
    limits.connections = (unsigned)c->max_connections;
    limits.header_ms = (uint64_t)c->header_ms;
    limits.body_ms = (uint64_t)c->body_ms;
    limits.idle_ms = (uint64_t)c->idle_ms;
    limits.write_ms = (uint64_t)c->write_ms;
    w->host->http = http_server_new(w->host->loop, w->host->log, c->host, (uint16_t)c->port, &limits,
                                    &handler, error, error_size);
    return w->host->http != NULL;
}

static void log_started(const struct worker *w)
{
    struct buf fields = BUF_INIT;
    buf_puts(&fields, "\"host\":");
    json_text_quote(&fields, w->host->config->host, strlen(w->host->config->host));
    buf_printf(&fields, ",\"port\":%u,\"workspace\":", http_server_port(w->host->http));
    json_text_quote(&fields, fs_root_path(w->host->workspace), strlen(fs_root_path(w->host->workspace)));
    log_fields(w->host->log, LOG_INFO, LOGGER, "sandstorm-mcp started", strlen("sandstorm-mcp started"),
               &fields);
    log_flush(w->host->log);
    buf_free(&fields);
}

static bool load_keys(struct worker *w, char *error, size_t error_size)
{
    bool needed = keys_have_secret(w->host->keys) || !on_stdio(w);
    error[0] = '\0';
    if (needed && !keys_load(w->host->keys, error, error_size)) return false;
    if (error[0] != '\0') log_line(w->host->log, LOG_WARNING, LOGGER, "%s", error);
    if (on_stdio(w)) return true; /* whoever started the program is the client */
    w->auth = auth_new(w->host->keys, w->host->grants, strcmp(w->host->config->old_tokens, "on") == 0);
    w->gate = (struct gate){.host = w->host, .auth = w->auth, .slow = &w->slow};
    if (w->auth == NULL) snprintf(error, error_size, "not enough memory");
    return w->auth != NULL;
}

/* Who was revoked must be known before anybody is let in. */
static bool check_grants(const struct worker *w, char *error, size_t error_size)
{
    if (grants_readable(w->host->grants)) return true;
    snprintf(error, error_size, "%s/" GRANTS_FILE ": %s: it says whose access ended",
             w->host->config->state_dir, strerror(errno));
    return false;
}

static bool start(struct worker *w, const char *tools, const char *library, char *error, size_t error_size)
{
    if (!load_keys(w, error, error_size) || !check_grants(w, error, error_size)) return false;
    w->host->origins = origin_policy_new(w->host->config, error, error_size);
    if (w->host->origins == NULL) return false;
    w->host->scripts = scripts_new(w->host, tools, library, on_scripts_changed, w, error, error_size);
    if (w->host->scripts == NULL) return false;
    start_handles(w); /* a signal has its meaning before the first peer can know that we are here */
    if (on_stdio(w) ? open_stdio(w, error, error_size) : listen_http(w, error, error_size)) return true;
    close_all(w);
    return false;
}

static void finish(struct worker *w)
{
    uv_run(w->host->loop, UV_RUN_DEFAULT);
    if (w->last_wait.data != NULL) uv_close((uv_handle_t *)&w->last_wait, NULL);
    scripts_free(w->host->scripts);
    w->host->scripts = NULL;
    uv_run(w->host->loop, UV_RUN_DEFAULT);
    origin_policy_free(w->host->origins);
    w->host->origins = NULL;
    auth_free(w->auth);
}

bool worker_serve(struct host *host, const char *tools, const char *library, char *error, size_t error_size)
{
    struct worker w = {.host = host};
    bool ok = start(&w, tools, library, error, error_size);
    if (ok) {
        scripts_watch(host->scripts);
        if (!on_stdio(&w)) log_started(&w);
        if (!on_stdio(&w)) lua_app_start(scripts_vm(host->scripts), "started", NULL, 0);
        lua_app_start(scripts_vm(host->scripts), "changed", NULL, 0);
        if (!on_stdio(&w)) lua_ticks_run(scripts_vm(host->scripts));
        uv_run(host->loop, UV_RUN_DEFAULT);
        log_line(host->log, LOG_INFO, LOGGER, "sandstorm-mcp stopped");
    }
    finish(&w);
    return ok;
}
