/* Text that grows piece by piece in a function that pauses (fiber.h): as luaL_Buffer, but not bound to one
 * stay on the C stack. A short text costs no memory of the VM; a longer one is in a userdata, so it counts
 * there. The record holds no pointer to itself and may be copied. */
#ifndef SANDSTORM_LUA_OUTPUT_H
#define SANDSTORM_LUA_OUTPUT_H

#include <lua.h>
#include <stddef.h>

#define LUA_OUTPUT_SMALL 512

struct lua_output {
    size_t len, size;
    char *large; /* NULL: `small` holds the text */
    char small[LUA_OUTPUT_SMALL];
};

void lua_output_begin(struct lua_output *o);

/* `slot` is the stack index that the function leaves to the output. Raises without memory. */
void lua_output_append(lua_State *L, int slot, struct lua_output *o, const char *bytes, size_t len);

/* Pushes the text. */
void lua_output_push(lua_State *L, const struct lua_output *o);

#endif
