#include "crypto.h"

#include <limits.h>
#include <openssl/core_names.h>
#include <openssl/crypto.h>
#include <openssl/evp.h>
#include <openssl/kdf.h>
#include <openssl/params.h>
#include <openssl/rand.h>

#define EMPTY(bytes) ((bytes) == NULL ? "" : (bytes))

bool crypto_random(void *out, size_t len)
{
    return len <= INT_MAX && RAND_bytes(out, (int)len) == 1;
}

void crypto_wipe(void *bytes, size_t len)
{
    OPENSSL_cleanse(bytes, len);
}

bool crypto_same(const void *a, const void *b, size_t len)
{
    return CRYPTO_memcmp(a, b, len) == 0;
}

bool crypto_sha256(const void *bytes, size_t len, unsigned char out[CRYPTO_HASH_SIZE])
{
    return EVP_Digest(EMPTY(bytes), len, out, NULL, EVP_sha256(), NULL) == 1;
}

/* ---- HMAC: a crypto_mac is an EVP_MAC_CTX that holds its key and is copied for each text ------------- */

struct crypto_mac *crypto_mac_new(const void *key, size_t key_len)
{
    char digest[] = "SHA256";
    const OSSL_PARAM params[] = {OSSL_PARAM_construct_utf8_string(OSSL_MAC_PARAM_DIGEST, digest, 0),
                                 OSSL_PARAM_construct_end()};
    EVP_MAC *hmac = EVP_MAC_fetch(NULL, "HMAC", NULL);
    EVP_MAC_CTX *context = EVP_MAC_CTX_new(hmac);
    EVP_MAC_free(hmac);
    if (context == NULL) return NULL;
    if (EVP_MAC_init(context, (const unsigned char *)EMPTY(key), key_len, params) == 1)
        return (struct crypto_mac *)context;
    EVP_MAC_CTX_free(context);
    return NULL;
}

void crypto_mac_free(struct crypto_mac *mac)
{
    EVP_MAC_CTX_free((EVP_MAC_CTX *)mac);
}

bool crypto_mac_of(const struct crypto_mac *mac, const void *bytes, size_t len,
                   unsigned char out[CRYPTO_HASH_SIZE])
{
    size_t size = 0;
    EVP_MAC_CTX *context = EVP_MAC_CTX_dup((const EVP_MAC_CTX *)mac);
    bool ok = context != NULL && EVP_MAC_update(context, (const unsigned char *)EMPTY(bytes), len) == 1 &&
              EVP_MAC_final(context, out, &size, CRYPTO_HASH_SIZE) == 1 && size == CRYPTO_HASH_SIZE;
    EVP_MAC_CTX_free(context);
    return ok;
}

bool crypto_hmac(const void *key, size_t key_len, const void *bytes, size_t len,
                 unsigned char out[CRYPTO_HASH_SIZE])
{
    struct crypto_mac *mac = crypto_mac_new(key, key_len);
    bool ok = mac != NULL && crypto_mac_of(mac, bytes, len, out);
    crypto_mac_free(mac);
    return ok;
}

/* ---- derived keys ------------------------------------------------------------------------------------ */

static bool derive(const char *name, const OSSL_PARAM params[], unsigned char *out, size_t out_len)
{
    EVP_KDF *kdf = EVP_KDF_fetch(NULL, name, NULL);
    EVP_KDF_CTX *context = EVP_KDF_CTX_new(kdf);
    EVP_KDF_free(kdf);
    bool ok = context != NULL && EVP_KDF_derive(context, out, out_len, params) == 1;
    EVP_KDF_CTX_free(context);
    return ok;
}

/* OpenSSL does not write to what an octet parameter points to, but takes no pointer to const. */
static OSSL_PARAM octets(const char *name, const void *bytes, size_t len)
{
    union {
        const void *given;
        void *taken;
    } pointer = {.given = EMPTY(bytes)};
    return OSSL_PARAM_construct_octet_string(name, pointer.taken, len);
}

