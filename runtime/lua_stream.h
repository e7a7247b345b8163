/* Event streams for scripts: the methods of a request that open them, and module `stream`
 * (lib/_meta/request.lua, lib/_meta/stream.lua). */
#ifndef SANDSTORM_LUA_STREAM_H
#define SANDSTORM_LUA_STREAM_H

#include <lua.h>

#include "stream.h"

struct call;

/* request:stream(options): pushes a stream object, or nil, message, code. Raises for wrong options. */
int lua_stream_open(lua_State *L, struct call *call, int options);

/* request:resume(event_id [, headers]): pushes whether the response now continues that stream. */
int lua_stream_resume(lua_State *L, struct call *call, int event_id);

/* Reads `topics` (room for STREAM_TOPICS_MAX) and `tag` of the options table at that index, and leaves them
 * on the stack, where they stay alive. Raises for wrong ones. */
void lua_stream_read_audience(lua_State *L, int options, struct stream_options *o, const char **topics);

#endif
