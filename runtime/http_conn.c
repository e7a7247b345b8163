/* One connection: what happens when. Handlers are called from the loop only (a read, a timer, a close), never
 * from inside one of their own calls. */
#include "http_internal.h"

#include <poll.h>

#define DRAIN_LINGER_MS 500 /* a server that goes down does not wait longer for its peers to close */

static void on_timer(uv_timer_t *timer);

static uint64_t now(const struct http_conn *c)
{
    return uv_now(c->server->loop);
}

/* The timer is left alone where it fires early enough: it then looks at the deadlines again. */
static void arm(struct http_conn *c)
{
    uint64_t due = c->deadline;

    if (c->write_deadline && (!due || c->write_deadline < due)) due = c->write_deadline;
    if (!due || (c->timer_due && c->timer_due <= due)) return;
    uint64_t from = now(c);
    c->timer_due = due;
    uv_timer_start(&c->timer, on_timer, due > from ? due - from : 0, 0);
}

/* Runs the parse loop from the event loop, not from here. */
static void schedule(struct http_conn *c)
{
    c->timer_due = now(c);
    uv_timer_start(&c->timer, on_timer, 0, 0);
}

static void on_shutdown(uv_shutdown_t *req, int status)
{
    struct http_conn *c = req->data;

    if (c->phase == PHASE_CLOSED) return;
    if (status < 0 || c->eof) {
        http_conn_kill(c);
        return;
    }
    uint64_t linger = c->server->limits.linger_ms;
    c->deadline = now(c) + (c->server->draining && linger > DRAIN_LINGER_MS ? DRAIN_LINGER_MS : linger);
    http_conn_settle(c);
}

void http_conn_flushed(struct http_conn *c)
{
    if (c->phase == PHASE_IDLE) c->deadline = now(c) + c->server->limits.idle_ms;
    if (c->phase != PHASE_LINGER) return;
    c->shutdown.data = c;
    if (uv_shutdown(&c->shutdown, (uv_stream_t *)&c->tcp, on_shutdown) != 0) http_conn_kill(c);
}

void http_conn_finish(struct http_conn *c)
{
    if (c->phase >= PHASE_LINGER) return;
    c->phase = PHASE_LINGER;
    c->deaf = true;
    c->deadline = 0;
    c->lingered += c->stash.len;
    buf_free(&c->stash);
    if (!http_write_queued(c)) http_conn_flushed(c);
    http_conn_settle(c);
}

void http_conn_refuse(struct http_conn *c, int status)
{
    struct http_exchange *ex = &c->ex;
    struct http_server *server = c->server;

    log_line(server->log, LOG_DEBUG, HTTP_LOGGER, "%s: refused with %d", c->peer, status);
    http_response_own(c, status);
    http_conn_finish(c);
    if (!ex->open || c->told) return;
    ex->gone = c->told = true;
    server->handler.gone(server->handler.data, ex);
}

void http_exchange_cling(struct http_exchange *ex)
{
    if (ex->gone) return;
    ex->clings = true;
    if (ex->conn->eof) http_conn_kill(ex->conn);
}

/* Ready for the next request. */
static void next(struct http_conn *c)
{
    c->phase = PHASE_IDLE;
    c->served = true;
    c->deadline = now(c) + c->server->limits.idle_ms;
    llhttp_resume(&c->parser);
    http_server_unlink(c->server, c);
    http_server_link(c->server, c);
    if (c->server->draining) http_conn_finish(c);
}

void http_conn_ignore_body(struct http_conn *c)
{
    c->deaf = true;
    c->phase = PHASE_ANSWER;
    c->deadline = 0;
}

void http_conn_answered(struct http_conn *c)
{
    c->ex.open = false;
    if (c->phase == PHASE_CLOSED) return;
    if (!c->ex.keep)
        http_conn_finish(c);
    else if (c->phase == PHASE_ANSWER)
        next(c);
    if (!c->feeding) http_conn_settle(c);
}

