/* Who really calls when proxies stand between: for limits and logs, never for permission. */
#ifndef SANDSTORM_CLIENT_ADDRESS_H
#define SANDSTORM_CLIENT_ADDRESS_H

#define CLIENT_ADDRESS_SIZE 64

struct http_request;
struct origin_policy;

/* The last address of X-Forwarded-For that no trusted proxy has, where the peer is such a proxy; else the
 * peer. Where any peer is trusted (`*`) it is the last address. */
void client_address(const struct origin_policy *policy, const struct http_request *request,
                    char out[CLIENT_ADDRESS_SIZE]);

/* What is counted as one caller: the address, or the /64 of an IPv6 address. Returns `out`. */
const char *client_network(const char *address, char out[CLIENT_ADDRESS_SIZE]);

#endif
