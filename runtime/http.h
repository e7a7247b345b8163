/* HTTP/1.1 server on libuv and llhttp: connections, requests, responses, event streams. Knows no route,
 * no Lua and no MCP: a `struct http_handler` decides. RFC 9110, RFC 9112.
 *
 * Words used here
 *   connection  one accepted socket; serves requests one after the other, answers in order
 *   exchange    one request and its response; the handle that the handler works with
 *   refusal     a response given before the body was read; the rest of the connection is then never parsed:
 *               the response says `Connection: close`, input is drained for a bounded time and amount
 *               (RFC 9112 9.6), and the socket is closed. A request without a body has nothing left to
 *               parse, so its connection goes on.
 *
 * Lifetime: an exchange is made by the connection and lives until the handler has answered it
 * (http_respond, or http_stream_end) AND the connection has let go of it. When the peer vanishes first,
 * `gone` is called once and the handler must still answer, from inside `gone` or later; such an answer is
 * dropped silently. Every exchange for which `head` accepted the request gets exactly one answer from the
 * handler. The connection itself answers what is no HTTP/1.x request, breaks a limit or a deadline, or ends
 * half-way (400, 408, 413, 414, 417, 431, 501, 505). If `head` had accepted such a request, `gone` is called
 * instead of `request`.
 *
 * Handlers are called from the loop only, never from inside a function of this header. The process ignores
 * SIGPIPE.
 *
 * Everything here belongs to the loop's thread. Sizes are bytes, times are milliseconds. */
#ifndef SANDSTORM_HTTP_H
#define SANDSTORM_HTTP_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <uv.h>

#include "buf.h"

struct log;
struct http_server;
struct http_exchange;

struct http_header {
    const char *name;  /* as received; compare without regard to case */
    const char *value; /* received ones have no blanks around them */
};

/* What the peer asked. All strings end in NUL, hold no other NUL, and live as long as the exchange. */
struct http_request {
    const char *method; /* upper-case token */
    const char *path;   /* before `?`, percent-decoded once; starts with `/`, or is `*` (OPTIONS only) */
    const char *query;  /* after `?` as received, "" without one */
    const char *host;   /* Host header, or the authority of an absolute target; "" without one */
    const char *peer;   /* address text without port, IPv4 in IPv6 unmapped */
    const struct http_header *headers;
    size_t header_count;
    const struct buf *body; /* complete in `request`, empty in `head` */
};

struct http_response {
    int status;
    const char *content_type;          /* NULL: no such header */
    const struct http_header *headers; /* more headers; name and value without CR, LF, NUL */
    size_t header_count;
    const char *body; /* copied */
    size_t body_len;
};

struct http_handler {
    void *data;
    /* The header section is complete, nothing of the body was read: call http_accept or http_respond (a
     * refusal) before returning. */
    void (*head)(void *data, struct http_exchange *ex);
    /* The body is complete. Answer now or later. */
    void (*request)(void *data, struct http_exchange *ex);
    /* The peer reset the connection, or sending to it failed or stalled, before the answer was complete, or
     * the connection itself answered. A half-close (the peer only shut down its sending side) is no such
     * event; a peer that closed altogether looks the same until something is sent to it. */
    void (*gone)(void *data, struct http_exchange *ex);
};

struct http_limits {
    size_t target_bytes;     /* request target; beyond: 414 */
    size_t header_bytes;     /* request line and header section, trailers; beyond: 431 */
    size_t header_count;     /* beyond: 431 */
    size_t chunk_overhead;   /* chunk extensions and trailers of one body (bare chunk heads are free); beyond:
                                400 */
    size_t write_high_water; /* bytes queued on a connection before http_stream_send reports pressure */
    unsigned connections;    /* beyond: accepted when one closes; idle ones are closed to make room */
    uint64_t header_ms;      /* from the first byte of a request to the end of its header section; 408 */
    uint64_t body_ms;        /* for the whole body; 408 */
    uint64_t idle_ms;        /* keep-alive connection without a request; closed */
    uint64_t write_ms;       /* no progress in sending; closed */
    uint64_t linger_ms;      /* discarding input after the last answer, so that the peer can read it */
    size_t linger_bytes;
};

