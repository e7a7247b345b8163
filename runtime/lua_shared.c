/* Module `shared`: small memory across requests (lib/_meta/shared.lua). */
#include <lauxlib.h>

#include "lua_modules.h"
#include "shared.h"
#include "vm.h"

#define TTL_MS_MAX (INT64_C(400) * 86400000)

static struct shared *shared_of(lua_State *L)
{
    vm_check_serving(L, "shared");
    return vm_of(L)->host->shared;
}

static struct shared_text check_text(lua_State *L, int arg)
{
    struct shared_text text;
    text.data = luaL_checklstring(L, arg, &text.len);
    return text;
}

static uint64_t check_ttl(lua_State *L, int arg)
{
    lua_Integer ms = luaL_checkinteger(L, arg);
    luaL_argcheck(L, ms >= 1 && ms <= TTL_MS_MAX, arg, "expected 1 to 34560000000 milliseconds");
    return (uint64_t)ms;
}

static int l_put(lua_State *L)
{
    struct shared_text key = check_text(L, 1), value = check_text(L, 2);
    lua_pushboolean(L, shared_put(shared_of(L), key, value, check_ttl(L, 3), false));
    return 1;
}

static int l_put_new(lua_State *L)
{
    struct shared_text key = check_text(L, 1), value = check_text(L, 2);
    lua_pushboolean(L, shared_put(shared_of(L), key, value, check_ttl(L, 3), true));
    return 1;
}

static int l_get(lua_State *L)
{
    struct shared_text value;
    if (shared_get(shared_of(L), check_text(L, 1), &value))
        lua_pushlstring(L, value.data, value.len);
    else
        lua_pushnil(L);
    return 1;
}

static int l_take(lua_State *L)
{
    struct shared_text key = check_text(L, 1), value;
    if (!shared_get(shared_of(L), key, &value)) {
        lua_pushnil(L);
        return 1;
    }
    lua_pushlstring(L, value.data, value.len);
    shared_remove(shared_of(L), key);
    return 1;
}

static int l_remove(lua_State *L)
{
    lua_pushboolean(L, shared_remove(shared_of(L), check_text(L, 1)));
    return 1;
}

static int l_add(lua_State *L)
{
    struct shared_text key = check_text(L, 1);
    lua_Integer amount = luaL_checkinteger(L, 2);
    int64_t sum = shared_add(shared_of(L), key, amount, check_ttl(L, 3));
    if (sum == INT64_MIN)
        lua_pushnil(L);
    else
        lua_pushinteger(L, sum);
    return 1;
}

static int l_ttl(lua_State *L)
{
    int64_t ms = shared_ttl(shared_of(L), check_text(L, 1));
    if (ms < 0)
        lua_pushnil(L);
    else
        lua_pushinteger(L, ms);
    return 1;
}

int luaopen_shared(lua_State *L)
{
    static const luaL_Reg functions[] = {
        {"put", l_put},       {"put_new", l_put_new}, {"get", l_get}, {"take", l_take},
        {"remove", l_remove}, {"add", l_add},         {"ttl", l_ttl}, {NULL, NULL},
    };
    luaL_newlib(L, functions);
    return 1;
}
