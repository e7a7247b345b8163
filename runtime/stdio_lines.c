#include "stdio_lines.h"

#include <errno.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "buf.h"

#define BLOCK_BYTES 65536

/* One of the two ends: a pipe, socket or terminal of the loop, or else a file. */
struct end {
    bool is_file;
    union {
        uv_handle_t handle;
        uv_stream_t stream;
        uv_pipe_t pipe;
        uv_tty_t tty;
    } uv;
};

struct stdio {
    uv_loop_t *loop;
    struct stdio_handler handler;
    struct end in, out;
    unsigned open_handles;
    uv_fs_t read; /* of a file */
    bool reading_file;
    char block[BLOCK_BYTES];
    struct buf line;
    size_t line_limit;
    bool too_long; /* the line that is being read */
    bool over, closing;
    bool paused; /* nothing is read: too much waits to be written */
};

struct pending {
    uv_write_t request;
    char bytes[];
};

static void free_if_closed(struct stdio *io)
{
    if (!io->closing || io->open_handles > 0 || io->reading_file) return;
    buf_free(&io->line);
    free(io);
}

static void on_closed(uv_handle_t *handle)
{
    struct stdio *io = handle->data;
    io->open_handles--;
    free_if_closed(io);
}

static void close_end(struct end *end)
{
    if (!end->is_file && !uv_is_closing(&end->uv.handle)) uv_close(&end->uv.handle, on_closed);
}

static void finish_input(struct stdio *io)
{
    if (io->over) return;
    io->over = true;
    io->handler.end(io->handler.data);
}

/* ---- lines ------------------------------------------------------------------------------------------- */

static void end_line(struct stdio *io)
{
    if (io->line.len > 0 && io->line.data[io->line.len - 1] == '\r') io->line.len--;
    bool failed = io->too_long || io->line.failed;
    if (failed)
        io->handler.line(io->handler.data, "", 0);
    else if (io->line.len > 0)
        io->handler.line(io->handler.data, io->line.data, io->line.len);
    if (failed) buf_free(&io->line);
    io->line.len = 0;
    io->too_long = false;
}

static void add_bytes(struct stdio *io, const char *bytes, size_t len)
{
    if (io->too_long || io->line.len + len > io->line_limit)
        io->too_long = true;
    else
        buf_add(&io->line, bytes, len);
}

static void take_block(struct stdio *io, const char *bytes, size_t len)
{
    while (len > 0 && !io->closing) {
        const char *end = memchr(bytes, '\n', len);
        size_t part = end != NULL ? (size_t)(end - bytes) : len;
        add_bytes(io, bytes, part);
        if (end != NULL) end_line(io);
        size_t used = end != NULL ? part + 1 : part;
        bytes += used;
        len -= used;
    }
}

/* The last line need not have an end. */
static void take_end(struct stdio *io)
{
    if (!io->closing && (io->line.len > 0 || io->too_long)) end_line(io);
    finish_input(io);
}

/* ---- reading ----------------------------------------------------------------------------------------- */

static void on_alloc(uv_handle_t *handle, size_t suggested, uv_buf_t *buf)
{
    struct stdio *io = handle->data;
    (void)suggested;
    *buf = uv_buf_init(io->block, BLOCK_BYTES);
}

static void on_read(uv_stream_t *stream, ssize_t count, const uv_buf_t *buf)
{
    struct stdio *io = stream->data;
    if (count > 0)
        take_block(io, buf->base, (size_t)count);
    else if (count < 0)
        take_end(io);
}

static void read_file(struct stdio *io);

static void on_file_read(uv_fs_t *request)
{
    struct stdio *io = request->data;
    ssize_t count = request->result;
    uv_fs_req_cleanup(request);
    io->reading_file = false;
    if (io->closing)
        free_if_closed(io);
    else if (count <= 0)
        take_end(io);
    else {
        take_block(io, io->block, (size_t)count);
        if (!io->paused) read_file(io);
    }
}

static void read_file(struct stdio *io)
{
    uv_buf_t buf = uv_buf_init(io->block, BLOCK_BYTES);
    io->read.data = io;
    io->reading_file = uv_fs_read(io->loop, &io->read, STDIN_FILENO, &buf, 1, -1, on_file_read) == 0;
}

