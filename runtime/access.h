/* Who may use the session API and /metrics, decided from the header section alone.
 *
 * Words used here
 *   direct caller  a program on this machine that speaks to the server without anything between: its address
 *                  is loopback, Host names loopback, and no header tells of a proxy or a browser. A web page,
 *                  a reverse proxy on the same machine and a name that was rebound to loopback are none
 *
 * The session API asks for its own bearer (keys.h), or with `session_open` lets direct callers in without;
 * /metrics asks for the bearer of /mcp, or with `metrics_open` lets direct callers in without. Whoever shows
 * a bearer is judged by it. */
#ifndef SANDSTORM_ACCESS_H
#define SANDSTORM_ACCESS_H

#include <stdbool.h>

struct http_request;
struct keys;

/* `open`: what the setting says. */
bool access_without_bearer(bool open, const struct http_request *request);

/* Does the request show the bearer of the session API? */
bool access_session_bearer(const struct keys *keys, const struct http_request *request);

#endif
