#include "auth.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "bearer.h"
#include "clock.h"
#include "grants.h"
#include "keys.h"
#include "token.h"

struct auth {
    const struct keys *keys;
    struct grants *grants;
    struct token_reader *tokens;
};

struct auth *auth_new(const struct keys *keys, struct grants *grants, bool old_too)
{
    struct auth *auth = calloc(1, sizeof *auth);
    if (auth == NULL) return NULL;
    auth->keys = keys;
    auth->grants = grants;
    auth->tokens = token_reader_new(keys, old_too);
    if (auth->tokens != NULL) return auth;
    free(auth);
    return NULL;
}

void auth_free(struct auth *auth)
{
    if (auth == NULL) return;
    token_reader_free(auth->tokens);
    free(auth);
}

/* A token of v0.1.0 joins the list when it is first seen, so that it can be revoked alone. */
static void note_use(struct grants *grants, const struct token_claims *claims, int64_t now)
{
    if (claims->old && grants_find(grants, claims->family) == NULL) {
        struct grant grant = {.start_ms = claims->begin_ms, .finish = claims->finish};
        snprintf(grant.id, sizeof grant.id, "%s", claims->family);
        snprintf(grant.name, sizeof grant.name, "token of v0.1.0");
        snprintf(grant.where, sizeof grant.where, "unknown");
        grants_add(grants, &grant);
    }
    grants_use(grants, claims->family, now);
}

static enum auth_result check_token(const struct auth *auth, const char *token, size_t len,
                                    const char *audience, struct auth_grant *grant)
{
    struct token_claims claims;
    int64_t now_ms = clock_unix_ms();
    enum token_result result = token_read(auth->tokens, token, len, now_ms, &claims);
    if (result != TOKEN_GOOD) return result == TOKEN_EXPIRED ? AUTH_EXPIRED : AUTH_REFUSED;
    if (!claims.old && strcasecmp(claims.audience, audience) != 0) return AUTH_REFUSED;
    if (grants_refuse(auth->grants, claims.family, claims.begin_ms)) return AUTH_REFUSED;
    note_use(auth->grants, &claims, now_ms / 1000);
    snprintf(grant->principal, sizeof grant->principal, "grant:%s", claims.family);
    return AUTH_GRANTED;
}

enum auth_result auth_check(const struct auth *auth, const char *header, const char *audience,
                            struct auth_grant *grant)
{
    size_t len;
    if (header == NULL) return AUTH_MISSING;
    const char *token = bearer_token(header, &len);
    if (token == NULL) return AUTH_MALFORMED;
    if (!keys_is_secret(auth->keys, token, len)) return check_token(auth, token, len, audience, grant);
    snprintf(grant->principal, sizeof grant->principal, "secret");
    return AUTH_GRANTED;
}