static void send_continue(struct http_conn *c)
{
    uv_buf_t line = {.base = (char *)"HTTP/1.1 100 Continue\r\n\r\n", .len = 25};

    if (c->has_body && c->parser.http_minor > 0 && http_request_header(&c->ex.request, "Expect", NULL))
        http_write(c, &line, 1);
}

/* After the handler saw the head: a status that ends the request all the same, or 0. */
static int unfit(const struct http_conn *c)
{
    const struct http_exchange *ex = &c->ex;

    if (!ex->open || ex->begun) return 0;
    if (!ex->accepted) return 500;
    return c->length > ex->body_limit ? 413 : 0;
}

static void on_head(struct http_conn *c)
{
    struct http_exchange *ex = &c->ex;

    int status = http_request_finish(c);
    if (status) {
        http_conn_refuse(c, status);
        return;
    }
    ex->open = true;
    ex->clings = false;
    c->told = false;
    c->server->handler.head(c->server->handler.data, ex);
    if (c->phase >= PHASE_ANSWER) return;
    status = unfit(c);
    if (status) {
        http_conn_refuse(c, status);
        return;
    }
    c->phase = PHASE_BODY;
    c->deadline = now(c) + c->server->limits.body_ms;
    if (ex->accepted) send_continue(c);
    llhttp_resume(&c->parser);
    c->again = true;
}

static void on_end(struct http_conn *c)
{
    struct http_exchange *ex = &c->ex;

    c->turns++;
    c->phase = PHASE_ANSWER;
    c->deadline = 0;
    if (!ex->open)
        next(c);
    else if (ex->accepted && !ex->begun)
        c->server->handler.request(c->server->handler.data, ex);
}

static void on_event(struct http_conn *c, enum http_event event)
{
    switch (event) {
    case HTTP_EVENT_MORE:
        break;
    case HTTP_EVENT_HEAD:
        on_head(c);
        break;
    case HTTP_EVENT_END:
        on_end(c);
        break;
    case HTTP_EVENT_BAD:
        http_conn_refuse(c, c->verdict);
        break;
    }
}

/* May the parser have more? A peer that does not read its answers gets no new ones made. */
static bool listens(const struct http_conn *c)
{
    if (c->deaf || c->phase >= PHASE_ANSWER) return false;
    return c->phase != PHASE_IDLE || http_write_queued(c) <= c->server->limits.write_high_water;
}

/* Parses until the input is used up or the connection has to wait; returns the bytes used. */
static size_t feed(struct http_conn *c, const char *at, size_t len)
{
    size_t done = 0;

    c->feeding = true;
    c->turns = 0;
    while (listens(c) && c->turns < HTTP_TURNS && (done < len || c->again)) {
        size_t used = 0;
        c->again = false;
        enum http_event event = http_parse(c, at + done, len - done, &used);
        done += used;
        on_event(c, event);
    }
    c->feeding = false;
    return done;
}

static void discard(struct http_conn *c, size_t len)
{
    c->lingered += len;
    if (c->lingered > c->server->limits.linger_bytes) http_conn_kill(c);
}

static void input(struct http_conn *c, const char *at, size_t len)
{
    size_t used = c->stash.len ? 0 : feed(c, at, len);

    if (c->phase == PHASE_CLOSED || used == len) return;
    if (c->deaf)
        discard(c, len - used);
    else if (!buf_add(&c->stash, at + used, len - used))
        http_conn_kill(c);
}

static void feed_stash(struct http_conn *c)
{
    size_t used = feed(c, c->stash.data, c->stash.len);

    if (c->phase >= PHASE_LINGER) return;
    if (used == c->stash.len)
        buf_free(&c->stash);
    else
        buf_consume(&c->stash, used);
}

