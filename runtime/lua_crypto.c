/* Module `crypto` (lib/_meta/crypto.lua). What Lua hands in and gets out lies in its own memory; subkeys are
 * the only secrets among that. */
#include <lauxlib.h>
#include <string.h>

#include "base64.h"
#include "crypto.h"
#include "fiber.h"
#include "keys.h"
#include "lua_modules.h"
#include "vm.h"

#define RANDOM_MAX 65536
#define HKDF_INFO_MAX 1024
#define TEXT_MAX (32 << 20) /* what is computed in one piece stays short */

struct text {
    const char *data;
    size_t len;
};

static struct text check_text(lua_State *L, const char *function, int arg, const char *name)
{
    struct text text;
    if (lua_type(L, arg) != LUA_TSTRING)
        luaL_error(L, "crypto.%s: argument %d (%s): expected a string, got %s", function, arg, name,
                   luaL_typename(L, arg));
    text.data = lua_tolstring(L, arg, &text.len);
    if (text.len > TEXT_MAX)
        luaL_error(L, "crypto.%s: argument %d (%s): expected at most %d bytes, got %I", function, arg, name,
                   TEXT_MAX, (LUAI_UACINT)text.len);
    return text;
}

static struct text check_key(lua_State *L, const char *function)
{
    struct text key = check_text(L, function, 1, "key");
    if (key.len != CRYPTO_KEY_SIZE)
        luaL_error(L, "crypto.%s: argument 1 (key): expected %d bytes, got %d", function, CRYPTO_KEY_SIZE,
                   (int)key.len);
    return key;
}

static size_t check_count(lua_State *L, const char *function, int arg, const char *name, lua_Integer most)
{
    int whole = 0;
    lua_Integer count = lua_type(L, arg) == LUA_TNUMBER ? lua_tointegerx(L, arg, &whole) : 0;
    if (!whole || count < 1 || count > most) {
        const char *got =
            lua_type(L, arg) == LUA_TNUMBER ? luaL_tolstring(L, arg, NULL) : luaL_typename(L, arg);
        luaL_error(L, "crypto.%s: argument %d (%s): expected 1 to %I, got %s", function, arg, name, most,
                   got);
    }
    return (size_t)count;
}

/* For what fails only without memory. */
static void must(lua_State *L, const char *function, bool ok)
{
    if (!ok) luaL_error(L, "crypto.%s: not enough memory", function);
}

static int fail(lua_State *L, const char *message, const char *code)
{
    luaL_pushfail(L);
    lua_pushstring(L, message);
    lua_pushstring(L, code);
    return 3;
}

static int push_hash(lua_State *L, const char *function, bool ok, unsigned char hash[CRYPTO_HASH_SIZE])
{
    must(L, function, ok);
    lua_pushlstring(L, (const char *)hash, CRYPTO_HASH_SIZE);
    crypto_wipe(hash, CRYPTO_HASH_SIZE);
    return 1;
}

/* ---- random, hashes, comparison ---------------------------------------------------------------------- */

static int l_random(lua_State *L)
{
    luaL_Buffer b;
    size_t count = check_count(L, "random", 1, "n", RANDOM_MAX);
    must(L, "random", crypto_random(luaL_buffinitsize(L, &b, count), count));
    luaL_pushresultsize(&b, count);
    return 1;
}

static int encode(lua_State *L, enum base64_kind kind, struct text bytes)
{
    luaL_Buffer b;
    size_t size = base64_size(kind, bytes.len);
    base64_write(kind, bytes.data, bytes.len, luaL_buffinitsize(L, &b, size));
    luaL_pushresultsize(&b, size);
    return 1;
}

static int l_random_text(lua_State *L)
{
    luaL_Buffer b;
    size_t count = check_count(L, "random_text", 1, "n", RANDOM_MAX);
    must(L, "random_text", crypto_random(luaL_buffinitsize(L, &b, count), count));
    luaL_pushresultsize(&b, count);
    return encode(L, BASE64_URL, (struct text){lua_tostring(L, -1), count});
}

static int l_sha256(lua_State *L)
{
    unsigned char hash[CRYPTO_HASH_SIZE];
    struct text bytes = check_text(L, "sha256", 1, "bytes");
    return push_hash(L, "sha256", crypto_sha256(bytes.data, bytes.len, hash), hash);
}

