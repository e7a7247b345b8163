/* Which connections are taken, and how the server ends. */
#include "http_internal.h"

#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <unistd.h>

#define RETRY_MS 100       /* while a connection waits for admission */
#define EVICT_IDLE_MS 1000 /* a connection may be closed for another one when it was idle for so long */

void http_limits_default(struct http_limits *limits)
{
    *limits = (struct http_limits){
        .target_bytes = 16 * 1024,
        .header_bytes = 96 * 1024,
        .header_count = 128,
        .chunk_overhead = 64 * 1024,
        .write_high_water = 1024 * 1024,
        .linger_ms = 5 * 1000,
        .linger_bytes = 64 * 1024 * 1024,
    };
}

void http_server_link(struct http_server *server, struct http_conn *c)
{
    c->next = NULL;
    c->prev = server->last;
    *(server->last ? &server->last->next : &server->first) = c;
    server->last = c;
}

void http_server_unlink(struct http_server *server, struct http_conn *c)
{
    *(c->prev ? &c->prev->next : &server->first) = c->next;
    *(c->next ? &c->next->prev : &server->last) = c->prev;
    c->next = c->prev = NULL;
}

static int open_reserve(void)
{
    return open("/dev/null", O_RDONLY | O_CLOEXEC);
}

static bool has_room(const struct http_server *server)
{
    return server->connections < server->cap && server->reserve >= 0 && !server->closing;
}

/* Returns whether no listener waits any more. */
static bool take_waiting(struct http_server *server)
{
    bool done = true;

    for (struct http_listener *l = server->listeners; l; l = l->next) {
        if (l->waiting && has_room(server)) l->waiting = !http_conn_accept(server, (uv_stream_t *)&l->tcp);
        if (l->waiting) done = false;
    }
    return done;
}

/* Only lingering, or idle for so long that its peer hardly sends just now. */
static bool is_spare(const struct http_conn *c)
{
    const struct http_server *server = c->server;
    uint64_t latest = uv_now(server->loop) + server->limits.idle_ms - EVICT_IDLE_MS;

    if (c->phase == PHASE_LINGER) return c->deadline != 0;
    return c->phase == PHASE_IDLE && c->deadline <= latest && !http_write_queued(c);
}

/* It never asked anything, or had its last answer. */
static bool is_cheap(const struct http_conn *c)
{
    return c->phase == PHASE_LINGER || (c->phase == PHASE_IDLE && !c->served);
}

/* Makes room; clients that asked something before lose their connection only when all others do. */
static void evict(struct http_server *server)
{
    struct http_conn *cheap = NULL, *spare = NULL;
    bool any_cheap = false;

    if (server->connections < server->cap) return;
    for (struct http_conn *c = server->first; c && !cheap; c = c->next) {
        any_cheap = any_cheap || is_cheap(c);
        if (!is_spare(c)) continue;
        if (is_cheap(c))
            cheap = c;
        else if (!spare)
            spare = c;
    }
    if (!any_cheap) cheap = spare;
    if (cheap) http_conn_kill(cheap);
}

static void on_retry(uv_timer_t *timer);

static void admit(struct http_server *server)
{
    if (server->closing || take_waiting(server)) return;
    evict(server);
    if (!uv_is_active((uv_handle_t *)&server->retry)) uv_timer_start(&server->retry, on_retry, RETRY_MS, 0);
}

static void on_retry(uv_timer_t *timer)
{
    struct http_server *server = timer->data;

    if (server->reserve < 0) server->reserve = open_reserve();
    admit(server);
}

/* libuv takes and drops connections when the process has no descriptor left. Where it cannot even do that it
 * calls here again and again: giving up the reserve lets it take one, which then waits, and with it the
 * listener. */
static void yield_reserve(struct http_server *server, int status)
{
    if ((status != UV_EMFILE && status != UV_ENFILE) || server->reserve < 0) return;
    log_line(server->log, LOG_WARNING, HTTP_LOGGER, "no new connections for now: %s", uv_strerror(status));
    close(server->reserve);
    server->reserve = -1;
}

void http_server_on_connection(uv_stream_t *stream, int status)
{
    struct http_listener *listener = stream->data;

    if (status < 0) {
        yield_reserve(listener->server, status);
        return;
    }
    listener->waiting = true;
    admit(listener->server);
}

static void maybe_free(struct http_server *server)
{
    if (!server->closing || server->handles || server->connections) return;
    void (*closed)(void *) = server->closed;
    void *data = server->closed_data;

    if (server->reserve >= 0) close(server->reserve);
    buf_free(&server->scratch);
    free(server);
    if (closed) closed(data);
}

void http_server_handle_closed(struct http_server *server)
{
    server->handles--;
    maybe_free(server);
}

void http_server_forget(struct http_server *server)
{
    server->connections--;
    admit(server);
    maybe_free(server);
}

/* A quarter of the process's descriptors, and some more, stay free for work. */
static unsigned connection_cap(const struct http_limits *limits)
{
    struct rlimit files;

    if (getrlimit(RLIMIT_NOFILE, &files) != 0) return limits->connections;
    rlim_t most = files.rlim_cur - files.rlim_cur / 4;
    most = most > 32 ? most - 16 : most / 2 + 1;
    return most < limits->connections ? (unsigned)most : limits->connections;
}

static struct http_server *server_new(uv_loop_t *loop, struct log *log, const struct http_limits *limits,
                                      const struct http_handler *handler)
{
    struct http_server *server = calloc(1, sizeof *server);

    if (!server) return NULL;
    server->loop = loop;
    server->log = log;
    server->limits = *limits;
    server->handler = *handler;
    server->cap = connection_cap(limits);
    server->reserve = open_reserve();
    uv_timer_init(loop, &server->retry);
    uv_unref((uv_handle_t *)&server->retry);
    server->retry.data = server;
    server->handles = 1;
    return server;
}

struct http_server *http_server_new(uv_loop_t *loop, struct log *log, const char *host, uint16_t port,
                                    const struct http_limits *limits, const struct http_handler *handler,
                                    char *error, size_t error_size)
{
    struct http_server *server = server_new(loop, log, limits, handler);

    if (!server) {
        snprintf(error, error_size, "cannot listen on %s: out of memory", host);
        return NULL;
    }
    if (http_listen(server, host, port, error, error_size) == 0) return server;
    http_server_close(server, NULL, NULL);
    return NULL;
}

uint16_t http_server_port(const struct http_server *server)
{
    return server->port;
}

unsigned http_server_connections(const struct http_server *server)
{
    return server->connections;
}

const struct http_totals *http_server_totals(const struct http_server *server)
{
    return &server->totals;
}

void http_server_drain(struct http_server *server)
{
    struct http_conn *next;

    server->draining = true;
    http_listen_stop(server);
    for (struct http_conn *c = server->first; c; c = next) {
        next = c->next;
        if (c->phase == PHASE_IDLE && http_write_queued(c))
            http_conn_finish(c);
        else if (c->phase == PHASE_IDLE)
            http_conn_kill(c);
    }
}

static void on_retry_closed(uv_handle_t *handle)
{
    http_server_handle_closed(handle->data);
}

void http_server_close(struct http_server *server, void (*closed)(void *data), void *data)
{
    server->closed = closed;
    server->closed_data = data;
    server->closing = true;
    http_listen_stop(server);
    while (server->first)
        http_conn_kill(server->first);
    uv_close((uv_handle_t *)&server->retry, on_retry_closed);
}
