/* What the scripts want done again and again: `ticks` of what app.load returned (lib/_meta/app.lua). Each
 * runs in a fiber of its own, in the generation that serves. */
#ifndef SANDSTORM_LUA_TICKS_H
#define SANDSTORM_LUA_TICKS_H

#include <lua.h>

struct tick_list;
struct vm;

#define TICKS_TAG "tick"                                  /* the tag of their fibers (fiber_set_tag) */
#define TICKS_STOP "stopped: the server is shutting down" /* a reason that is no failure */

/* Reads the list on top of the stack, which may be nil, and pops it. Raises for a wrong one. NULL: none. */
struct tick_list *lua_ticks_read(lua_State *L);

/* Starts those that are due; to be called about twice a second with the VM that serves. */
void lua_ticks_run(struct vm *vm);

/* NULL is allowed. No fiber of them may be live. */
void lua_ticks_free(struct tick_list *list);

#endif