static int l_hmac(lua_State *L)
{
    unsigned char hash[CRYPTO_HASH_SIZE];
    struct text key = check_text(L, "hmac", 1, "key"), bytes = check_text(L, "hmac", 2, "bytes");
    return push_hash(L, "hmac", crypto_hmac(key.data, key.len, bytes.data, bytes.len, hash), hash);
}

static int l_hkdf(lua_State *L)
{
    luaL_Buffer b;
    struct text key = check_text(L, "hkdf", 1, "key"), salt = check_text(L, "hkdf", 2, "salt"),
                info = check_text(L, "hkdf", 3, "info");
    size_t length = check_count(L, "hkdf", 4, "length", CRYPTO_HKDF_MAX);
    if (info.len > HKDF_INFO_MAX)
        return luaL_error(L, "crypto.hkdf: argument 3 (info): expected at most %d bytes, got %d",
                          HKDF_INFO_MAX, (int)info.len);
    unsigned char *out = (unsigned char *)luaL_buffinitsize(L, &b, length);
    must(L, "hkdf", crypto_hkdf(key.data, key.len, salt.data, salt.len, info.data, info.len, out, length));
    luaL_pushresultsize(&b, length);
    return 1;
}

static int l_equal(lua_State *L)
{
    struct text a = check_text(L, "equal", 1, "a"), b = check_text(L, "equal", 2, "b");
    lua_pushboolean(L, keys_equal(vm_of(L)->host->keys, a.data, a.len, b.data, b.len));
    return 1;
}

/* ---- sealed texts ------------------------------------------------------------------------------------ */

static int l_seal(lua_State *L)
{
    luaL_Buffer b;
    struct text key = check_key(L, "seal"), plain = check_text(L, "seal", 2, "plaintext"),
                associated = check_text(L, "seal", 3, "associated");
    size_t size = plain.len + CRYPTO_SEAL_EXTRA;
    unsigned char *out = (unsigned char *)luaL_buffinitsize(L, &b, size);
    must(L, "seal",
         crypto_seal((const unsigned char *)key.data, plain.data, plain.len, associated.data, associated.len,
                     out));
    luaL_pushresultsize(&b, size);
    return 1;
}

static int l_open(lua_State *L)
{
    luaL_Buffer b;
    struct text key = check_key(L, "open"), sealed = check_text(L, "open", 2, "sealed"),
                associated = check_text(L, "open", 3, "associated");
    size_t size = sealed.len < CRYPTO_SEAL_EXTRA ? 0 : sealed.len - CRYPTO_SEAL_EXTRA;
    unsigned char *out = (unsigned char *)luaL_buffinitsize(L, &b, size);
    bool ok = crypto_open((const unsigned char *)key.data, (const unsigned char *)sealed.data, sealed.len,
                          associated.data, associated.len, out);
    luaL_pushresultsize(&b, ok ? size : 0);
    return ok ? 1 : fail(L, "the sealed text is not genuine", "EAUTH");
}

/* ---- texts of bytes ---------------------------------------------------------------------------------- */

static int decode(lua_State *L, const char *function, enum base64_kind kind)
{
    luaL_Buffer b;
    size_t size;
    struct text text = check_text(L, function, 1, "text");
    unsigned char *out = (unsigned char *)luaL_buffinitsize(L, &b, base64_room(text.len));
    bool ok = base64_read(kind, text.data, text.len, out, &size);
    luaL_pushresultsize(&b, ok ? size : 0);
    return ok ? 1 : fail(L, kind == BASE64_URL ? "not base64url" : "not base64", "EINVAL");
}

static int l_base64(lua_State *L)
{
    return encode(L, BASE64_STANDARD, check_text(L, "base64", 1, "bytes"));
}

static int l_base64url(lua_State *L)
{
    return encode(L, BASE64_URL, check_text(L, "base64url", 1, "bytes"));
}

static int l_unbase64(lua_State *L)
{
    return decode(L, "unbase64", BASE64_STANDARD);
}

static int l_unbase64url(lua_State *L)
{
    return decode(L, "unbase64url", BASE64_URL);
}

static int l_hex(lua_State *L)
{
    static const char digits[] = "0123456789abcdef";
    luaL_Buffer b;
    struct text bytes = check_text(L, "hex", 1, "bytes");
    char *out = luaL_buffinitsize(L, &b, bytes.len * 2);
    for (size_t i = 0; i < bytes.len; i++) {
        unsigned char byte = (unsigned char)bytes.data[i];
        out[2 * i] = digits[byte >> 4];
        out[2 * i + 1] = digits[byte & 15];
    }
    luaL_pushresultsize(&b, bytes.len * 2);
    return 1;
}

