#include "keys.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "key_file.h"

#define ROUNDS 600000
#define MASTER_INFO "sandstorm-mcp master key 1"
#define LONE_SALT "sandstorm-mcp master key 1, no key file"
#define SUBKEY_SALT "sandstorm-mcp subkey 1"
#define BOOT_SALT "sandstorm-mcp boot key 1"

struct keys {
    const struct config_secrets *secrets;
    const char *state_dir;
    struct crypto_mac *secret;  /* NULL where there is none */
    struct crypto_mac *compare; /* under a key that nobody knows, so that texts can be compared by it */
    unsigned char own[CRYPTO_HASH_SIZE], session[CRYPTO_HASH_SIZE]; /* what the secrets are under it */
    bool has_own, has_session;
    unsigned char boot[CRYPTO_KEY_SIZE], master[CRYPTO_KEY_SIZE];
    bool loaded;
};

static bool learn(const struct keys *keys, const char *secret, unsigned char *out, bool *has)
{
    *has = secret != NULL && secret[0] != '\0';
    return !*has || crypto_mac_of(keys->compare, secret, strlen(secret), out);
}

static bool prepare(struct keys *keys)
{
    const char *own = keys->secrets->token, *session = keys->secrets->session_token;
    unsigned char random[CRYPTO_KEY_SIZE];
    if (!crypto_random(random, sizeof random) || !crypto_random(keys->boot, sizeof keys->boot)) return false;
    keys->compare = crypto_mac_new(random, sizeof random);
    crypto_wipe(random, sizeof random);
    if (keys->compare == NULL || !learn(keys, own, keys->own, &keys->has_own) ||
        !learn(keys, session != NULL ? session : own, keys->session, &keys->has_session))
        return false;
    if (keys->has_own) keys->secret = crypto_mac_new(own, strlen(own));
    return !keys->has_own || keys->secret != NULL;
}

struct keys *keys_new(const struct config_secrets *secrets, const char *state_dir)
{
    struct keys *keys = calloc(1, sizeof *keys);
    if (keys == NULL) return NULL;
    keys->secrets = secrets;
    keys->state_dir = state_dir;
    if (prepare(keys)) return keys;
    keys_free(keys);
    return NULL;
}

void keys_free(struct keys *keys)
{
    if (keys == NULL) return;
    crypto_mac_free(keys->secret);
    crypto_mac_free(keys->compare);
    crypto_wipe(keys, sizeof *keys);
    free(keys);
}

/* ---- subkeys ----------------------------------------------------------------------------------------- */

static bool derive_from_file(struct keys *keys, const unsigned char *file)
{
    const char *secret = keys->secrets->token;
    return crypto_hkdf(secret, strlen(secret), file, KEY_FILE_SIZE, MASTER_INFO, strlen(MASTER_INFO),
                       keys->master, sizeof keys->master);
}

static bool derive_alone(struct keys *keys)
{
    const char *secret = keys->secrets->token;
    return crypto_pbkdf2(secret, strlen(secret), LONE_SALT, strlen(LONE_SALT), ROUNDS, keys->master,
                         sizeof keys->master);
}

static bool load(struct keys *keys, char *message, size_t size)
{
    unsigned char file[KEY_FILE_SIZE];
    char why[512];
    enum key_file_result result = key_file_load(keys->state_dir, KEYS_FILE, file, why, sizeof why);
    if (result == KEY_FILE_BROKEN) {
        snprintf(message, size, "key file %s", why);
        return false;
    }
    bool ok = result == KEY_FILE_READ ? derive_from_file(keys, file) : derive_alone(keys);
    crypto_wipe(file, sizeof file);
    if (!ok)
        snprintf(message, size, "not enough memory");
    else if (result == KEY_FILE_NONE)
        snprintf(message, size, "no key file can be kept (%s): keys are derived from the secret alone", why);
    return ok;
}

bool keys_load(struct keys *keys, char *message, size_t message_size)
{
    message[0] = '\0';
    if (keys->loaded) return true;
    if (!keys->has_own)
        snprintf(message, message_size, "no secret is set: SANDSTORM_MCP_TOKEN is empty");
    else
        keys->loaded = load(keys, message, message_size);
    return keys->loaded;
}

bool keys_subkey(const struct keys *keys, const void *label, size_t len, unsigned char out[CRYPTO_KEY_SIZE])
{
    return keys->loaded && crypto_hkdf(keys->master, sizeof keys->master, SUBKEY_SALT, strlen(SUBKEY_SALT),
                                       label, len, out, CRYPTO_KEY_SIZE);
}

bool keys_boot_key(const struct keys *keys, const void *label, size_t len, unsigned char out[CRYPTO_KEY_SIZE])
{
    return crypto_hkdf(keys->boot, sizeof keys->boot, BOOT_SALT, strlen(BOOT_SALT), label, len, out,
                       CRYPTO_KEY_SIZE);
}

/* ---- the secrets themselves -------------------------------------------------------------------------- */

static bool matches(const struct keys *keys, bool has, const unsigned char *known, const void *text,
                    size_t len)
{
    unsigned char seen[CRYPTO_HASH_SIZE];
    bool ok = crypto_mac_of(keys->compare, text, len, seen);
    return ok && crypto_same(seen, known, sizeof seen) && has;
}

bool keys_is_secret(const struct keys *keys, const void *text, size_t len)
{
    return matches(keys, keys->has_own, keys->own, text, len);
}

bool keys_is_session_secret(const struct keys *keys, const void *text, size_t len)
{
    return matches(keys, keys->has_session, keys->session, text, len);
}

bool keys_equal(const struct keys *keys, const void *a, size_t a_len, const void *b, size_t b_len)
{
    unsigned char first[CRYPTO_HASH_SIZE];
    return crypto_mac_of(keys->compare, a, a_len, first) && matches(keys, true, first, b, b_len);
}

bool keys_secret_hmac(const struct keys *keys, const void *bytes, size_t len,
                      unsigned char out[CRYPTO_HASH_SIZE])
{
    return keys->secret != NULL && crypto_mac_of(keys->secret, bytes, len, out);
}

bool keys_have_secret(const struct keys *keys)
{
    return keys->has_own;
}
