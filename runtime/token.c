#include "token.h"

#include <jansson.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base64.h"
#include "crypto.h"
#include "json.h"
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

/* Two parts with one dot between them, `first` characters in front of it. */
static const char *dot_at(const char *text, size_t len, size_t first)
{
    if (len < first + 2 || memchr(text, '.', len) != text + first) return NULL;
    const char *dot = text + first;
    return memchr(dot + 1, '.', len - first - 1) == NULL ? dot : NULL;
}

static json_t *decode(const char *payload, size_t len)
{
    char error[80];
    json_t *object = json_text_decode(payload, len, error, sizeof error);
    if (json_is_object(object)) return object;
    json_decref(object);
    return NULL;
}

static bool copy_text(json_t *object, const char *name, char *out, size_t size)
{
    const char *text = json_string_value(json_object_get(object, name));
    return text != NULL && text[0] != '\0' && snprintf(out, size, "%s", text) < (int)size;
}

static bool copy_integer(json_t *object, const char *name, int64_t *out)
{
    json_t *value = json_object_get(object, name);
    *out = json_integer_value(value);
    return json_is_integer(value);
}

static enum token_result read_claims(json_t *object, int64_t now_ms, struct token_claims *claims)
{
    *claims = (struct token_claims){.old = false};
    if (!copy_text(object, "f", claims->family, sizeof claims->family) ||
        !copy_text(object, "h", claims->audience, sizeof claims->audience) ||
        !copy_integer(object, "b", &claims->begin_ms) || !copy_integer(object, "e", &claims->finish))
        return TOKEN_BAD;
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
    json_t *object = decode((const char *)payload, size);
    enum token_result result = object != NULL ? read_claims(object, now_ms, claims) : TOKEN_BAD;
    json_decref(object);
    return result;
}

static enum token_result read_old_claims(json_t *object, int64_t now_ms, struct token_claims *claims)
{
    const char *kind = json_string_value(json_object_get(object, "k"));
    int64_t issued;
    *claims = (struct token_claims){.old = true};
    if (kind == NULL || strcmp(kind, "access") != 0 || !copy_integer(object, "t", &issued)) return TOKEN_BAD;
    if (!json_is_string(json_object_get(object, "c")) || issued > now_ms + AHEAD_MS || issued < 0)
        return TOKEN_BAD;
    claims->begin_ms = issued;
    claims->finish = (issued + OLD_LIFE_MS) / 1000;
    return issued >= now_ms - OLD_LIFE_MS ? TOKEN_GOOD : TOKEN_EXPIRED;
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
    json_t *object = decode((const char *)payload, size);
    enum token_result result = object != NULL ? read_old_claims(object, now_ms, claims) : TOKEN_BAD;
    json_decref(object);
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
