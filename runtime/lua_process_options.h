/* Reads the options table of process.run and process.start. Internal to the binding. */
#ifndef SANDSTORM_LUA_PROCESS_OPTIONS_H
#define SANDSTORM_LUA_PROCESS_OPTIONS_H

#include <lua.h>

#include "process.h"

#define PROCESS_DEFAULT_TIMEOUT_MS 30000
#define PROCESS_CAPTURE_MAX 67108864

/* Where the anchor table lies on the stack: it keeps alive what the request points to. */
#define PROCESS_ANCHOR 2
#define PROCESS_ON_OUTPUT "on_output" /* key of the function in it */

struct process_options {
    struct process_request request; /* without `cwd`; its strings are Lua's, see PROCESS_ANCHOR */
    size_t capture_bytes;
    bool watched; /* there is a function at PROCESS_ON_OUTPUT */
    char *cwd;    /* as the agent gave it; owned, the caller frees it */
    size_t cwd_len;
    struct process_error refusal; /* code 0, or what is wrong with a value that comes from an agent */
};

enum process_face { PROCESS_FACE_RUN, PROCESS_FACE_START };

/* The table is at index 1 and the only argument; leaves an anchor table at PROCESS_ANCHOR. Raises for the
 * caller's mistakes: no table, unknown option, wrong type or range, not exactly one of command and argv. `o`
 * is zeroed memory. */
void process_options_read(lua_State *L, enum process_face face, struct process_options *o);

#endif
