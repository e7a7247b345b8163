/* The gate: everything that is decided about a request when its header section is there and before a byte of
 * its body is read - host, route, origin, bearer, limits, method, media type. */
#ifndef SANDSTORM_GATE_H
#define SANDSTORM_GATE_H

#include "call.h"
#include "host.h"

struct auth;

struct gate {
    struct host *host;      /* scripts and origins are there */
    struct auth *auth;      /* borrowed */
    struct call_list *slow; /* see call.h */
};

/* Answers the request or accepts it as a call. */
void gate_head(struct gate *gate, struct http_exchange *ex);

#endif
