/* Standard input and output as a transport: messages are lines. What is written never mixes with anything
 * else, for nobody else writes to standard output while this is open.
 *
 * Everything belongs to the loop's thread. */
#ifndef SANDSTORM_STDIO_LINES_H
#define SANDSTORM_STDIO_LINES_H

#include <stdbool.h>
#include <stddef.h>
#include <uv.h>

#define STDIO_QUEUE_BYTES ((size_t)64 << 20) /* a reader that lets more wait has gone */

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

/* Stops reading, and frees once what was written has gone out and the loop has turned. NULL is allowed. */
void stdio_close(struct stdio *io);

#endif
