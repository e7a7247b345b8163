/* JSON for Lua values; the Lua face is documented in lib/_meta/json.lua.
 *
 * Arrays and objects are both tables in Lua. A table is an array if its metatable is the array mark, or if it
 * has none of the marks and its keys are 1..n with n > 0; everything else is an object. Only raw content
 * counts: no metamethod is called. null is the light userdata NULL, the same as cjson.null. */
#ifndef SANDSTORM_LUA_JSON_H
#define SANDSTORM_LUA_JSON_H

#include <lua.h>
#include <stdbool.h>
#include <stddef.h>

#include "buf.h"

/* Bytes of the text of one encoded value; strings in it may go beyond by their own length. Together with
 * JSON_VALUES_MAX it bounds how long encoding takes, for it cannot pause. */
#define LUA_JSON_BYTES_MAX 67108864

/* Appends the JSON text of the value at `index` to the caller's buffer, names sorted by bytes if `sort`. What
 * JSON cannot hold, and want of memory, is raised with the position of the running C function's caller:
 * "<who>: " and what is wrong, with the path of the value. Who frees `out` then is the caller's business
 * (lua_scratch.h). Runs no Lua code; needs 4 free stack slots. */
void lua_json_write(lua_State *L, int index, bool sort, struct buf *out, const char *who);

/* The same, names sorted, where nothing may be raised. False: the message is pushed, it begins with
 * "json.encode: ", and `out` is as long as before. */
bool lua_json_encode(lua_State *L, int index, struct buf *out);

/* Decodes exactly one value (RFC 8259) and pushes it: 1. Where the text is not JSON, or is more than the
 * limits of json.h allow, pushes nil, one line with the position, and "EJSON": 3. Stricter than RFC 8259
 * asks: UTF-8 is checked, duplicate names are an error, integers beyond 64 bits and reals beyond a double
 * are, and so is a byte order mark. Raises only when memory is short; `text` stays the caller's. */
int lua_json_push(lua_State *L, const char *text, size_t len);

/* The same for what a peer sent: with a lower limit of values. */
int lua_json_push_sent(lua_State *L, const char *text, size_t len);

int luaopen_json(lua_State *L);

/* The registry keys (lua_rawgetp) of the two marks. */
extern const char lua_json_array_mark, lua_json_object_mark;

#endif
