/* process.run (lib/_meta/process.lua) from the start of the program on. Internal to the binding. */
#ifndef SANDSTORM_LUA_PROCESS_RUN_H
#define SANDSTORM_LUA_PROCESS_RUN_H

#include <lua.h>

#include "lua_process_options.h"

struct process_run;

/* Starts the program. The run belongs to the running fiber and is ended with it. NULL with `error` filled. */
struct process_run *lua_process_run_start(lua_State *L, struct process_set *set,
                                          const struct process_options *options, struct process_error *error);

/* Parks the fiber until the program has ended, then pushes the result; the anchor is at PROCESS_ANCHOR. With
 * `on_output` the fiber wakes now and then to call it. Used as `return lua_process_run_wait(...)`. */
int lua_process_run_wait(lua_State *L, struct process_run *run);

#endif
