#include "lua_process_push.h"

#include <lauxlib.h>
#include <signal.h>
#include <string.h>

int lua_process_fail(lua_State *L, const struct process_error *error)
{
    const char *code = strerrorname_np(error->code);
    luaL_pushfail(L);
    lua_pushstring(L, error->message);
    lua_pushstring(L, code != NULL ? code : "EUNKNOWN");
    return 3;
}

void lua_process_set_integer(lua_State *L, const char *key, lua_Integer value)
{
    lua_pushinteger(L, value);
    lua_setfield(L, -2, key);
}

void lua_process_set_boolean(lua_State *L, const char *key, bool value)
{
    lua_pushboolean(L, value);
    lua_setfield(L, -2, key);
}

void lua_process_set_status(lua_State *L, int exit_code, int signal)
{
    if (signal == 0 && exit_code >= 0) lua_process_set_integer(L, "exit_code", exit_code);
    if (signal == 0) return;
    const char *name = sigabbrev_np(signal);
    if (name != NULL)
        lua_pushfstring(L, "SIG%s", name);
    else
        lua_pushfstring(L, "signal %d", signal); /* a real-time signal */
    lua_setfield(L, -2, "signal");
    lua_process_set_integer(L, "signal_number", signal);
}
