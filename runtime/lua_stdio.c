/* Module `stdio`: messages on standard output (lib/_meta/stdio.lua). */
#include <lauxlib.h>

#include "lua_modules.h"
#include "lua_stream.h"
#include "stdio_lines.h"
#include "vm.h"

static struct stdio *check_stdio(lua_State *L, const char *function)
{
    struct stdio *io = vm_of(L)->host->stdio;
    if (io == NULL)
        luaL_error(L, "stdio.%s: this server does not talk on standard input and output", function);
    return io;
}

static int l_write(lua_State *L)
{
    size_t len;
    const char *text = luaL_checklstring(L, 1, &len);
    stdio_write(check_stdio(L, "write"), text, len);
    return 0;
}

static void on_event(void *data, const char *text, size_t len)
{
    stdio_write(data, text, len);
}

static int l_listen(lua_State *L)
{
    const char *topics[STREAM_TOPICS_MAX];
    struct stream_options options = {.id = NULL};
    struct stdio *io = check_stdio(L, "listen");
    lua_stream_read_audience(L, 1, &options, topics);
    lua_pushboolean(L, stream_open_sink(vm_of(L)->host->streams, &options, on_event, io) != NULL);
    return 1;
}

int luaopen_stdio(lua_State *L)
{
    static const luaL_Reg functions[] = {{"write", l_write}, {"listen", l_listen}, {NULL, NULL}};
    luaL_newlib(L, functions);
    return 1;
}
