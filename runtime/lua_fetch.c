/* Module `fetch` (lib/_meta/fetch.lua). */
#include <arpa/inet.h>
#include <lauxlib.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>

#include "config.h"
#include "fetch.h"
#include "fiber.h"
#include "host.h"
#include "lua_modules.h"
#include "vm.h"

#define URL_MAX 2048
#define AT_A_TIME 2 /* the pool has four threads, and files need some */
#define LIMIT_MAX 1048576
#define TIMEOUT_MAX_MS 30000

struct fetch_op {
    struct host *host;
    char *url;
    struct fetch_request request;
    struct fetch_response response;
    bool ok, counted;
};

static void release(void *data)
{
    struct fetch_op *op = data;
    if (op->counted) atomic_fetch_sub(&op->host->fetches, 1);
    buf_free(&op->response.body);
    free(op->url);
}

static void work(void *data)
{
    struct fetch_op *op = data;
    op->ok = fetch_get(&op->request, &op->response);
    atomic_fetch_sub(&op->host->fetches, 1);
    op->counted = false;
}

static int fail(lua_State *L, const char *message, const char *code)
{
    luaL_pushfail(L);
    lua_pushstring(L, message);
    lua_pushstring(L, code);
    return 3;
}

static int finish(lua_State *L, void *data)
{
    const struct fetch_op *op = data;
    if (!op->ok) return fail(L, op->response.message, "EFETCH");
    lua_createtable(L, 0, 4);
    lua_pushinteger(L, op->response.status);
    lua_setfield(L, -2, "status");
    lua_pushlstring(L, op->response.body.len > 0 ? op->response.body.data : "", op->response.body.len);
    lua_setfield(L, -2, "body");
    lua_pushstring(L, op->response.cache_control);
    lua_setfield(L, -2, "cache_control");
    lua_pushstring(L, op->response.content_type);
    lua_setfield(L, -2, "content_type");
    return 1;
}

static lua_Integer option(lua_State *L, const char *name, lua_Integer most)
{
    lua_getfield(L, 2, name);
    lua_Integer value = lua_isinteger(L, -1) ? lua_tointeger(L, -1) : 0;
    if (value < 1 || value > most) luaL_error(L, "fetch.get: %s: expected 1 to %I", name, most);
    lua_pop(L, 1);
    return value;
}

static int l_get(lua_State *L)
{
    size_t len;
    const char *url = luaL_checklstring(L, 1, &len);
    struct host *host = vm_of(L)->host;
    luaL_checktype(L, 2, LUA_TTABLE);
    lua_Integer timeout_ms = option(L, "timeout_ms", TIMEOUT_MAX_MS), limit = option(L, "limit", LIMIT_MAX);
    if (len > URL_MAX || strlen(url) != len || strncmp(url, "https://", 8) != 0)
        return luaL_error(L, "fetch.get: argument 1 (url): expected an https address");
    struct fetch_op *op = fiber_op_new(L, "fetch.get", sizeof *op, release);
    if (atomic_load(&host->fetches) >= AT_A_TIME)
        return fail(L, "too many are being fetched: try again in a moment", "EBUSY");
    op->host = host;
    op->url = strdup(url);
    if (op->url == NULL) return luaL_error(L, "not enough memory");
    op->counted = true;
    atomic_fetch_add(&host->fetches, 1);
    op->request = (struct fetch_request){.url = op->url,
                                         .ca_file = host->config->ca_file,
                                         .private_for = host->config->fetch_private,
                                         .user_agent = "sandstorm-mcp/" SANDSTORM_VERSION,
                                         .timeout_ms = timeout_ms,
                                         .limit = (size_t)limit};
    return fiber_work(L, op, work, finish);
}

static int l_is_public(lua_State *L)
{
    const char *text = luaL_checkstring(L, 1);
    struct sockaddr_in four = {.sin_family = AF_INET};
    struct sockaddr_in6 six = {.sin6_family = AF_INET6};
    if (inet_pton(AF_INET, text, &four.sin_addr) == 1)
        lua_pushboolean(L, fetch_is_public((const struct sockaddr *)&four));
    else if (inet_pton(AF_INET6, text, &six.sin6_addr) == 1)
        lua_pushboolean(L, fetch_is_public((const struct sockaddr *)&six));
    else
        return luaL_argerror(L, 1, "expected an IP address");
    return 1;
}

int luaopen_fetch(lua_State *L)
{
    static const luaL_Reg functions[] = {{"get", l_get}, {"is_public", l_is_public}, {NULL, NULL}};
    luaL_newlib(L, functions);
    return 1;
}
