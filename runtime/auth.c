#include "auth.h"

#include <openssl/crypto.h>
#include <openssl/evp.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#define DIGEST_SIZE 32

struct auth {
    EVP_MD *sha256; /* fetched once; fetching takes longer than the digest */
    unsigned char secret[DIGEST_SIZE];
};

static bool digest(const struct auth *auth, const char *text, size_t len, unsigned char out[DIGEST_SIZE])
{
    return EVP_Digest(text, len, out, NULL, auth->sha256, NULL) == 1;
}

struct auth *auth_new(const char *secret)
{
    struct auth *auth = calloc(1, sizeof *auth);
    if (auth == NULL) return NULL;
    auth->sha256 = EVP_MD_fetch(NULL, "SHA256", NULL);
    if (auth->sha256 != NULL && digest(auth, secret, strlen(secret), auth->secret)) return auth;
    auth_free(auth);
    return NULL;
}

void auth_free(struct auth *auth)
{
    if (auth == NULL) return;
    EVP_MD_free(auth->sha256);
    OPENSSL_cleanse(auth->secret, sizeof auth->secret);
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
    unsigned char seen[DIGEST_SIZE];
    size_t len;
    if (header == NULL) return AUTH_MISSING;
    const char *token = bearer_token(header, &len);
    if (token == NULL) return AUTH_MALFORMED;
    if (!digest(auth, token, len, seen)) return AUTH_REFUSED;
    if (CRYPTO_memcmp(seen, auth->secret, DIGEST_SIZE) != 0) return AUTH_REFUSED;
    *grant = (struct auth_grant){.means = AUTH_BY_SECRET};
    return AUTH_GRANTED;
}

bool auth_bearer_ok(const struct auth *auth, const char *header)
{
    struct auth_grant grant;
    return auth_check(auth, header, &grant) == AUTH_GRANTED;
}
