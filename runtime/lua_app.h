/* Calls of the functions that a script's `app.load` returned (lib/_meta/app.lua). */
#ifndef SANDSTORM_LUA_APP_H
#define SANDSTORM_LUA_APP_H

#include <stdbool.h>
#include <stddef.h>

struct vm;

/* Calls the function of that name in a fiber of its own, with `text` (copied) as its argument, or without one
 * for NULL. What it raises is logged. False: there is no such function, or memory is short. */
bool lua_app_start(struct vm *vm, const char *name, const char *text, size_t len);

#endif
