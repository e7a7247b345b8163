/* What the http_*.c files share. Nobody else includes this.
 *
 *   http_listen.c    addresses, listeners
 *   http_server.c    admission of connections, drain, close
 *   http_socket.c    the life of one connection
 *   http_conn.c      what happens on it when (phases, deadlines, end of input)
 *   http_parse.c     llhttp: bytes to events, limits of framing
 *   http_request.c   target, Host, header fields: from text to struct http_request
 *   http_response.c  exchanges as the handler sees them, response heads, event streams
 *   http_write.c     the output queue
 *   http_status.c    reason phrases */
#ifndef SANDSTORM_HTTP_INTERNAL_H
#define SANDSTORM_HTTP_INTERNAL_H

#include <llhttp.h>

#include "http.h"
#include "log.h"

#define HTTP_LOGGER "sandstorm_mcp.http"

enum {
    HTTP_READ_BYTES = 64 * 1024,   /* one read */
    HTTP_STASH_BYTES = 64 * 1024,  /* read ahead of an unanswered request; then reading stops */
    HTTP_KEEP_BYTES = 16 * 1024,   /* buffers up to this size are kept from one request to the next */
    HTTP_SLICE_BYTES = 256 * 1024, /* one write of a long queue */
    HTTP_TURNS = 32,               /* requests of one connection answered before others get their turn */
    HTTP_PEER_SIZE = 64
};

enum http_phase {
    PHASE_IDLE,   /* no byte of the next request was seen */
    PHASE_HEAD,   /* inside a header section */
    PHASE_BODY,   /* header section complete, message not */
    PHASE_ANSWER, /* the message is complete, the answer is not */
    PHASE_LINGER, /* the last answer was given; output is flushed, input discarded */
    PHASE_CLOSED  /* handles are closing or closed */
};

enum http_event {
    HTTP_EVENT_MORE, /* all input used, nothing to report */
    HTTP_EVENT_HEAD, /* header section complete */
    HTTP_EVENT_END,  /* message complete */
    HTTP_EVENT_BAD   /* `verdict` says which status refuses it */
};

/* Where a header field stands in `text`; offsets, for the text still moves. */
struct http_field {
    size_t name, value;
};

struct http_exchange {
    struct http_request request;
    struct http_conn *conn;
    void *data;
    size_t body_limit;
    bool open;     /* the handler owes an answer */
    bool accepted; /* http_accept was called */
    bool begun;    /* a stream was begun */
    bool gone;     /* answers are dropped */
    bool clings;   /* the end of the peer's input counts as gone */
    bool keep;     /* the connection goes on after the answer */
    bool chunked;
    bool bodyless; /* only the head of the answer is sent */
    bool pressure; /* http_stream_send returned false */
    void (*drained)(void *data);
    void *drained_data;
};

struct http_conn {
    uv_tcp_t tcp;
    uv_timer_t timer;
    struct http_server *server; /* NULL once the handles are closed */
    struct http_conn *prev, *next;
    unsigned open_handles;
    char peer[HTTP_PEER_SIZE];

    enum http_phase phase;
    bool feeding; /* inside the parse loop: whatever is left goes on there */
    bool reading;
    bool eof;    /* the peer shut down its sending side */
    bool deaf;   /* input is discarded, never parsed again */
    bool served; /* it answered a request */
    bool told;   /* `gone` was called for the exchange */
    bool again;  /* the parser has an event to give although no byte is left */
    unsigned turns;
    size_t lingered;  /* bytes discarded */
    struct buf stash; /* input behind an unanswered request */

    uint64_t deadline;       /* of the phase, loop time; 0: none */
    uint64_t write_deadline; /* 0: nothing is queued */
    size_t write_seen;       /* bytes untaken when write_deadline was set */
    uint64_t timer_due;      /* 0: the timer does not run */

    llhttp_t parser;
    enum http_event event;
    int verdict; /* status that refuses the request, 0 while all is well */
    /* What is wrong with the request's target or Host, static text; NULL: the status says it. */
    const char *wrong;
    size_t head_bytes; /* of the header section so far */
    char last_byte;    /* of the header section */
    bool in_field;
    bool has_body;
    bool persistent; /* the request allows another one after it */
    uint64_t length; /* Content-Length */
    size_t wire;     /* bytes of the message behind its header section */
    size_t chunks;
    char version[8];
    size_t version_len;
    size_t target_len;
    struct buf text;   /* target and header section as strings */
    struct buf path;   /* decoded path */
    struct buf fields; /* struct http_field */
    struct buf table;  /* struct http_header */
    struct buf body;
    struct http_exchange ex;