/* The peer sends no more and everything was parsed: half a request is none. */
static void check_end(struct http_conn *c)
{
    if (!c->eof || c->stash.len) return;
    if (c->phase == PHASE_LINGER && !http_write_queued(c)) http_conn_kill(c);
    if (c->phase == PHASE_HEAD || c->phase == PHASE_BODY) http_conn_refuse(c, 400);
}

static void on_alloc(uv_handle_t *handle, size_t suggested, uv_buf_t *out)
{
    struct http_conn *c = handle->data;

    (void)suggested;
    *out = uv_buf_init(c->server->input, HTTP_READ_BYTES);
}

/* libuv reports a reset that comes together with data as an end of input. */
static bool hung_up(const struct http_conn *c)
{
    struct pollfd at = {.fd = -1, .events = 0, .revents = 0};

    return uv_fileno((const uv_handle_t *)&c->tcp, &at.fd) != 0 ||
           (poll(&at, 1, 0) > 0 && (at.revents & (POLLERR | POLLHUP)));
}

static void on_read(uv_stream_t *stream, ssize_t len, const uv_buf_t *bytes)
{
    struct http_conn *c = stream->data;

    if (len == 0 || c->phase == PHASE_CLOSED) return;
    if (len > 0) c->server->totals.bytes_in += (uint64_t)len;
    if (len > 0)
        input(c, bytes->base, (size_t)len);
    else if (len == UV_EOF && !hung_up(c) && !(c->ex.open && c->ex.clings))
        c->eof = true;
    else
        http_conn_kill(c);
    check_end(c);
    http_conn_settle(c);
}

static void settle_reading(struct http_conn *c)
{
    bool want = !c->eof && (c->deaf || c->stash.len < HTTP_STASH_BYTES);

    if (want == c->reading) return;
    c->reading = want;
    if (!want)
        uv_read_stop((uv_stream_t *)&c->tcp);
    else if (uv_read_start((uv_stream_t *)&c->tcp, on_alloc, on_read) != 0)
        http_conn_kill(c);
}

void http_conn_settle(struct http_conn *c)
{
    if (c->phase == PHASE_CLOSED || c->feeding) return;
    if (c->eof && !c->stash.len && c->phase == PHASE_IDLE) http_conn_finish(c);
    if (c->phase == PHASE_CLOSED) return;
    settle_reading(c);
    if (c->phase == PHASE_CLOSED) return;
    if (c->stash.len && listens(c))
        schedule(c);
    else
        arm(c);
}

static void check_writing(struct http_conn *c)
{
    if (!c->write_deadline || now(c) < c->write_deadline) return;
    size_t untaken = http_write_untaken(c);
    if (untaken >= c->write_seen) {
        log_line(c->server->log, LOG_DEBUG, HTTP_LOGGER, "%s: takes no output, closed", c->peer);
        http_conn_kill(c);
        return;
    }
    c->write_seen = untaken;
    c->write_deadline = now(c) + c->server->limits.write_ms;
}

static void check_phase(struct http_conn *c)
{
    if (!c->deadline || now(c) < c->deadline) return;
    c->deadline = 0;
    if (c->phase == PHASE_HEAD || c->phase == PHASE_BODY)
        http_conn_refuse(c, 408);
    else if (c->phase == PHASE_LINGER || !http_write_queued(c))
        http_conn_kill(c);
    else
        c->deadline = now(c) + c->server->limits.idle_ms;
}

static void on_timer(uv_timer_t *timer)
{
    struct http_conn *c = timer->data;

    c->timer_due = 0;
    if (c->stash.len && listens(c)) feed_stash(c);
    if (c->phase != PHASE_CLOSED) check_end(c);
    if (c->phase != PHASE_CLOSED) check_writing(c);
    if (c->phase != PHASE_CLOSED) check_phase(c);
    http_conn_settle(c);
}

void http_conn_start(struct http_conn *c)
{
    c->deadline = now(c) + c->server->limits.idle_ms;
    http_conn_settle(c);
}
