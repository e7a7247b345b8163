/* The route table that a script returns (contract in lib/_meta/app.lua). */
#ifndef SANDSTORM_LUA_ROUTES_H
#define SANDSTORM_LUA_ROUTES_H

#include <lua.h>

struct route_pages;
struct route_table;

/* Reads the list of routes on top of the stack into `table` and pops it. Raises for a wrong one. */
void lua_routes_read(lua_State *L, struct route_table *table);

/* Reads the table of names on top of the stack, which may be nil, and pops it. Raises for a wrong one. */
void lua_routes_read_pages(lua_State *L, struct route_pages *pages);

#endif
