/* A call: one accepted HTTP request on its way through a Lua handler, and its answer.
 *
 * Lifetime: made when the header section is accepted, ended by call_answer, which must come exactly once. It
 * keeps the generation of the scripts that was current at the start. Everything here belongs to the loop's thread. */
#ifndef SANDSTORM_CALL_H
#define SANDSTORM_CALL_H

#include <stdbool.h>
#include <stdint.h>

#include "http.h"
#include "routes.h"

struct fiber;
struct host;
struct vm;

/* Calls whose answer may become an event stream when it is late; the worker's clock looks after them. */
struct call_list {
    struct call *first;
};

struct call {
    struct host *host;
    struct http_exchange *exchange;
    struct vm *vm; /* held */
    const struct route *route;
    struct call_list *slow; /* the list to join when the answer may be late */

    /* For lua_http.c */
    struct fiber *fiber;  /* to be stopped when the peer goes; NULL for none */
    struct call **handle; /* the request userdata's pointer to this call, reset when it ends; NULL when there is none */
    int on_stop;          /* registry reference of the function to call when the handler is stopped */

    /* Late answers */
    uint64_t every_ms;
    uint64_t next_ns; /* when to send the next sign of life */
    bool streaming;
    bool listed;
    struct call *next, *prev;
};

/* Returns NULL when there is no memory. */
struct call *call_new(struct host *host, struct http_exchange *ex, struct vm *vm, const struct route *route,
                      struct call_list *slow);

/* If there is no answer after `after_ms`, the response becomes an event stream with a comment line every
 * `every_ms`; the body of the answer is then its one event (WHATWG HTML, server-sent events). */
void call_stream_when_slow(struct call *call, uint64_t after_ms, uint64_t every_ms);

/* Looks after the late calls of a list; to be called about once a second. */
void call_list_tick(struct call_list *list);

/* Answers and frees the call. */
void call_answer(struct call *call, const struct http_response *response);

/* Answers an exchange with what the policy for browsers asks for added (Fetch standard, CORS protocol). Also for
 * exchanges without a call. */
void call_respond(struct http_exchange *ex, const struct http_response *response);

/* Answers `{"error":"<reason phrase>"}`, with an `Allow`, `WWW-Authenticate` or other header if `name` is not NULL. */
void call_refuse(struct http_exchange *ex, int status, const char *name, const char *value);

#endif