bool crypto_hkdf(const void *key, size_t key_len, const void *salt, size_t salt_len, const void *info,
                 size_t info_len, unsigned char *out, size_t out_len)
{
    char digest[] = "SHA256";
    const OSSL_PARAM params[] = {OSSL_PARAM_construct_utf8_string(OSSL_KDF_PARAM_DIGEST, digest, 0),
                                 octets(OSSL_KDF_PARAM_KEY, key, key_len),
                                 octets(OSSL_KDF_PARAM_SALT, salt, salt_len),
                                 octets(OSSL_KDF_PARAM_INFO, info, info_len), OSSL_PARAM_construct_end()};
    return derive("HKDF", params, out, out_len);
}

bool crypto_pbkdf2(const void *password, size_t password_len, const void *salt, size_t salt_len,
                   unsigned iterations, unsigned char *out, size_t out_len)
{
    if (password_len > INT_MAX || salt_len > INT_MAX || out_len > INT_MAX || iterations > INT_MAX)
        return false;
    return PKCS5_PBKDF2_HMAC(EMPTY(password), (int)password_len, EMPTY(salt), (int)salt_len, (int)iterations,
                             EVP_sha256(), (int)out_len, out) == 1;
}

/* ---- sealed texts ------------------------------------------------------------------------------------ */

static bool seal_with(EVP_CIPHER_CTX *context, const unsigned char *key, const void *plain, size_t len,
                      const void *associated, size_t associated_len, unsigned char *out)
{
    int size;
    unsigned char *cipher = out + CRYPTO_NONCE_SIZE;
    return EVP_EncryptInit_ex(context, EVP_aes_256_gcm(), NULL, key, out) == 1 &&
           EVP_EncryptUpdate(context, NULL, &size, EMPTY(associated), (int)associated_len) == 1 &&
           EVP_EncryptUpdate(context, cipher, &size, EMPTY(plain), (int)len) == 1 &&
           EVP_EncryptFinal_ex(context, cipher + len, &size) == 1 &&
           EVP_CIPHER_CTX_ctrl(context, EVP_CTRL_GCM_GET_TAG, CRYPTO_TAG_SIZE, cipher + len) == 1;
}

bool crypto_seal(const unsigned char key[CRYPTO_KEY_SIZE], const void *plain, size_t len,
                 const void *associated, size_t associated_len, unsigned char *out)
{
    if (len > INT_MAX - CRYPTO_SEAL_EXTRA || associated_len > INT_MAX) return false;
    if (!crypto_random(out, CRYPTO_NONCE_SIZE)) return false;
    EVP_CIPHER_CTX *context = EVP_CIPHER_CTX_new();
    bool ok = context != NULL && seal_with(context, key, plain, len, associated, associated_len, out);
    EVP_CIPHER_CTX_free(context);
    return ok;
}

static bool open_with(EVP_CIPHER_CTX *context, const unsigned char *key, const unsigned char *sealed,
                      size_t len, const void *associated, size_t associated_len, unsigned char *out)
{
    int size;
    unsigned char tag[CRYPTO_TAG_SIZE];
    const unsigned char *cipher = sealed + CRYPTO_NONCE_SIZE;
    for (size_t i = 0; i < sizeof tag; i++)
        tag[i] = cipher[len + i];
    return EVP_DecryptInit_ex(context, EVP_aes_256_gcm(), NULL, key, sealed) == 1 &&
           EVP_DecryptUpdate(context, NULL, &size, EMPTY(associated), (int)associated_len) == 1 &&
           EVP_DecryptUpdate(context, out, &size, cipher, (int)len) == 1 &&
           EVP_CIPHER_CTX_ctrl(context, EVP_CTRL_GCM_SET_TAG, sizeof tag, tag) == 1 &&
           EVP_DecryptFinal_ex(context, out + len, &size) == 1;
}

bool crypto_open(const unsigned char key[CRYPTO_KEY_SIZE], const unsigned char *sealed, size_t len,
                 const void *associated, size_t associated_len, unsigned char *out)
{
    if (len < CRYPTO_SEAL_EXTRA || len > INT_MAX || associated_len > INT_MAX) return false;
    size_t plain_len = len - CRYPTO_SEAL_EXTRA;
    EVP_CIPHER_CTX *context = EVP_CIPHER_CTX_new();
    bool ok = context != NULL && open_with(context, key, sealed, plain_len, associated, associated_len, out);
    EVP_CIPHER_CTX_free(context);
    if (!ok) crypto_wipe(out, plain_len);
    return ok;
}
