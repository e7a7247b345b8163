#include "auth.h"

#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "keys.h"

struct auth {
    const struct keys *keys;
};

struct auth *auth_new(const struct keys *keys)
{
    struct auth *auth = calloc(1, sizeof *auth);
    if (auth != NULL) auth->keys = keys;
    return auth;
}

void auth_free(struct auth *auth)
{
    free(auth);
}

static bool is_blank(char c)
{
    return c == ' ' || c == '\t';
}

/* The token of a bearer header, NULL if it is none. */
static const char *bearer_token(const char *header, size_t *len)
{
    static const char scheme[] = "Bearer";
    while (is_blank(*header))
        header++;
    if (strncasecmp(header, scheme, sizeof scheme - 1) != 0) return NULL;
    const char *token = header + sizeof scheme - 1;
    if (!is_blank(*token)) return NULL;
    while (is_blank(*token))
        token++;
    *len = strlen(token);
    while (*len > 0 && is_blank(token[*len - 1]))
        *len -= 1;
    return *len > 0 ? token : NULL;
}

enum auth_result auth_check(const struct auth *auth, const char *header, struct auth_grant *grant)
{
    size_t len;
    if (header == NULL) return AUTH_MISSING;
    const char *token = bearer_token(header, &len);
    if (token == NULL) return AUTH_MALFORMED;
    if (!keys_is_secret(auth->keys, token, len)) return AUTH_REFUSED;
    *grant = (struct auth_grant){.means = AUTH_BY_SECRET};
    return AUTH_GRANTED;
}

bool auth_bearer_ok(const struct auth *auth, const char *header)
{
    struct auth_grant grant;
    return auth_check(auth, header, &grant) == AUTH_GRANTED;
}
