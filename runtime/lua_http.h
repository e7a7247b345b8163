/* Between HTTP and Lua: the request object that a handler gets, and the answer that it returns (contract in
 * lib/_meta/app.lua and lib/_meta/request.lua). */
#ifndef SANDSTORM_LUA_HTTP_H
#define SANDSTORM_LUA_HTTP_H

#include <lua.h>

struct call;

/* Prepares a state for requests and streams; called once by vm.c. May raise. */
void lua_http_open(lua_State *L);

/* The body is complete: runs the handler of the call's route, which will answer the call. */
void lua_http_start(struct call *call);

#endif
