/* Between HTTP and Lua: the route table that a script returns, the request object that a handler gets, and
 * the answer that it returns (contract in lib/_meta/app.lua and lib/_meta/request.lua). */
#ifndef SANDSTORM_LUA_HTTP_H
#define SANDSTORM_LUA_HTTP_H

#include <lua.h>

struct call;
struct route_table;

/* Reads the list of routes on top of the stack into `table` and pops it. Raises for a wrong one. */
void lua_http_read_routes(lua_State *L, struct route_table *table);

/* The body is complete: runs the handler of the call's route, which will answer the call. */
void lua_http_start(struct call *call);

/* The peer is gone: stops the handler if it asked for that. */
void lua_http_gone(struct call *call);

#endif
