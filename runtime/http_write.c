/* The output queue of a connection: what the socket does not take at once is copied once into `out`, and
 * handed to libuv slice by slice, so that progress shows. */
#include "http_internal.h"

#include <linux/sockios.h>
#include <string.h>
#include <sys/ioctl.h>

static void write_next(struct http_conn *c);

size_t http_write_queued(const struct http_conn *c)
{
    return c->out.len + (c->flying.len - c->fly_off) +
           uv_stream_get_write_queue_size((const uv_stream_t *)&c->tcp);
}

size_t http_write_untaken(const struct http_conn *c)
{
    int fd, held = 0;

    if (uv_fileno((const uv_handle_t *)&c->tcp, &fd) != 0 || ioctl(fd, SIOCOUTQ, &held) != 0) held = 0;
    return http_write_queued(c) + (size_t)held;
}

void http_write_free(struct http_conn *c)
{
    buf_free(&c->out);
    buf_free(&c->flying);
    c->fly_off = 0;
}

static void write_finished(struct http_conn *c)
{
    c->write_deadline = 0;
    http_write_free(c);
    http_conn_flushed(c);
}

static void write_signal(struct http_conn *c)
{
    struct http_exchange *ex = &c->ex;

    if (!ex->pressure || http_write_queued(c) > c->server->limits.write_high_water / 2) return;
    ex->pressure = false;
    if (ex->open && !ex->gone && ex->drained) ex->drained(ex->drained_data);
}

static void on_written(uv_write_t *req, int status)
{
    struct http_conn *c = req->data;

    c->writing = false;
    if (c->phase == PHASE_CLOSED) return;
    if (status < 0) {
        http_conn_kill(c);
        return;
    }
    write_next(c);
    if (c->phase == PHASE_CLOSED) return;
    if (!c->writing) write_finished(c);
    write_signal(c);
    http_conn_settle(c);
}

/* The next slice; the two buffers swap when the flying one is used up. */
static uv_buf_t write_slice(struct http_conn *c)
{
    if (c->fly_off == c->flying.len) {
        struct buf used = c->flying;
        c->flying = c->out;
        c->out = used;
        c->fly_off = 0;
        buf_clear(&c->out);
    }
    size_t len = c->flying.len - c->fly_off;
    if (len > HTTP_SLICE_BYTES) len = HTTP_SLICE_BYTES;
    uv_buf_t slice = uv_buf_init(c->flying.data + c->fly_off, (unsigned)len);
    c->fly_off += len;
    return slice;
}

static void write_next(struct http_conn *c)
{
    if (c->writing || (c->fly_off == c->flying.len && !c->out.len)) return;
    uv_buf_t slice = write_slice(c);
    c->write.data = c;
    c->writing = true;
    if (uv_write(&c->write, (uv_stream_t *)&c->tcp, &slice, 1, on_written) != 0) {
        c->writing = false;
        http_conn_kill(c);
        return;
    }
    c->write_deadline = uv_now(c->server->loop) + c->server->limits.write_ms;
    c->write_seen = http_write_untaken(c);
}

/* Writes what the socket takes now; returns the bytes taken, or -1 when the connection is lost. */
static ssize_t write_now(struct http_conn *c, uv_buf_t *parts, unsigned count)
{
    if (c->writing) return 0;
    int sent = uv_try_write((uv_stream_t *)&c->tcp, parts, count);
    if (sent == UV_EAGAIN) return 0;
    return sent < 0 ? -1 : sent;
}

/* Queues everything behind the first `skip` bytes. */
static bool write_queue(struct http_conn *c, const uv_buf_t *parts, unsigned count, size_t skip)
{
    for (unsigned i = 0; i < count; i++) {
        size_t pass = skip < parts[i].len ? skip : parts[i].len;
        skip -= pass;
        if (pass < parts[i].len) buf_add(&c->out, parts[i].base + pass, parts[i].len - pass);
    }
    return !c->out.failed;
}

void http_write(struct http_conn *c, uv_buf_t *parts, unsigned count)
{
    if (c->phase == PHASE_CLOSED) return;
    for (unsigned i = 0; i < count; i++)
        c->server->totals.bytes_out += parts[i].len;
    ssize_t sent = write_now(c, parts, count);
    if (sent < 0 || !write_queue(c, parts, count, (size_t)sent)) {
        http_conn_kill(c);
        return;
    }
    write_next(c);
}
