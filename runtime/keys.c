#include "keys.h"

#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "key_file.h"

#define ROUNDS 600000
#define KNOWN_SIZE 1024 /* longer texts are compared with longer secrets only */
#define MASTER_INFO "sandstorm-mcp master key 1"
#define LONE_SALT "sandstorm-mcp master key 1, no key file"
#define SUBKEY_SALT "sandstorm-mcp subkey 1"
#define BOOT_SALT "sandstorm-mcp boot key 1"

/* A secret with zeros behind it: comparing reads as many bytes as are offered, whatever the secret is. */
struct known {
    unsigned char *bytes; /* owned; NULL: there is no such secret */
    size_t len, size;
};

struct keys {
    const struct config_secrets *secrets;
    const char *state_dir;
    struct crypto_mac *secret;  /* NULL where there is none */
    struct crypto_mac *compare; /* under a key that nobody knows, so that texts can be compared by it */
    struct known own, session;
    unsigned char boot[CRYPTO_KEY_SIZE], master[CRYPTO_KEY_SIZE];
    pthread_mutex_t loading;
    atomic_bool loaded; /* the master key stands */
};

static bool learn(const char *secret, struct known *known)
{
    if (secret == NULL || secret[0] == '\0') return true;
    known->len = strlen(secret);
    known->size = known->len > KNOWN_SIZE ? known->len : KNOWN_SIZE;
    known->bytes = calloc(1, known->size);
    if (known->bytes != NULL) memcpy(known->bytes, secret, known->len);
    return known->bytes != NULL;
}

static void forget(struct known *known)
{
    if (known->bytes != NULL) crypto_wipe(known->bytes, known->size);
    free(known->bytes);
}

static bool prepare(struct keys *keys)
{
    const char *own = keys->secrets->token, *session = keys->secrets->session_token;
    unsigned char random[CRYPTO_KEY_SIZE];
    if (!crypto_random(random, sizeof random) || !crypto_random(keys->boot, sizeof keys->boot)) return false;
    keys->compare = crypto_mac_new(random, sizeof random);
    crypto_wipe(random, sizeof random);
    if (keys->compare == NULL || !learn(own, &keys->own) ||
        !learn(session != NULL ? session : own, &keys->session))
        return false;
    if (keys_have_secret(keys)) keys->secret = crypto_mac_new(own, strlen(own));
    return !keys_have_secret(keys) || keys->secret != NULL;
}

struct keys *keys_new(const struct config_secrets *secrets, const char *state_dir)
{
    struct keys *keys = calloc(1, sizeof *keys);
    if (keys == NULL) return NULL;
    keys->secrets = secrets;
    keys->state_dir = state_dir;
    pthread_mutex_init(&keys->loading, NULL);
    if (prepare(keys)) return keys;
    keys_free(keys);
    return NULL;
}

void keys_free(struct keys *keys)
{
    if (keys == NULL) return;
    crypto_mac_free(keys->secret);
    crypto_mac_free(keys->compare);
    forget(&keys->own);
    forget(&keys->session);
    pthread_mutex_destroy(&keys->loading);
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
    pthread_mutex_lock(&keys->loading);
    if (!keys_have_secret(keys))
        snprintf(message, message_size, "no secret is set: SANDSTORM_MCP_TOKEN is empty");
    else if (!keys->loaded)
        keys->loaded = load(keys, message, message_size);
    pthread_mutex_unlock(&keys->loading);
    return keys->loaded;
}

bool keys_loaded(const struct keys *keys)
{
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

static bool matches(const struct known *known, const void *text, size_t len)
{
    return len <= known->size && crypto_same(known->bytes, text, len) && len == known->len && len > 0;
}

bool keys_is_secret(const struct keys *keys, const void *text, size_t len)
{
    return matches(&keys->own, text, len);
}

bool keys_is_session_secret(const struct keys *keys, const void *text, size_t len)
{
    return matches(&keys->session, text, len);
}

bool keys_equal(const struct keys *keys, const void *a, size_t a_len, const void *b, size_t b_len)
{
    unsigned char first[CRYPTO_HASH_SIZE], second[CRYPTO_HASH_SIZE];
    return crypto_mac_of(keys->compare, a, a_len, first) && crypto_mac_of(keys->compare, b, b_len, second) &&
           crypto_same(first, second, sizeof first);
}

bool keys_secret_hmac(const struct keys *keys, const void *bytes, size_t len,
                      unsigned char out[CRYPTO_HASH_SIZE])
{
    return keys->secret != NULL && crypto_mac_of(keys->secret, bytes, len, out);
}

bool keys_have_secret(const struct keys *keys)
{
    return keys->own.bytes != NULL;
}
