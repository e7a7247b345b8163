/* The life of a connection: made for an accepted socket, closed, and freed when nobody needs it. */
#include "http_internal.h"

#include <stdlib.h>
#include <string.h>

void http_conn_release(struct http_conn *c)
{
    if (c->open_handles || c->ex.open) return;
    http_request_free(c);
    http_write_free(c);
    buf_free(&c->stash);
    free(c);
}

static void on_handle_closed(uv_handle_t *handle)
{
    struct http_conn *c = handle->data;

    if (--c->open_handles) return;
    struct http_server *server = c->server;
    bool tell = c->ex.open && c->phase == PHASE_CLOSED && !c->told;
    c->server = NULL;
    if (tell) {
        c->told = true;
        server->handler.gone(server->handler.data, &c->ex);
    } else {
        http_conn_release(c);
    }
    http_server_forget(server);
}

void http_conn_kill(struct http_conn *c)
{
    if (c->phase == PHASE_CLOSED) return;
    c->phase = PHASE_CLOSED;
    c->ex.gone = c->ex.open;
    http_server_unlink(c->server, c);
    uv_close((uv_handle_t *)&c->tcp, on_handle_closed);
    uv_close((uv_handle_t *)&c->timer, on_handle_closed);
}

static void read_peer(struct http_conn *c)
{
    struct sockaddr_storage address;
    int len = sizeof address;
    const char *mapped = "::ffff:";

    if (uv_tcp_getpeername(&c->tcp, (struct sockaddr *)&address, &len) != 0) return;
    if (address.ss_family == AF_INET) {
        uv_ip4_name((struct sockaddr_in *)&address, c->peer, sizeof c->peer);
        return;
    }
    uv_ip6_name((struct sockaddr_in6 *)&address, c->peer, sizeof c->peer);
    if (strncmp(c->peer, mapped, strlen(mapped)) == 0 && strchr(c->peer, '.'))
        memmove(c->peer, c->peer + strlen(mapped), strlen(c->peer) - strlen(mapped) + 1);
}

static struct http_conn *conn_new(struct http_server *server)
{
    struct http_conn *c = calloc(1, sizeof *c);

    if (!c) return NULL;
    c->server = server;
    c->ex.conn = c;
    uv_tcp_init(server->loop, &c->tcp);
    uv_timer_init(server->loop, &c->timer);
    c->tcp.data = c->timer.data = c;
    c->open_handles = 2;
    http_parse_init(c);
    http_server_link(server, c);
    server->connections++;
    return c;
}

bool http_conn_accept(struct http_server *server, uv_stream_t *listener)
{
    struct http_conn *c = conn_new(server);

    if (!c) return false;
    if (uv_accept(listener, (uv_stream_t *)&c->tcp) != 0) {
        http_conn_kill(c);
        return true;
    }
    uv_tcp_nodelay(&c->tcp, 1);
    read_peer(c);
    http_conn_start(c);
    return true;
}