/* ---- the server's secret ----------------------------------------------------------------------------- */

static int l_secret_is(lua_State *L)
{
    struct text text = check_text(L, "secret_is", 1, "text");
    lua_pushboolean(L, keys_is_secret(vm_of(L)->host->keys, text.data, text.len));
    return 1;
}

static int l_session_secret_is(lua_State *L)
{
    struct text text = check_text(L, "session_secret_is", 1, "text");
    lua_pushboolean(L, keys_is_session_secret(vm_of(L)->host->keys, text.data, text.len));
    return 1;
}

static int l_secret_hmac(lua_State *L)
{
    unsigned char hash[CRYPTO_HASH_SIZE];
    const struct keys *keys = vm_of(L)->host->keys;
    struct text bytes = check_text(L, "secret_hmac", 1, "bytes");
    if (!keys_have_secret(keys)) return fail(L, "no secret is set", "ENOKEY");
    return push_hash(L, "secret_hmac", keys_secret_hmac(keys, bytes.data, bytes.len, hash), hash);
}

static void refuse_while_loading(lua_State *L, const char *function)
{
    if (vm_of(L)->loading)
        luaL_error(L, "crypto.%s: cannot be asked while the scripts are loaded; call it in a handler",
                   function);
}

static struct text check_label(lua_State *L, const char *function)
{
    struct text label = check_text(L, function, 1, "label");
    if (label.len == 0 || label.len > HKDF_INFO_MAX)
        luaL_error(L, "crypto.%s: argument 1 (label): expected 1 to %d bytes, got %d", function,
                   HKDF_INFO_MAX, (int)label.len);
    return label;
}

/* Asks for a subkey before the keys are loaded, which takes its time. */
struct subkey_call {
    struct keys *keys;
    char label[HKDF_INFO_MAX];
    size_t label_len;
    bool loaded, ok;
    char message[600];
    unsigned char key[CRYPTO_KEY_SIZE];
};

static void release_subkey(void *op)
{
    struct subkey_call *call = op;
    crypto_wipe(call->key, sizeof call->key);
}

static void work_subkey(void *op)
{
    struct subkey_call *call = op;
    call->loaded = keys_load(call->keys, call->message, sizeof call->message);
    call->ok = call->loaded && keys_subkey(call->keys, call->label, call->label_len, call->key);
}

static int finish_subkey(lua_State *L, void *op)
{
    struct subkey_call *call = op;
    if (!call->loaded) return fail(L, call->message, "ENOKEY");
    return push_hash(L, "subkey", call->ok, call->key);
}

static int l_subkey(lua_State *L)
{
    unsigned char key[CRYPTO_KEY_SIZE];
    struct keys *keys = vm_of(L)->host->keys;
    struct text label = check_label(L, "subkey");
    refuse_while_loading(L, "subkey");
    if (keys_loaded(keys)) return push_hash(L, "subkey", keys_subkey(keys, label.data, label.len, key), key);
    struct subkey_call *call = fiber_op_new(L, "crypto.subkey", sizeof *call, release_subkey);
    call->keys = keys;
    call->label_len = label.len;
    memcpy(call->label, label.data, label.len);
    return fiber_work(L, call, work_subkey, finish_subkey);
}

static int l_boot_key(lua_State *L)
{
    unsigned char key[CRYPTO_KEY_SIZE];
    struct text label = check_label(L, "boot_key");
    return push_hash(L, "boot_key", keys_boot_key(vm_of(L)->host->keys, label.data, label.len, key), key);
}

int luaopen_crypto(lua_State *L)
{
    static const luaL_Reg functions[] = {
        {"random", l_random},
        {"random_text", l_random_text},
        {"sha256", l_sha256},
        {"hmac", l_hmac},
        {"hkdf", l_hkdf},
        {"equal", l_equal},
        {"seal", l_seal},
        {"open", l_open},
        {"base64", l_base64},
        {"base64url", l_base64url},
        {"unbase64", l_unbase64},
        {"unbase64url", l_unbase64url},
        {"hex", l_hex},
        {"secret_is", l_secret_is},
        {"session_secret_is", l_session_secret_is},
        {"secret_hmac", l_secret_hmac},
        {"subkey", l_subkey},
        {"boot_key", l_boot_key},
        {NULL, NULL},
    };
    luaL_newlib(L, functions);
    return 1;
}
