/* Bearers, payloads and lines of the list of grants, of any content: no token is good that was not signed,
 * and a signed payload is good only with all that it must say. */
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base64.h"
#include "config.h"
#include "crypto.h"
#include "grants.h"
#include "json_object.h"
#include "keys.h"
#include "token.h"

#define NOW_MS INT64_C(1796000000000)

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void must(int condition)
{
    if (!condition) abort();
}

static void on_member(void *data, const struct json_member *m)
{
    size_t *count = data;
    must(m->name != NULL && (m->kind != JSON_MEMBER_TEXT || m->text != NULL));
    *count += 1;
}

/* Signs the input as a payload in both ways. */
static void check_signed(const struct keys *keys, const struct token_reader *reader, const char *text,
                         size_t size)
{
    char token[TOKEN_LENGTH_MAX * 2];
    unsigned char mac[CRYPTO_HASH_SIZE];
    struct token_claims claims;
    if (size > 2000 || !keys_secret_hmac(keys, text, size, mac)) return;
    base64_write(BASE64_URL, mac, sizeof mac, token);
    token[43] = '.';
    base64_write(BASE64_URL, text, size, token + 44);
    enum token_result result = token_read(reader, token, 44 + base64_size(BASE64_URL, size), NOW_MS, &claims);
    if (result == TOKEN_GOOD)
        must(claims.old && memmem(text, size, "access", 6) != NULL && claims.family[0] != '\0');
}

static void check_lines(const char *folder, const char *text, size_t size)
{
    char path[256];
    size_t count;
    snprintf(path, sizeof path, "%s/%s", folder, GRANTS_FILE);
    FILE *file = fopen(path, "wb");
    must(file != NULL);
    fwrite(text, 1, size, file);
    fclose(file);
    struct grants *grants = grants_new(folder);
    const struct grant *list = grants_list(grants, &count);
    for (size_t i = 0; i < count; i++)
        must(list[i].id[0] != '\0');
    grants_refuse(grants, "x", 1);
    grants_free(grants);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static char folder[] = "/tmp/sandstorm-fuzz-XXXXXX";
    static char secret[] = "secret-of-the-fuzzer";
    const struct config_secrets secrets = {.token = secret};
    const char *text = (const char *)data;
    char message[256];
    size_t members = 0;
    struct token_claims claims;
    if (folder[sizeof folder - 2] == 'X') must(mkdtemp(folder) != NULL);
    struct keys *keys = keys_new(&secrets, folder);
    must(keys_load(keys, message, sizeof message));
    struct token_reader *reader = token_reader_new(keys, true);
    must(token_read(reader, text, size, NOW_MS, &claims) == TOKEN_BAD);
    check_signed(keys, reader, text, size);
    json_object_read(text, size, on_member, &members);
    check_lines(folder, text, size);
    token_reader_free(reader);
    keys_free(keys);
    return 0;
}
