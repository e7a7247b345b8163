/* What the functions of table.* share. */
#ifndef SANDSTORM_LUA_TABLE_H
#define SANDSTORM_LUA_TABLE_H

#include <lua.h>
#include <stdbool.h>

/* Raises unless there is a table at `index`, or something with the metamethods that it takes to read
 * elements, to write them and to have a length. */
void lua_check_table(lua_State *L, int index, bool read, bool write, bool length);

#endif