    uv_write_t write;
    uv_shutdown_t shutdown;
    bool writing;
    struct buf out;    /* waits for its turn */
    struct buf flying; /* handed to libuv, from 0 to fly_off */
    size_t fly_off;
};

struct http_listener {
    uv_tcp_t tcp;
    struct http_server *server;
    struct http_listener *next;
    bool waiting; /* libuv holds an accepted socket and does not poll until it is taken */
};

struct http_server {
    uv_loop_t *loop;
    struct log *log;
    struct http_limits limits;
    struct http_handler handler;
    struct http_listener *listeners;
    struct http_conn *first, *last; /* the longest idle ones come first */
    unsigned connections;
    unsigned cap;     /* of connections: the limit, less where the process may open few files */
    unsigned handles; /* listeners and timer that are not closed */
    uint16_t port;
    bool draining;
    bool closing;
    int reserve;      /* a descriptor to give up when none is left for a new connection; -1: given up */
    uv_timer_t retry; /* runs while a connection waits for admission */
    void (*closed)(void *data);
    void *closed_data;
    struct buf scratch; /* the response head being written */
    struct http_totals totals;
    int64_t date_second;
    char date[32];
    char input[HTTP_READ_BYTES];
};

/* http_listen.c: 0 or a libuv error with `error` filled. */
int http_listen(struct http_server *server, const char *host, uint16_t port, char *error, size_t error_size);
void http_listen_stop(struct http_server *server);
/* Calls back into http_server.c. */
void http_server_on_connection(uv_stream_t *stream, int status);
void http_server_handle_closed(struct http_server *server);

/* http_server.c: the connection's handles are closed. */
void http_server_forget(struct http_server *server);
void http_server_link(struct http_server *server, struct http_conn *c);
void http_server_unlink(struct http_server *server, struct http_conn *c);

/* http_socket.c */
bool http_conn_accept(struct http_server *server, uv_stream_t *listener);
/* Closes the handles now; `gone` follows from the loop where it is due. */
void http_conn_kill(struct http_conn *c);
/* Frees what is closed and owes nothing to the handler. */
void http_conn_release(struct http_conn *c);

/* http_conn.c */
/* A new connection waits for its first request. */
void http_conn_start(struct http_conn *c);
/* Answers with the connection's own words and ends it; the handler of an open exchange is told `gone`. */
void http_conn_refuse(struct http_conn *c, int status);
/* A stream began before the message was complete: the rest of the input is discarded. */
void http_conn_ignore_body(struct http_conn *c);
/* The last byte of the answer is queued. */
void http_conn_answered(struct http_conn *c);
/* No more answers will follow: flush, shut down, discard input for a while, close. */
void http_conn_finish(struct http_conn *c);
/* The output queue ran empty. */
void http_conn_flushed(struct http_conn *c);
/* Brings reading and the timer in line with the state. Calls no handler. */
void http_conn_settle(struct http_conn *c);

/* http_parse.c */
void http_parse_init(struct http_conn *c);
enum http_event http_parse(struct http_conn *c, const char *at, size_t len, size_t *used);

/* http_request.c: collecting returns 0 or the status that refuses the request. */
void http_request_begin(struct http_conn *c);
void http_request_free(struct http_conn *c);
int http_collect_target(struct http_conn *c, const char *at, size_t len);
int http_collect_name(struct http_conn *c, const char *at, size_t len);
int http_collect_name_end(struct http_conn *c);
int http_collect_value(struct http_conn *c, const char *at, size_t len);
bool http_collect_value_end(struct http_conn *c);
bool http_collect_target_end(struct http_conn *c);
/* Makes c->ex.request from what was collected; 0 or the status that refuses it, then perhaps with `wrong`. */
int http_request_finish(struct http_conn *c);

/* http_response.c */
/* `{"error": what is wrong}`. */
void http_response_own(struct http_conn *c, int status);

/* http_write.c */
void http_write(struct http_conn *c, uv_buf_t *parts, unsigned count);
size_t http_write_queued(const struct http_conn *c);
/* The same with what the kernel holds: shrinks whenever the peer takes something, and only then. */
size_t http_write_untaken(const struct http_conn *c);
void http_write_free(struct http_conn *c);

#endif
