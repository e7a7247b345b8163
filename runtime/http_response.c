/* Exchanges as the handler sees them: response heads, single answers, streams. */
#include "http_internal.h"

#include <stdio.h>
#include <string.h>
#include <time.h>

#include "clock.h"

enum framing { LENGTH_NONE, LENGTH_KNOWN, LENGTH_CHUNKED, LENGTH_CLOSE };

static void format_date(char *out, size_t size, time_t second)
{
    static const char days[] = "SunMonTueWedThuFriSat";
    static const char months[] = "JanFebMarAprMayJunJulAugSepOctNovDec";
    struct tm tm;

    gmtime_r(&second, &tm);
    snprintf(out, size, "%.3s, %02d %.3s %04d %02d:%02d:%02d GMT", days + (size_t)tm.tm_wday * 3, tm.tm_mday,
             months + (size_t)tm.tm_mon * 3, (tm.tm_year + 1900) % 10000, tm.tm_hour, tm.tm_min, tm.tm_sec);
}

static const char *server_date(struct http_server *server)
{
    int64_t second = clock_unix_ms() / 1000;

    if (second != server->date_second) {
        server->date_second = second;
        format_date(server->date, sizeof server->date, (time_t)second);
    }
    return server->date;
}

static void put_line(struct buf *out, const char *name, const char *value)
{
    buf_puts(out, name);
    buf_add(out, ": ", 2);
    buf_puts(out, value);
    buf_add(out, "\r\n", 2);
}

/* A line break inside would let its author write headers of his own. */
static bool is_clean(const struct http_header *header)
{
    return !strpbrk(header->name, "\r\n") && !strpbrk(header->value, "\r\n");
}

static void put_headers(struct http_conn *c, struct buf *out, const struct http_response *response)
{
    for (size_t i = 0; i < response->header_count; i++) {
        const struct http_header *header = &response->headers[i];
        if (is_clean(header))
            put_line(out, header->name, header->value);
        else
            log_line(c->server->log, LOG_ERROR, HTTP_LOGGER, "response header dropped: line break in it");
    }
}

static void put_number(struct buf *out, size_t number)
{
    char digits[24], *at = digits + sizeof digits;

    do
        *--at = (char)('0' + number % 10);
    while ((number /= 10) != 0);
    buf_add(out, at, (size_t)(digits + sizeof digits - at));
}

static void put_framing(struct buf *out, enum framing framing, size_t len)
{
    if (framing == LENGTH_CHUNKED) put_line(out, "Transfer-Encoding", "chunked");
    if (framing != LENGTH_KNOWN) return;
    buf_puts(out, "Content-Length: ");
    put_number(out, len);
    buf_add(out, "\r\n", 2);
}

static void put_head(struct http_conn *c, const struct http_response *response, enum framing framing)
{
    struct buf *out = &c->server->scratch;

    if (response->status >= 100 && response->status < 600)
        c->server->totals.responses[response->status - 100]++;
    buf_clear(out);
    buf_puts(out, "HTTP/1.1 ");
    put_number(out, (size_t)response->status);
    buf_byte(out, ' ');
    buf_puts(out, http_status_text(response->status));
    buf_add(out, "\r\n", 2);
    put_line(out, "Date", server_date(c->server));
    if (response->content_type) put_line(out, "Content-Type", response->content_type);
    put_framing(out, framing, response->body_len);
    if (!c->ex.keep)
        put_line(out, "Connection", "close");
    else if (c->parser.http_minor == 0)
        put_line(out, "Connection", "keep-alive");
    put_headers(c, out, response);
    buf_add(out, "\r\n", 2);
}

/* An answer before the end of the message ends the connection: what is left of it is never parsed. */
static bool keeps(const struct http_conn *c)
{
    if (!c->persistent || c->server->draining) return false;
    if (c->eof && !c->stash.len) return false;
    return c->phase == PHASE_ANSWER || !c->has_body;
}

static bool has_no_content(int status)
{
    return status == 204 || status == 304 || status < 200;
}

static void send_parts(struct http_conn *c, const void *body, size_t len)
{
    struct buf *head = &c->server->scratch;
    uv_buf_t parts[] = {{.base = head->data, .len = head->len}, {.base = (char *)body, .len = len}};

    if (head->failed) {
        http_conn_kill(c);
        return;
    }
    http_write(c, parts, len ? 2 : 1);
}

