/* Read-only views of tables: what scripts get of tables that outlive a call.
 *
 * A view is an empty table that reads from a copy of the original, made once; scripts cannot see its
 * metatable (lua_seal.c). Indexing, `pairs` and `#` work, `next` and `rawget` see nothing. Assigning raises,
 * except while the scripts are loaded: then it changes the original and the view. Tables in the original are
 * views in the view, unless they have a metatable: those, such as json.array_mt, guard themselves, and
 * scripts may set them as one. */
#ifndef SANDSTORM_LUA_VIEW_H
#define SANDSTORM_LUA_VIEW_H

#include <lua.h>

/* Replaces the table on top of the stack by its view, which is the same for the same table. `name` is what
 * error messages call it. A table with a metatable stays as it is. May raise. */
void lua_view(lua_State *L, const char *name);

/* Pops a function and, below it, a table; pushes an empty table that reads from that one and calls the
 * function as __newindex. May raise. */
void lua_view_new(lua_State *L);

/* From here on the view of the table at index `table` is the one at `view`. May raise. */
void lua_view_set(lua_State *L, int table, int view);

#endif
