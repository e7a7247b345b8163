#include "call.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "clock.h"
#include "vm.h"

#define HEADERS_MAX 24

struct call *call_new(struct host *host, struct http_exchange *ex, struct vm *vm, const struct route *route,
                      struct call_list *slow)
{
    struct call *call = calloc(1, sizeof *call);
    if (call == NULL) return NULL;
    call->host = host;
    call->exchange = ex;
    call->vm = vm;
    call->route = route;
    call->slow = slow;
    vm_hold(vm);
    return call;
}

/* ---- late answers ------------------------------------------------------------------------------------ */

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

void call_stream_when_slow(struct call *call, uint64_t after_ms, uint64_t every_ms)
{
    call->every_ms = every_ms;
    call->next_ns = clock_ns() + after_ms * 1000000;
    if (call->listed) return;
    call->prev = NULL;
    call->next = call->slow->first;
    if (call->next != NULL) call->next->prev = call;
    call->slow->first = call;
    call->listed = true;
}

static size_t browser_headers(const struct http_exchange *ex, struct http_header *headers);

static void stream_begin(struct call *call)
{
    struct http_header headers[HEADERS_MAX] = {{"Cache-Control", "no-cache"}, {"X-Accel-Buffering", "no"}};
    struct http_response head = {.status = 200, .content_type = "text/event-stream", .headers = headers};
    head.header_count = 2 + browser_headers(call->exchange, headers + 2);
    http_stream_begin(call->exchange, &head);
    call->streaming = true;
}

void call_list_tick(struct call_list *list)
{
    static const char comment[] = ": working\n\n";
    uint64_t now = clock_ns();
    for (struct call *call = list->first; call != NULL; call = call->next) {
        if (now < call->next_ns || http_exchange_is_gone(call->exchange)) continue;
        if (!call->streaming) stream_begin(call);
        http_stream_send(call->exchange, comment, sizeof comment - 1);
        call->next_ns = now + call->every_ms * 1000000;
    }
}

/* One event; a line of the body each gets its own `data:` field. */
static void send_event(struct http_exchange *ex, const char *body, size_t len)
{
    struct buf event = BUF_INIT;
    buf_puts(&event, "event: message\n");
    while (len > 0) {
        const char *end = memchr(body, '\n', len);
        size_t line = end != NULL ? (size_t)(end - body) : len;
        buf_puts(&event, "data: ");
        buf_add(&event, body, line);
        buf_byte(&event, '\n');
        size_t used = end != NULL ? line + 1 : line;
        body += used;
        len -= used;
    }
    buf_byte(&event, '\n');
    if (!event.failed) http_stream_send(ex, event.data, event.len);
    buf_free(&event);
}

/* ---- answers ----------------------------------------------------------------------------------------- */

static size_t browser_headers(const struct http_exchange *ex, struct http_header *headers)
{
    const struct http_request *request = http_exchange_request(ex);
    if (http_request_header(request, "Origin", NULL) == NULL) return 0;
    headers[0] = (struct http_header){"Access-Control-Allow-Origin", "*"};
    headers[1] = (struct http_header){"Access-Control-Expose-Headers",
                                      "WWW-Authenticate, Mcp-Session-Id, MCP-Protocol-Version, Retry-After"};
    return 2;
}

void call_respond(struct http_exchange *ex, const struct http_response *response)
{
    struct http_header headers[HEADERS_MAX];
    struct http_response full = *response;
    size_t count = response->header_count < HEADERS_MAX - 2 ? response->header_count : HEADERS_MAX - 2;
    if (count > 0) memcpy(headers, response->headers, count * sizeof headers[0]);
    full.header_count = count + browser_headers(ex, headers + count);
    full.headers = headers;
    http_respond(ex, &full);
}

void call_refuse(struct http_exchange *ex, int status, const char *name, const char *value)
{
    char body[96];
    struct http_header header = {name, value};
    int len = snprintf(body, sizeof body, "{\"error\":\"%s\"}", status == 401 ? "Unauthorized" : http_status_text(status));
    struct http_response response = {.status = status,
                                     .content_type = "application/json",
                                     .headers = &header,
                                     .header_count = name != NULL ? 1 : 0,
                                     .body = body,
                                     .body_len = (size_t)len};
    call_respond(ex, &response);
}

void call_answer(struct call *call, const struct http_response *response)
{
    list_remove(call);
    if (call->handle != NULL) *call->handle = NULL;
    http_exchange_set_data(call->exchange, NULL);
    if (call->streaming) {
        send_event(call->exchange, response->body, response->body_len);
        http_stream_end(call->exchange);
    } else {
        call_respond(call->exchange, response);
    }
    vm_release(call->vm);
    free(call);
}
