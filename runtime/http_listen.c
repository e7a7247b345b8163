/* From a host name and a port to listening sockets. */
#include "http_internal.h"

#include <netdb.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define PORT_ATTEMPTS 16 /* to find one port that is free on every address */
#define BACKLOG 511

struct address {
    union {
        struct sockaddr any;
        struct sockaddr_in v4;
        struct sockaddr_in6 v6;
    } at;
};

struct addresses {
    struct address list[8];
    size_t count;
    bool optional; /* an address that this machine does not have is left out */
};

static void add_address(struct addresses *all, const struct sockaddr *at, size_t len)
{
    if (all->count == sizeof all->list / sizeof all->list[0] || len > sizeof all->list[0].at) return;
    memcpy(&all->list[all->count++].at, at, len);
}

/* One address of each family, whatever the resolver says of localhost (RFC 6761 6.3). */
static void add_both(struct addresses *all, const char *ip4, const char *ip6)
{
    struct sockaddr_in v4;
    struct sockaddr_in6 v6;

    uv_ip4_addr(ip4, 0, &v4);
    uv_ip6_addr(ip6, 0, &v6);
    add_address(all, (const struct sockaddr *)&v4, sizeof v4);
    add_address(all, (const struct sockaddr *)&v6, sizeof v6);
    all->optional = true;
}

static int resolve(const char *host, struct addresses *all, char *error, size_t error_size)
{
    struct addrinfo hints = {.ai_socktype = SOCK_STREAM, .ai_flags = AI_PASSIVE}, *found = NULL;

    if (strcmp(host, "localhost") == 0 || host[0] == '\0') {
        bool all_addresses = host[0] == '\0';
        add_both(all, all_addresses ? "0.0.0.0" : "127.0.0.1", all_addresses ? "::" : "::1");
        return 0;
    }
    int failure = getaddrinfo(host, NULL, &hints, &found);
    if (failure) {
        snprintf(error, error_size, "cannot listen on %s: %s", host, gai_strerror(failure));
        return UV_EAI_NONAME;
    }
    for (struct addrinfo *at = found; at; at = at->ai_next)
        add_address(all, at->ai_addr, at->ai_addrlen);
    freeaddrinfo(found);
    return 0;
}

static void on_listener_closed(uv_handle_t *handle)
{
    struct http_listener *listener = handle->data;
    struct http_server *server = listener->server;

    free(listener);
    http_server_handle_closed(server);
}

static void listener_close(struct http_listener *listener)
{
    uv_close((uv_handle_t *)&listener->tcp, on_listener_closed);
}

void http_listen_stop(struct http_server *server)
{
    while (server->listeners) {
        struct http_listener *listener = server->listeners;
        server->listeners = listener->next;
        listener_close(listener);
    }
}

static struct http_listener *listener_new(struct http_server *server)
{
    struct http_listener *listener = calloc(1, sizeof *listener);

    if (!listener) return NULL;
    listener->server = server;
    uv_tcp_init(server->loop, &listener->tcp);
    listener->tcp.data = listener;
    server->handles++;
    return listener;
}

static uint16_t bound_port(const struct http_listener *listener)
{
    struct address bound = {0};
    int len = sizeof bound.at;

    if (uv_tcp_getsockname(&listener->tcp, &bound.at.any, &len) != 0) return 0;
    return ntohs(bound.at.any.sa_family == AF_INET6 ? bound.at.v6.sin6_port : bound.at.v4.sin_port);
}

/* Port and address family share their place in both forms; a lone :: also takes IPv4. */
static int listen_at(struct http_server *server, struct address at, uint16_t port, bool alone)
{
    struct http_listener *listener = listener_new(server);
    bool v6 = at.at.any.sa_family == AF_INET6;

    if (!listener) return UV_ENOMEM;
    *(v6 ? &at.at.v6.sin6_port : &at.at.v4.sin_port) = htons(port);
    int failure = uv_tcp_bind(&listener->tcp, &at.at.any, v6 && !alone ? UV_TCP_IPV6ONLY : 0);
    if (!failure) failure = uv_listen((uv_stream_t *)&listener->tcp, BACKLOG, http_server_on_connection);
    if (failure) {
        listener_close(listener);
        return failure;
    }
    listener->next = server->listeners;
    server->listeners = listener;
    if (!server->port) server->port = bound_port(listener);
    return 0;
}

static bool is_absent(int failure)
{
    return failure == UV_EADDRNOTAVAIL || failure == UV_EAFNOSUPPORT || failure == UV_EINVAL;
}

static int listen_all(struct http_server *server, const struct addresses *all, uint16_t port)
{
    int last = UV_EADDRNOTAVAIL;

    server->port = port;
    for (size_t i = 0; i < all->count; i++) {
        last = listen_at(server, all->list[i], server->port, all->count == 1);
        if (last && !(all->optional && is_absent(last))) {
            http_listen_stop(server);
            return last;
        }
    }
    return server->listeners ? 0 : last;
}

static void log_listener(struct http_server *server, const struct http_listener *listener)
{
    struct address at = {0};
    int len = sizeof at.at;
    char name[64] = "";
    bool v6;

    if (uv_tcp_getsockname(&listener->tcp, &at.at.any, &len) != 0) return;
    v6 = at.at.any.sa_family == AF_INET6;
    if (v6)
        uv_ip6_name(&at.at.v6, name, sizeof name);
    else
        uv_ip4_name(&at.at.v4, name, sizeof name);
    log_line(server->log, LOG_INFO, HTTP_LOGGER, v6 ? "listening on [%s]:%d" : "listening on %s:%d", name,
             (int)server->port);
}

int http_listen(struct http_server *server, const char *host, uint16_t port, char *error, size_t error_size)
{
    struct addresses all = {.count = 0, .optional = false};
    int failure = resolve(host, &all, error, error_size);

    if (failure) return failure;
    for (int i = 0; i < PORT_ATTEMPTS; i++) {
        failure = listen_all(server, &all, port);
        if (failure != UV_EADDRINUSE || port) break;
    }
    if (failure)
        snprintf(error, error_size, "cannot listen on %s port %u: %s", host, (unsigned)port,
                 uv_strerror(failure));
    for (struct http_listener *at = server->listeners; at && !failure; at = at->next)
        log_listener(server, at);
    return failure;
}