static bool start_reading(struct stdio *io)
{
    io->paused = false;
    if (!io->in.is_file) return uv_read_start(&io->in.uv.stream, on_alloc, on_read) == 0;
    if (!io->reading_file) read_file(io);
    return true;
}

/* Who does not read is not read either. */
static void pace(struct stdio *io)
{
    size_t queued = stdio_queued(io);
    if (io->closing || io->over) return;
    if (io->paused && queued <= STDIO_HIGH_WATER / 2) start_reading(io);
    if (io->paused || queued <= STDIO_HIGH_WATER) return;
    io->paused = true;
    if (!io->in.is_file) uv_read_stop(&io->in.uv.stream);
}

/* ---- writing ----------------------------------------------------------------------------------------- */

static void on_written(uv_write_t *request, int status)
{
    struct stdio *io = request->data;
    free(request);
    if (status < 0 && status != UV_ECANCELED) finish_input(io);
    pace(io);
}

size_t stdio_queued(const struct stdio *io)
{
    return io != NULL && !io->out.is_file ? io->out.uv.stream.write_queue_size : 0;
}

static void write_file(struct stdio *io, const char *bytes, size_t len)
{
    while (len > 0) {
        ssize_t count = write(STDOUT_FILENO, bytes, len);
        if (count < 0 && errno == EINTR) continue;
        if (count < 0 && errno == EAGAIN) {
            poll(&(struct pollfd){.fd = STDOUT_FILENO, .events = POLLOUT}, 1, 1000);
            continue;
        }
        if (count <= 0) {
            finish_input(io);
            return;
        }
        bytes += count;
        len -= (size_t)count;
    }
}

void stdio_write(struct stdio *io, const char *text, size_t len)
{
    struct pending *pending = malloc(sizeof *pending + len + 1);
    if (pending == NULL) return;
    memcpy(pending->bytes, text, len);
    pending->bytes[len] = '\n';
    if (io->out.is_file) {
        write_file(io, pending->bytes, len + 1);
        free(pending);
        return;
    }
    uv_buf_t buf = uv_buf_init(pending->bytes, (unsigned)len + 1);
    pending->request.data = io;
    if (stdio_queued(io) > STDIO_QUEUE_BYTES || uv_is_closing(&io->out.uv.handle) ||
        uv_write(&pending->request, &io->out.uv.stream, &buf, 1, on_written) != 0) {
        free(pending);
        finish_input(io);
        return;
    }
    pace(io);
}

/* ---- life -------------------------------------------------------------------------------------------- */

static bool open_end(struct stdio *io, struct end *end, int fd)
{
    int failed = 0;
    uv_handle_type type = uv_guess_handle(fd);
    if (type == UV_TTY) {
        failed = uv_tty_init(io->loop, &end->uv.tty, fd, 0);
    } else if (type == UV_NAMED_PIPE || type == UV_TCP) {
        failed = uv_pipe_init(io->loop, &end->uv.pipe, 0);
        if (failed == 0) io->open_handles++, end->uv.handle.data = io;
        return failed == 0 && uv_pipe_open(&end->uv.pipe, fd) == 0;
    } else {
        end->is_file = true;
        return true;
    }
    if (failed == 0) io->open_handles++, end->uv.handle.data = io;
    return failed == 0;
}

struct stdio *stdio_open(uv_loop_t *loop, size_t line_limit, const struct stdio_handler *handler, char *error,
                         size_t error_size)
{
    struct stdio *io = calloc(1, sizeof *io);
    if (io == NULL) {
        snprintf(error, error_size, "not enough memory");
        return NULL;
    }
    io->loop = loop;
    io->handler = *handler;
    io->line_limit = line_limit;
    bool ok = open_end(io, &io->in, STDIN_FILENO);
    if (!ok) io->out.is_file = true;
    ok = ok && open_end(io, &io->out, STDOUT_FILENO);
    if (ok && start_reading(io)) return io;
    snprintf(error, error_size, "cannot use standard input and output");
    stdio_close(io);
    return NULL;
}

void stdio_close(struct stdio *io)
{
    if (io == NULL || io->closing) return;
    io->closing = io->over = true;
    if (io->in.uv.handle.data != NULL) close_end(&io->in);
    if (io->out.uv.handle.data != NULL) close_end(&io->out);
    if (io->open_handles == 0) free_if_closed(io);
}
