/* The worker: one loop serving HTTP, or standard input and output, with the current generation of the
 * scripts. Decides about a request before its body is read - route, origin, bearer, method - and hands what
 * is accepted to the route's Lua handler.
 *
 * Shutdown (SIGTERM, SIGINT): no new connections; running calls get config.stop_ms, then they are stopped;
 * every child process is ended; the loop runs dry. A second signal stops the calls at once. */
#ifndef SANDSTORM_WORKER_H
#define SANDSTORM_WORKER_H

#include <stdbool.h>
#include <stddef.h>
#include <uv.h>

#include "host.h"

/* Serves until a signal, or with COMMAND_STDIO the end of standard input, ends it. False when it could not
 * start, with one line in `error`. */
bool worker_serve(struct host *host, const char *tools, const char *library, char *error, size_t error_size);

#endif
