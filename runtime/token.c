#include "token.h"

#include <stdlib.h>
#include <string.h>

#include "base64.h"
#include "crypto.h"
#include "json_object.h"
#include "keys.h"

#define PREFIX "sa1."
#define PREFIX_LEN 4
#define SUBKEY "oauth access 1"
#define SIGNATURE_CHARS 43
#define OLD_LIFE_MS (INT64_C(30) * 86400000)
#define AHEAD_MS (INT64_C(5) * 60000) /* clocks differ */

struct token_reader {
    const struct keys *keys;
    struct crypto_mac *access;
    bool old_too;
};

struct token_reader *token_reader_new(const struct keys *keys, bool old_too)
{
    unsigned char key[CRYPTO_KEY_SIZE];
    struct token_reader *reader = calloc(1, sizeof *reader);
    if (reader == NULL) return NULL;
    reader->keys = keys;
    reader->old_too = old_too;
    if (keys_subkey(keys, SUBKEY, strlen(SUBKEY), key)) reader->access = crypto_mac_new(key, sizeof key);
    crypto_wipe(key, sizeof key);
    if (reader->access != NULL) return reader;
    token_reader_free(reader);
    return NULL;
}

void token_reader_free(struct token_reader *reader)
{
    if (reader == NULL) return;
    crypto_mac_free(reader->access);
    free(reader);
}

static bool signature_is(const char *signature, const unsigned char mac[CRYPTO_HASH_SIZE])
{
    unsigned char given[CRYPTO_HASH_SIZE + 3];
    size_t size;
    return base64_read(BASE64_URL, signature, SIGNATURE_CHARS, given, &size) && size == CRYPTO_HASH_SIZE &&
           crypto_same(given, mac, CRYPTO_HASH_SIZE);
}

/* The first dot, if `first` characters stand in front of it and something behind it; a second one is for no
 * base64. */
static const char *dot_at(const char *text, size_t len, size_t first)
{
    return len >= first + 2 && memchr(text, '.', len) == text + first ? text + first : NULL;
}

/* What a payload says, as far as it matters. */
struct payload {
    struct token_claims *claims;
    bool family, audience, begin, finish; /* ours: what was there in its right type */
    bool kind, client, issued;            /* of v0.1.0 */
    int64_t issued_ms;
};

static bool copy(const struct json_member *m, char *out, size_t size)
{
    size_t len = m->kind == JSON_MEMBER_TEXT ? strlen(m->text) : 0;
    if (len > 0 && len < size) memcpy(out, m->text, len + 1);
    return len > 0 && len < size;
}

static bool copy_integer(const struct json_member *m, int64_t *out)
{
    *out = m->integer;
    return m->kind == JSON_MEMBER_INTEGER;
}

static void on_member(void *data, const struct json_member *m)
{
    struct payload *p = data;
    if (strcmp(m->name, "f") == 0) p->family = copy(m, p->claims->family, sizeof p->claims->family);
    if (strcmp(m->name, "h") == 0) p->audience = copy(m, p->claims->audience, sizeof p->claims->audience);
    if (strcmp(m->name, "b") == 0) p->begin = copy_integer(m, &p->claims->begin_ms);
    if (strcmp(m->name, "e") == 0) p->finish = copy_integer(m, &p->claims->finish);
}

static enum token_result read_claims(const char *payload, size_t len, int64_t now_ms,
                                     struct token_claims *claims)
{
    struct payload p = {.claims = claims};
    *claims = (struct token_claims){.old = false};
    if (!json_object_read(payload, len, on_member, &p)) return TOKEN_BAD;
    if (!p.family || !p.audience || !p.begin || !p.finish) return TOKEN_BAD;
    return claims->finish > now_ms / 1000 ? TOKEN_GOOD : TOKEN_EXPIRED;
}

static enum token_result read_ours(const struct token_reader *reader, const char *text, size_t len,
                                   int64_t now_ms, struct token_claims *claims)
{
    unsigned char mac[CRYPTO_HASH_SIZE], payload[TOKEN_LENGTH_MAX];
    size_t size, signed_len = len > SIGNATURE_CHARS ? len - SIGNATURE_CHARS - 1 : 0;
    if (signed_len <= PREFIX_LEN ||
        dot_at(text + PREFIX_LEN, len - PREFIX_LEN, signed_len - PREFIX_LEN) == NULL)
        return TOKEN_BAD;
    if (!crypto_mac_of(reader->access, text, signed_len, mac) || !signature_is(text + signed_len + 1, mac))
        return TOKEN_BAD;
    if (!base64_read(BASE64_URL, text + PREFIX_LEN, signed_len - PREFIX_LEN, payload, &size))
        return TOKEN_BAD;
    return read_claims((const char *)payload, size, now_ms, claims);
}

static void on_old_member(void *data, const struct json_member *m)
{
    struct payload *p = data;
    bool text = m->kind == JSON_MEMBER_TEXT;
    if (strcmp(m->name, "k") == 0) p->kind = text && strcmp(m->text, "access") == 0;
    if (strcmp(m->name, "c") == 0) p->client = text;
    if (strcmp(m->name, "t") == 0) p->issued = copy_integer(m, &p->issued_ms);
}

static enum token_result read_old_claims(const char *payload, size_t len, int64_t now_ms,
                                         struct token_claims *claims)
{
    struct payload p = {.claims = claims};
    *claims = (struct token_claims){.old = true};
    if (!json_object_read(payload, len, on_old_member, &p) || !p.kind || !p.client || !p.issued)
        return TOKEN_BAD;
    if (p.issued_ms > now_ms + AHEAD_MS) return TOKEN_BAD;
    claims->begin_ms = p.issued_ms;
    claims->finish = (p.issued_ms + OLD_LIFE_MS) / 1000;
    return p.issued_ms >= now_ms - OLD_LIFE_MS ? TOKEN_GOOD : TOKEN_EXPIRED;
}

static bool name_old(const char *text, size_t len, struct token_claims *claims)
{
    unsigned char hash[CRYPTO_HASH_SIZE];
    if (!crypto_sha256(text, len, hash)) return false;
    memcpy(claims->family, "old-", 4);
    base64_write(BASE64_URL, hash, 12, claims->family + 4);
    claims->family[4 + base64_size(BASE64_URL, 12)] = '\0';
    return true;
}

static enum token_result read_old(const struct token_reader *reader, const char *text, size_t len,
                                  int64_t now_ms, struct token_claims *claims)
{
    unsigned char mac[CRYPTO_HASH_SIZE], payload[TOKEN_LENGTH_MAX];
    size_t size;
    const char *dot = dot_at(text, len, SIGNATURE_CHARS);
    if (dot == NULL) return TOKEN_BAD;
    if (!base64_read(BASE64_URL, dot + 1, len - SIGNATURE_CHARS - 1, payload, &size)) return TOKEN_BAD;
    if (!keys_secret_hmac(reader->keys, payload, size, mac) || !signature_is(text, mac)) return TOKEN_BAD;
    enum token_result result = read_old_claims((const char *)payload, size, now_ms, claims);
    return result == TOKEN_GOOD && !name_old(text, len, claims) ? TOKEN_BAD : result;
}

enum token_result token_read(const struct token_reader *reader, const char *text, size_t len, int64_t now_ms,
                             struct token_claims *claims)
{
    if (len > TOKEN_LENGTH_MAX) return TOKEN_BAD;
    if (len > PREFIX_LEN && memcmp(text, PREFIX, PREFIX_LEN) == 0)
        return read_ours(reader, text, len, now_ms, claims);
    return reader->old_too ? read_old(reader, text, len, now_ms, claims) : TOKEN_BAD;
}
