#include "lua_output.h"

#include <string.h>

void lua_output_begin(struct lua_output *o)
{
    o->len = 0;
    o->size = LUA_OUTPUT_SMALL;
    o->large = NULL;
}

static void grow(lua_State *L, int slot, struct lua_output *o, size_t more)
{
    size_t size = o->size * 2 < o->len + more ? o->len + more : o->size * 2;
    char *large = lua_newuserdatauv(L, size, 0);
    memcpy(large, o->large != NULL ? o->large : o->small, o->len);
    lua_replace(L, slot);
    o->large = large;
    o->size = size;
}

void lua_output_append(lua_State *L, int slot, struct lua_output *o, const char *bytes, size_t len)
{
    if (o->size - o->len < len) grow(L, slot, o, len);
    memcpy((o->large != NULL ? o->large : o->small) + o->len, bytes, len);
    o->len += len;
}

void lua_output_push(lua_State *L, const struct lua_output *o)
{
    lua_pushlstring(L, o->large != NULL ? o->large : o->small, o->len);
}