/* Values for the limits that are no settings. The others, connections, header_ms, body_ms, idle_ms and
 * write_ms, become 0 and are the caller's to set. */
void http_limits_default(struct http_limits *limits);

/* Listens on host:port; `host` is an address or a name ("localhost" means both loopback families, "" all
 * addresses of both where the machine has them), port 0 takes a free one. Returns NULL and one line in
 * `error` on failure; handles that were opened then close in the next turn of the loop. The handler and
 * limits are copied. Where the process may open few files, the limit of connections is lowered so that
 * descriptors remain for work. */
struct http_server *http_server_new(uv_loop_t *loop, struct log *log, const char *host, uint16_t port,
                                    const struct http_limits *limits, const struct http_handler *handler,
                                    char *error, size_t error_size);

/* The port that it listens on (the first listener's, where port was 0 all listeners share it). */
uint16_t http_server_port(const struct http_server *server);

/* Number of open connections. */
unsigned http_server_connections(const struct http_server *server);

/* What came and went since the start. */
struct http_totals {
    uint64_t bytes_in, bytes_out;
    uint64_t responses[500]; /* by status less 100; streams count when they begin */
};

const struct http_totals *http_server_totals(const struct http_server *server);

/* Stops listening and closes idle connections; connections with an unanswered request stay until it is
 * answered and then close; peers that do not close their side are waited for a short time only. */
void http_server_drain(struct http_server *server);

/* Closes every connection now (calling `gone` where due) and frees the server once the loop has run the
 * close callbacks; `closed` (may be NULL) is called then. */
void http_server_close(struct http_server *server, void (*closed)(void *data), void *data);

const struct http_request *http_exchange_request(const struct http_exchange *ex);

/* First header of that name, or NULL. `count` (may be NULL) receives how many there were. */
const char *http_request_header(const struct http_request *request, const char *name, size_t *count);

/* The handler's own pointer on an exchange; NULL at first. */
void http_exchange_set_data(struct http_exchange *ex, void *data);
void *http_exchange_data(const struct http_exchange *ex);

/* True once `gone` was, or is about to be, called. */
bool http_exchange_is_gone(const struct http_exchange *ex);

/* From here on the end of the peer's input counts as gone, too: for clients that never shut down only one
 * side, where closing the connection is to end the work at once. */
void http_exchange_cling(struct http_exchange *ex);

/* Accepts the request with at most `body_limit` bytes of body (413 beyond, given by the connection itself).
 * Sends 100 Continue where the peer waits for it. */
void http_accept(struct http_exchange *ex, size_t body_limit);

/* Answers and ends the exchange; `ex` must not be used afterwards. HEAD gets the headers only. */
void http_respond(struct http_exchange *ex, const struct http_response *response);

/* Starts an answer of unknown length (chunked; until close for HTTP/1.0). `response->body` is sent first. */
void http_stream_begin(struct http_exchange *ex, const struct http_response *response);

/* Sends more. False: more than write_high_water bytes are queued; wait for `drained` before sending more
 * (everything given is kept either way). */
bool http_stream_send(struct http_exchange *ex, const void *bytes, size_t len);

/* Bytes that wait to be sent on the exchange's connection. */
size_t http_stream_queued(const struct http_exchange *ex);

/* Called whenever the queue of a stream falls below half of the high-water mark after http_stream_send
 * returned false. */
void http_stream_on_drained(struct http_exchange *ex, void (*drained)(void *data), void *data);

/* Ends the stream and the exchange; `ex` must not be used afterwards. */
void http_stream_end(struct http_exchange *ex);

/* The standard reason phrase of a status, "Unknown" for others. */
const char *http_status_text(int status);

#endif
