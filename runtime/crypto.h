/* Cryptography: the few primitives that the project stands on, over OpenSSL.
 *
 * Functions return false when OpenSSL fails, which means that memory ran out; `out` is then undefined. A NULL
 * pointer is allowed where the length is 0. What they keep in passing is wiped. Thread-safe. */
#ifndef SANDSTORM_CRYPTO_H
#define SANDSTORM_CRYPTO_H

#include <stdbool.h>
#include <stddef.h>

#define CRYPTO_HASH_SIZE 32
#define CRYPTO_KEY_SIZE 32
#define CRYPTO_NONCE_SIZE 12
#define CRYPTO_TAG_SIZE 16
#define CRYPTO_SEAL_EXTRA (CRYPTO_NONCE_SIZE + CRYPTO_TAG_SIZE)
#define CRYPTO_HKDF_MAX (255 * CRYPTO_HASH_SIZE)

bool crypto_random(void *out, size_t len);

/* Overwrites what must not stay in memory. */
void crypto_wipe(void *bytes, size_t len);

/* Compares two blocks of the same length in constant time. */
bool crypto_same(const void *a, const void *b, size_t len);

bool crypto_sha256(const void *bytes, size_t len, unsigned char out[CRYPTO_HASH_SIZE]);

/* HMAC-SHA256 (RFC 2104). */
bool crypto_hmac(const void *key, size_t key_len, const void *bytes, size_t len,
                 unsigned char out[CRYPTO_HASH_SIZE]);

/* A key made ready for many HMACs. */
struct crypto_mac;

/* The key is not needed afterwards. NULL without memory. */
struct crypto_mac *crypto_mac_new(const void *key, size_t key_len);

/* Wipes the key. NULL is allowed. */
void crypto_mac_free(struct crypto_mac *mac);

bool crypto_mac_of(const struct crypto_mac *mac, const void *bytes, size_t len,
                   unsigned char out[CRYPTO_HASH_SIZE]);

/* HKDF-SHA256 (RFC 5869), extract and expand; `out_len` is 1 to CRYPTO_HKDF_MAX. */
bool crypto_hkdf(const void *key, size_t key_len, const void *salt, size_t salt_len, const void *info,
                 size_t info_len, unsigned char *out, size_t out_len);

/* PBKDF2-HMAC-SHA256 (RFC 8018). */
bool crypto_pbkdf2(const void *password, size_t password_len, const void *salt, size_t salt_len,
                   unsigned iterations, unsigned char *out, size_t out_len);

/* AES-256-GCM. A sealed text is nonce, ciphertext, tag: CRYPTO_SEAL_EXTRA bytes longer than the plain one.
 * The nonce is random, so one key is good for some four billion texts. `associated` is bound in but not
 * contained. */
bool crypto_seal(const unsigned char key[CRYPTO_KEY_SIZE], const void *plain, size_t len,
                 const void *associated, size_t associated_len, unsigned char *out);

/* Opens a sealed text of `len` bytes into `out`, which has len - CRYPTO_SEAL_EXTRA bytes. False, and nothing
 * in `out`, when it is shorter or was not made with this key and these associated bytes. */
bool crypto_open(const unsigned char key[CRYPTO_KEY_SIZE], const unsigned char *sealed, size_t len,
                 const void *associated, size_t associated_len, unsigned char *out);

#endif
