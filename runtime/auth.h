/* Bearer authentication of one request by its Authorization header (RFC 6750), decided before a body is read.
 *
 * A credential is compared by keys.h, so neither the secret's length nor a common prefix shows in the time it
 * takes. Everything here may be used from any thread once it is made. */
#ifndef SANDSTORM_AUTH_H
#define SANDSTORM_AUTH_H

#include <stdbool.h>
#include <stddef.h>

struct auth;
struct keys;

enum auth_result {
    AUTH_GRANTED,
    AUTH_MISSING,   /* no Authorization header */
    AUTH_MALFORMED, /* another scheme, or nothing behind the scheme */
    AUTH_REFUSED    /* a bearer that opens nothing here */
};

/* What a granted request was let in by. */
enum auth_means {
    AUTH_BY_SECRET /* the shared secret itself */
};

struct auth_grant {
    enum auth_means means;
};

/* Borrows the keys. NULL when there is no memory. */
struct auth *auth_new(const struct keys *keys);

/* NULL is allowed. */
void auth_free(struct auth *auth);

/* Judges a header value, NULL for none. `grant` is filled only for AUTH_GRANTED. The scheme counts in any
 * case; blanks around the token do not count. */
enum auth_result auth_check(const struct auth *auth, const char *header, struct auth_grant *grant);

/* auth_check for whoever only lets in or not. */
bool auth_bearer_ok(const struct auth *auth, const char *header);

#endif
