/* Standard input and output as a transport: messages are lines. What is written never mixes with anything
 * else, for nobody else writes to standard output while this is open.
 *
 * Everything belongs to the loop's thread. */
#ifndef SANDSTORM_STDIO_LINES_H
#define SANDSTORM_STDIO_LINES_H

#include <stdbool.h>
#include <stddef.h>
#include <uv.h>

#define STDIO_QUEUE_BYTES ((size_t)64 << 20)     /* a reader that lets more wait has gone */
#define STDIO_HIGH_WATER (STDIO_QUEUE_BYTES / 4) /* above, nothing is read until half of that was taken */

struct stdio;

struct stdio_handler {
    void *data;
    /* A line without its end. One that is longer than the limit comes as an empty one; empty lines do not
     * come. */
    void (*line)(void *data, const char *text, size_t len);
    /* Once: the input is over, or nobody reads the output any more. */
    void (*end)(void *data);
};

/* Begins to read. NULL on failure, with one line in `error`. */
struct stdio *stdio_open(uv_loop_t *loop, size_t line_limit, const struct stdio_handler *handler, char *error,
                         size_t error_size);

/* Writes a line; `text` has no line end. Does nothing once nobody reads. */
void stdio_write(struct stdio *io, const char *text, size_t len);

/* How many bytes wait for the reader. 0 for NULL. */
size_t stdio_queued(const struct stdio *io);

/* Stops reading, drops what waits, and frees once the loop has turned. NULL is allowed. */
void stdio_close(struct stdio *io);

#endif
