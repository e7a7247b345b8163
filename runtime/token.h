/* Access tokens: reading what the authorization server (lib/oauth/) and v0.1.0 signed.
 *
 *   sa1.<payload>.<signature>   ours: base64url of a JSON object and of its HMAC under a subkey. The payload
 *                               has f family, b begin of the family (ms), h origin, t issued, e expiry (s)
 *   <signature>.<payload>       v0.1.0's: HMAC under the raw secret over the decoded payload. It has k
 *                               "access", t issued (ms), c client, and lives 30 days
 *
 * Texts are read strictly: one text for each token. Thread-safe once made. */
#ifndef SANDSTORM_TOKEN_H
#define SANDSTORM_TOKEN_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct keys;
struct token_reader;

#define TOKEN_LENGTH_MAX 4096
#define TOKEN_FAMILY_SIZE 40
#define TOKEN_AUDIENCE_SIZE 512

struct token_claims {
    bool old;                           /* of v0.1.0: no audience */
    char family[TOKEN_FAMILY_SIZE];     /* an old token is a family of its own, named by its hash */
    int64_t begin_ms;                   /* of the family */
    int64_t finish;                     /* of the token, seconds since 1970 */
    char audience[TOKEN_AUDIENCE_SIZE]; /* origin of the server that it was issued for */
};

enum token_result { TOKEN_GOOD, TOKEN_EXPIRED, TOKEN_BAD };

/* Borrows the keys, which are loaded. `old_too`: also read tokens of v0.1.0. NULL without memory. */
struct token_reader *token_reader_new(const struct keys *keys, bool old_too);

/* NULL is allowed. */
void token_reader_free(struct token_reader *reader);

/* Checks signature, kind and times; `claims` is filled for TOKEN_GOOD. Whom the token is for and whether it
 * was revoked is for the caller to check. */
enum token_result token_read(const struct token_reader *reader, const char *text, size_t len, int64_t now_ms,
                             struct token_claims *claims);

#endif
