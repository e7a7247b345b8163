/* The server's secrets and the keys that are made from them.
 *
 * Words used here
 *   secret          SANDSTORM_MCP_TOKEN: bytes that the operator chose and clients know
 *   session secret  SESSION_AUTH_TOKEN, or the secret where that is not set
 *   key file        32 random bytes in the state folder, made at the first start
 *   subkey          a key for one purpose, made from secret and key file; the same after a restart
 *   boot key        a key for one purpose that ends with this process
 *
 * Where no key file can be had, subkeys come from the secret alone, through PBKDF2: whoever sees something
 * made with one can then try secrets, 600,000 rounds a try.
 *
 * Nothing here gives the secret away, and comparing takes a time that depends on what is offered only.
 * Threads: keys_load belongs to the start, everything else may be used from any thread after it. */
#ifndef SANDSTORM_KEYS_H
#define SANDSTORM_KEYS_H

#include <stdbool.h>
#include <stddef.h>

#include "config.h"
#include "crypto.h"

#define KEYS_FILE "key"

struct keys;

/* `secrets` (texts may be NULL) and `state_dir` are borrowed for the life of the keys. No disk is touched.
 * NULL without memory. */
struct keys *keys_new(const struct config_secrets *secrets, const char *state_dir);

/* Wipes what it frees. NULL is allowed. */
void keys_free(struct keys *keys);

/* Makes subkeys available: reads or makes the key file. Once it succeeded it does nothing more. False:
 * `message` says why, one line. True: `message` is empty, or a warning that there is no key file. May take a
 * second. */
bool keys_load(struct keys *keys, char *message, size_t message_size);

/* False for another text, and where there is no secret. */
bool keys_is_secret(const struct keys *keys, const void *text, size_t len);
bool keys_is_session_secret(const struct keys *keys, const void *text, size_t len);

/* Are the two texts equal? */
bool keys_equal(const struct keys *keys, const void *a, size_t a_len, const void *b, size_t b_len);

/* HMAC-SHA256 with the secret itself as key, which the tokens of v0.1.0 are signed with. False where there is
 * no secret, or no memory. */
bool keys_secret_hmac(const struct keys *keys, const void *bytes, size_t len,
                      unsigned char out[CRYPTO_HASH_SIZE]);

/* True where keys_secret_hmac and keys_load can work at all. */
bool keys_have_secret(const struct keys *keys);

/* The key for the purpose that the label names. False before keys_load succeeded, or without memory. */
bool keys_subkey(const struct keys *keys, const void *label, size_t len, unsigned char out[CRYPTO_KEY_SIZE]);
bool keys_boot_key(const struct keys *keys, const void *label, size_t len,
                   unsigned char out[CRYPTO_KEY_SIZE]);

#endif
