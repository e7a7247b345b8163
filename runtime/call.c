#include "call.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "clock.h"
#include "host.h"
#include "vm.h"

#define HEADERS_MAX 24

/* Nobody reads the answer any more. */
static void tell_runner(struct call *call)
{
    if (call->unheard != NULL) call->unheard(call);
}

#define EXPOSED "WWW-Authenticate, Retry-After"

static size_t browser_headers(const struct cors *cors, struct http_header *headers);

/* The peer left. Without a complete body no handler will answer, so the call ends here. */
static void on_gone(struct exchange_owner *self)
{
    struct call *call = (struct call *)self;
    if (call->started)
        tell_runner(call);
    else
        call_answer(call, &(struct http_response){.status = 400});
}

struct call *call_new(struct host *host, struct http_exchange *ex, struct vm *vm, const struct route *route,
                      const struct cors *cors, struct call_list *slow)
{
    struct call *call = calloc(1, sizeof *call);
    if (call == NULL) return NULL;
    call->owner_of_exchange.gone = on_gone;
    call->host = host;
    call->exchange = ex;
    call->vm = vm;
    call->route = route;
    call->cors = *cors;
    call->slow = slow;
    vm_hold(vm);
    http_exchange_set_data(ex, call);
    return call;
}

/* ---- streams ----------------------------------------------------------------------------------------- */

static void list_remove(struct call *call)
{
    if (!call->listed) return;
    if (call->prev != NULL)
        call->prev->next = call->next;
    else
        call->slow->first = call->next;
    if (call->next != NULL) call->next->prev = call->prev;
    call->listed = false;
}

static void free_late(struct call *call)
{
    free((char *)call->late.id);
    free((char *)call->late.owner);
    call->late = (struct call_late){.after_ms = 0};
}

void call_stream_when_slow(struct call *call, const struct call_late *late)
{
    free_late(call);
    call->late = *late;
    call->late.id = late->id != NULL ? strdup(late->id) : NULL;
    call->late.owner = late->owner != NULL ? strdup(late->owner) : NULL;
    call->due_ns = clock_ns() + late->after_ms * 1000000;
    if (call->listed || call->streamed) return;
    call->prev = NULL;
    call->next = call->slow->first;
    if (call->next != NULL) call->next->prev = call;
    call->slow->first = call;
    call->listed = true;
}

static void on_stream_over(void *data)
{
    struct call *call = data;
    call->stream = NULL;
    tell_runner(call);
}

/* The caller's headers and those that every stream has. */
static size_t stream_headers(const struct cors *cors, struct http_header *all,
                             const struct http_header *headers, size_t count)
{
    if (count > HEADERS_MAX - 5) count = HEADERS_MAX - 5;
    if (count > 0) memcpy(all, headers, count * sizeof *all);
    all[count++] = (struct http_header){"Cache-Control", "no-cache"};
    all[count++] = (struct http_header){"X-Accel-Buffering", "no"};
    return count + browser_headers(cors, all + count);
}

bool call_stream(struct call *call, const struct stream_options *options, const struct http_header *headers,
                 size_t header_count)
{
    struct http_header all[HEADERS_MAX];
    if (call->streamed || call->exchange == NULL) return false;
    size_t count = stream_headers(&call->cors, all, headers, header_count);
    call->stream = stream_open(call->host->streams, call->exchange, options, all, count);
    if (call->stream == NULL) return false;
    list_remove(call);
    call->streamed = true;
    call->exchange = NULL;
    stream_on_over(call->stream, on_stream_over, call);
    return true;
}

bool call_resume(struct call *call, const char *event_id, const struct http_header *headers,
                 size_t header_count)
{
    struct http_header all[HEADERS_MAX];
    if (call->streamed || call->exchange == NULL) return false;
    size_t count = stream_headers(&call->cors, all, headers, header_count);
    if (!stream_resume(call->host->streams, event_id, call->exchange, all, count)) return false;
    list_remove(call);
    call->streamed = call->detached = true;
    call->exchange = NULL;
    return true;
}

static void stream_late(struct call *call)
{
    const struct call_late *late = &call->late;
    const struct stream_options options = {
        .id = late->id, .owner = late->owner, .kept = late->kept, .every_ms = late->every_ms};
    call->was_late = call_stream(call, &options, NULL, 0);
    if (!call->was_late) return;
    if (late->primed) stream_prime(call->stream, 0);
    stream_comment(call->stream);
}

void call_list_tick(struct call_list *list)
{
    uint64_t now = clock_ns();
    for (struct call *call = list->first, *next; call != NULL; call = next) {
        next = call->next;
        if (now < call->due_ns) continue;
        list_remove(call);
        if (!http_exchange_is_gone(call->exchange)) stream_late(call);
    }
}

/* ---- answers ----------------------------------------------------------------------------------------- */

static size_t browser_headers(const struct cors *cors, struct http_header *headers)
{
    size_t count = 0;
    if (cors->varies) headers[count++] = (struct http_header){"Vary", "Origin"};
    if (cors->origin == NULL) return count;
    headers[count++] = (struct http_header){"Access-Control-Allow-Origin", cors->origin};
    headers[count++] = (struct http_header){"Access-Control-Expose-Headers",
                                            cors->exposed != NULL ? cors->exposed : EXPOSED};
    return count;
}

void call_respond(struct http_exchange *ex, const struct cors *cors, const struct http_response *response)
{
    struct http_header headers[HEADERS_MAX];
    struct http_response full = *response;
    size_t count = response->header_count < HEADERS_MAX - 3 ? response->header_count : HEADERS_MAX - 3;
    if (count > 0) memcpy(headers, response->headers, count * sizeof headers[0]);
    full.header_count = count + browser_headers(cors, headers + count);
    full.headers = headers;
    http_respond(ex, &full);
}

void call_refuse(struct http_exchange *ex, const struct cors *cors, int status, const char *name,
                 const char *value)
{
    char body[96];
    struct http_header header = {name, value};
    int len = snprintf(body, sizeof body, "{\"error\":\"%s\"}", http_status_text(status));
    struct http_response response = {.status = status,
                                     .content_type = "application/json",
                                     .headers = &header,
                                     .header_count = name != NULL ? 1 : 0,
                                     .body = body,
                                     .body_len = (size_t)len};
    call_respond(ex, cors, &response);
}

static void end_stream(struct call *call, const struct http_response *response)
{
    if (call->stream == NULL) return;
    stream_on_over(call->stream, NULL, NULL);
    if (call->detached) return;
    if (response->body_len > 0) stream_send(call->stream, response->body, response->body_len);
    stream_end(call->stream);
}

void call_answer(struct call *call, const struct http_response *response)
{
    list_remove(call);
    if (call->handle != NULL) *call->handle = NULL;
    if (call->exchange != NULL) {
        http_exchange_set_data(call->exchange, NULL);
        call_respond(call->exchange, &call->cors, response);
    }
    end_stream(call, response);
    vm_release(call->vm);
    free_late(call);
    free(call);
}