static void send_whole(struct http_conn *c, const struct http_response *response)
{
    bool empty = has_no_content(response->status);

    put_head(c, response, empty ? LENGTH_NONE : LENGTH_KNOWN);
    send_parts(c, response->body, empty || c->ex.bodyless ? 0 : response->body_len);
}

void http_response_own(struct http_conn *c, int status)
{
    char body[160];
    int len = snprintf(body, sizeof body, "{\"error\":\"%s\"}",
                       c->wrong != NULL ? c->wrong : http_status_text(status));
    /* nothing in it that a page of any origin may not read */
    const struct http_header readable = {"Access-Control-Allow-Origin", "*"};
    const struct http_response response = {.status = status,
                                           .content_type = "application/json",
                                           .headers = &readable,
                                           .header_count = 1,
                                           .body = body,
                                           .body_len = (size_t)len};

    c->ex.keep = false;
    send_whole(c, &response);
}

const struct http_request *http_exchange_request(const struct http_exchange *ex)
{
    return &ex->request;
}

void http_exchange_set_data(struct http_exchange *ex, void *data)
{
    ex->data = data;
}

void *http_exchange_data(const struct http_exchange *ex)
{
    return ex->data;
}

bool http_exchange_is_gone(const struct http_exchange *ex)
{
    return ex->gone;
}

void http_accept(struct http_exchange *ex, size_t body_limit)
{
    ex->accepted = true;
    ex->body_limit = body_limit;
}

/* The answer of a vanished peer's exchange is over. */
static void drop(struct http_exchange *ex)
{
    ex->open = false;
    http_conn_release(ex->conn);
}

void http_respond(struct http_exchange *ex, const struct http_response *response)
{
    struct http_conn *c = ex->conn;

    if (ex->gone) {
        drop(ex);
        return;
    }
    ex->keep = keeps(c);
    send_whole(c, response);
    http_conn_answered(c);
}

static void send_chunk(struct http_conn *c, const void *bytes, size_t len)
{
    char size[24];
    int digits = snprintf(size, sizeof size, "%zx\r\n", len);
    uv_buf_t parts[] = {{.base = size, .len = (size_t)digits},
                        {.base = (char *)bytes, .len = len},
                        {.base = (char *)"\r\n", .len = 2}};

    http_write(c, parts, 3);
}

static void send_first(struct http_conn *c, const struct http_response *response)
{
    struct buf *head = &c->server->scratch;

    if (c->ex.chunked && response->body_len) {
        buf_printf(head, "%zx\r\n", response->body_len);
        buf_add(head, response->body, response->body_len);
        buf_add(head, "\r\n", 2);
        send_parts(c, NULL, 0);
    } else {
        send_parts(c, response->body, response->body_len);
    }
}

void http_stream_begin(struct http_exchange *ex, const struct http_response *response)
{
    struct http_conn *c = ex->conn;

    ex->begun = true;
    if (ex->gone) return;
    ex->keep = keeps(c) && c->parser.http_minor > 0;
    ex->chunked = c->parser.http_minor > 0 && !ex->bodyless;
    if (c->phase != PHASE_ANSWER && c->has_body) http_conn_ignore_body(c);
    put_head(c, response, c->parser.http_minor > 0 ? LENGTH_CHUNKED : LENGTH_CLOSE);
    if (ex->bodyless)
        send_parts(c, NULL, 0);
    else
        send_first(c, response);
    http_conn_settle(c);
}

bool http_stream_send(struct http_exchange *ex, const void *bytes, size_t len)
{
    struct http_conn *c = ex->conn;

    if (ex->gone || ex->bodyless || len == 0) return true;
    if (ex->chunked) {
        send_chunk(c, bytes, len);
    } else {
        uv_buf_t part = {.base = (char *)bytes, .len = len};
        http_write(c, &part, 1);
    }
    if (ex->gone) return true;
    ex->pressure = http_write_queued(c) > c->server->limits.write_high_water;
    http_conn_settle(c);
    return !ex->pressure;
}

size_t http_stream_queued(const struct http_exchange *ex)
{
    return http_write_queued(ex->conn);
}

void http_stream_on_drained(struct http_exchange *ex, void (*drained)(void *data), void *data)
{
    ex->drained = drained;
    ex->drained_data = data;
}

void http_stream_end(struct http_exchange *ex)
{
    struct http_conn *c = ex->conn;
    uv_buf_t last = {.base = (char *)"0\r\n\r\n", .len = 5};

    if (ex->gone) {
        drop(ex);
        return;
    }
    if (ex->chunked) http_write(c, &last, 1);
    http_conn_answered(c);
}
