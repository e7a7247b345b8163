/* One https request to a host of the public internet, for documents that strangers name: no redirects, no
 * proxy, no cookies, bounded in time and size. Blocks: for the thread pool. Thread-safe. */
#ifndef SANDSTORM_FETCH_H
#define SANDSTORM_FETCH_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/socket.h>

#include "buf.h"

#define FETCH_MESSAGE_SIZE 160

struct fetch_request {
    const char *url;         /* https */
    const char *ca_file;     /* certificates to trust; NULL or "": the system's */
    const char *private_for; /* comma separated host names that may have addresses that are not public */
    const char *user_agent;
    int64_t timeout_ms; /* for everything */
    size_t limit;       /* of the body; more is a failure */
};

struct fetch_response {
    long status;
    struct buf body;
    char content_type[128], cache_control[128]; /* "" without one */
    char message[FETCH_MESSAGE_SIZE];
};

/* True for any HTTP answer. False: one line in `message`. The caller frees response->body either way. Every
 * address is judged when it is connected to, so a name cannot change its mind in between. */
bool fetch_get(const struct fetch_request *request, struct fetch_response *response);

/* Is the address of the public internet, rather than of this host, its network, or none at all? */
bool fetch_is_public(const struct sockaddr *address);

#endif
