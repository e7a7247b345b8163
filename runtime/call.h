/* A call: one accepted HTTP request on its way through a Lua handler, and its answer.
 *
 * Lifetime: made when the header section is accepted, ended by call_answer, which must come exactly once. It
 * keeps the generation of the scripts that was current at the start. The response may become an event stream
 * on the way (stream.h): because the handler opened one, or because the answer is late; the body of the
 * answer is then its last event. Everything here belongs to the loop's thread. */
#ifndef SANDSTORM_CALL_H
#define SANDSTORM_CALL_H

#include <stdbool.h>
#include <stdint.h>

#include "auth.h"
#include "http.h"
#include "routes.h"
#include "stream.h"

struct fiber;
struct host;
struct vm;

/* Calls whose answer may become an event stream when it is late; the worker's clock looks after them. */
struct call_list {
    struct call *first;
};

/* How the response becomes a stream when the answer is late. */
struct call_late {
    uint64_t after_ms, every_ms;
    const char *id, *owner; /* as in struct stream_options; copied */
    bool kept, primed;
};

/* What a browser is told of who may read a response (Fetch standard, CORS protocol). */
struct cors {
    const char *origin; /* of the page, or `*`; NULL: nobody. Lives as long as the exchange */
    bool varies;        /* another page would be told something else */
    const char
        *exposed; /* names of the headers that it may read, or NULL for the usual ones; lives as long */
};

struct call {
    struct exchange_owner owner_of_exchange; /* first member */
    struct host *host;
    struct http_exchange *exchange; /* NULL once a stream has it */
    struct vm *vm;                  /* held */
    const struct route *route;
    struct cors cors;
    char principal[AUTH_PRINCIPAL_SIZE]; /* whom it is from (auth.h); "" for anybody */
    struct call_list *slow;              /* the list to join when the answer may be late */
    struct stream *stream;               /* the response, if it became one and its stream is not over */
    bool streamed;                       /* the response is, or was, a stream */
    bool detached;                       /* ... and goes on after the handler: there is no answer to send */
    bool started;                        /* the body is complete, the handler owes the answer */

    /* Whoever runs the handler sets this, and is told when nobody reads the answer any more; it is due all
     * the same. NULL for nobody. */
    void (*unheard)(struct call *call);

    /* For lua_http.c */
    struct fiber *fiber; /* to be stopped when the peer goes; NULL for none */
    struct call **
        handle; /* the request userdata's pointer to this call, reset when it ends; NULL when there is none */
    int on_stop; /* registry reference of the function to call when the handler is stopped */

    /* Late answers */
    struct call_late late; /* texts are owned */
    uint64_t due_ns;       /* when the response becomes a stream */
    bool was_late;         /* it became a stream in that way */
    bool listed;
    struct call *next, *prev;
};

/* Takes the exchange. Returns NULL when there is no memory. */
struct call *call_new(struct host *host, struct http_exchange *ex, struct vm *vm, const struct route *route,
                      const struct cors *cors, struct call_list *slow);

/* If there is no answer after `after_ms`, the response becomes an event stream with a comment line every
 * `every_ms`. Where there is no memory for `id` and `owner` that stream cannot be resumed. */
void call_stream_when_slow(struct call *call, const struct call_late *late);

/* Makes the response a stream now. False, with nothing changed, when that is not possible. */
bool call_stream(struct call *call, const struct stream_options *options, const struct http_header *headers,
                 size_t header_count);

/* Makes the response the continuation of the stream of that event id; the call is detached then. */
bool call_resume(struct call *call, const char *event_id, const struct http_header *headers,
                 size_t header_count);

/* Looks after the late calls of a list; to be called about twice a second. */
void call_list_tick(struct call_list *list);

/* Answers and frees the call. */
void call_answer(struct call *call, const struct http_response *response);

/* Answers an exchange, also one without a call, and says who may read it. */
void call_respond(struct http_exchange *ex, const struct cors *cors, const struct http_response *response);

/* Answers `{"error":"<reason phrase>"}`, with an `Allow`, `WWW-Authenticate` or other header if `name` is not
 * NULL. */
void call_refuse(struct http_exchange *ex, const struct cors *cors, int status, const char *name,
                 const char *value);

#endif
