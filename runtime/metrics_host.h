/* The figures that are read when they are asked for: of the host, the loop and the process. */
#ifndef SANDSTORM_METRICS_HOST_H
#define SANDSTORM_METRICS_HOST_H

#include <stddef.h>
#include <stdint.h>

struct host;

/* Sets the gauges of everything below the scripts, and the counters of the HTTP server. `lua_bytes`: memory
 * of the state that serves. */
void metrics_host_collect(struct host *host, uint64_t generation, size_t lua_bytes);

#endif
