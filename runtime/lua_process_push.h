/* What the files of the process binding push. Internal to it. */
#ifndef SANDSTORM_LUA_PROCESS_PUSH_H
#define SANDSTORM_LUA_PROCESS_PUSH_H

#include <lua.h>
#include <stdbool.h>

#include "process.h"

/* Pushes nil, message and code, and returns 3. */
int lua_process_fail(lua_State *L, const struct process_error *error);

/* Fields of the table on top of the stack. */
void lua_process_set_integer(lua_State *L, const char *key, lua_Integer value);
void lua_process_set_boolean(lua_State *L, const char *key, bool value);

/* How a program ended: exit_code, or signal and signal_number; none of them while it runs or when it is lost.
 */
void lua_process_set_status(lua_State *L, int exit_code, int signal);

#endif
