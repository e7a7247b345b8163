/* Origins: which web pages may call, and under which address this server is known (RFC 6454, Fetch standard).
 *
 * An origin is scheme, host and port. Browsers name the one of the calling page in the Origin header; a page
 * that made a browser resolve its own name to this host (DNS rebinding) is told apart by it. The Host header
 * therefore never counts as "our own origin"; the configured public URL does. */
#ifndef SANDSTORM_ORIGIN_H
#define SANDSTORM_ORIGIN_H

#include <stdbool.h>
#include <stddef.h>

struct config;
struct http_request;
struct origin_policy;

/* Copies what it needs of public_url (an https origin, or http on loopback), allowed_origins (origins, comma
 * separated; `*` among them means any) and forwarded_allow_ips (addresses likewise). NULL on failure, then
 * `error` has one line that names the setting. */
struct origin_policy *origin_policy_new(const struct config *config, char *error, size_t error_size);

/* NULL is allowed. */
void origin_policy_free(struct origin_policy *policy);

/* Judges an Origin header, NULL for none. Allowed are: none; http and https on a loopback host; schemes that
 * are not of the web (editors' and desktop clients' pages); the public URL's; those of the list. Refused is
 * everything else, `null` too. A request with more than one Origin header must be refused by the caller. */
bool origin_allowed(const struct origin_policy *policy, const char *origin);

/* Is that a Host value: a name or address, perhaps with a port? */
bool origin_is_host(const char *host);

/* Does what a peer forwards count? */
bool origin_trusts(const struct origin_policy *policy, const char *peer);

/* The origin under which the client reached this server: the public URL, or else scheme and host - those that
 * a trusted peer forwarded, http and the Host header (localhost without one) where it did not. False if these
 * cannot stand in a URL or were forwarded more than once; ORIGIN_SIZE is room enough for all others. */
#define ORIGIN_SIZE 512
bool origin_of_request(const struct origin_policy *policy, const struct http_request *request, char *out,
                       size_t size);

#endif
