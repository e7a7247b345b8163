/* What lua_pattern.c and lua_gsub.c share: a search by Lua's patterns that lets the loop have its turns. */
#ifndef SANDSTORM_LUA_PATTERN_H
#define SANDSTORM_LUA_PATTERN_H

#include <lua.h>

#include "pattern.h"

/* Begins a search in the strings at indices 1 and 2, which stay there. */
void lua_pattern_begin(lua_State *L, struct pattern_search *s, const char *pattern, size_t pattern_len,
                       bool anchored);

/* Searches until the outcome is known or, for PATTERN_UNFINISHED, the caller is to pause (fiber.h). Raises
 * for a wrong pattern. */
enum pattern_outcome lua_pattern_search(lua_State *L, struct pattern_search *s);

/* Pushes capture `index`, from 0; the whole match for 0 if the pattern has none. Raises if there is no such.
 */
void lua_pattern_push(lua_State *L, const struct pattern_search *s, int index);

/* Pushes all captures, or, with `whole`, the whole match if the pattern has none; returns their number. */
int lua_pattern_push_all(lua_State *L, const struct pattern_search *s, bool whole);

/* string.gsub */
int lua_gsub(lua_State *L);

#endif
