/* Bearer authentication of one request by its Authorization header (RFC 6750), decided before a body is read.
 *
 * A bearer is the shared secret, an access token that this server issued for the address under which it was
 * reached, or an access token of v0.1.0. The secret is compared by keys.h, so neither its length nor a common
 * prefix shows in the time it takes. Everything here belongs to the loop's thread. */
#ifndef SANDSTORM_AUTH_H
#define SANDSTORM_AUTH_H

#include <stdbool.h>
#include <stddef.h>

struct auth;
struct grants;
struct keys;

enum auth_result {
    AUTH_GRANTED,
    AUTH_MISSING,   /* no Authorization header */
    AUTH_MALFORMED, /* another scheme, or nothing behind the scheme */
    AUTH_REFUSED,   /* a bearer that opens nothing here */
    AUTH_EXPIRED    /* it did once */
};

/* Whom a granted request is from: "secret", or "grant:" and the id of the grant. */
#define AUTH_PRINCIPAL_SIZE 56
struct auth_grant {
    char principal[AUTH_PRINCIPAL_SIZE];
};

/* Borrows keys (loaded) and grants. `old_too`: tokens of v0.1.0 count. NULL when there is no memory. */
struct auth *auth_new(const struct keys *keys, struct grants *grants, bool old_too);

/* NULL is allowed. */
void auth_free(struct auth *auth);

/* Judges a header value, NULL for none. `audience` is the origin under which this server was reached. `grant`
 * is filled only for AUTH_GRANTED. The scheme counts in any case; blanks around the token do not count. */
enum auth_result auth_check(const struct auth *auth, const char *header, const char *audience,
                            struct auth_grant *grant);

#endif
