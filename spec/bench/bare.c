/* What the server is measured against: the least that a C program with Lua and JSON can do for a tools/call.
 * libuv and llhttp take the request, a fresh coroutine runs a Lua function that decodes it with lua-cjson,
 * builds the same answer as the server and encodes that. No authentication, limits, log, schema or protocol.
 *
 *   bench-bare PORT */
#include <lauxlib.h>
#include <llhttp.h>
#include <lua.h>
#include <lualib.h>
#include <stdio.h>
#include <stdlib.h>
#include <uv.h>

#include "buf.h"

int luaopen_cjson(lua_State *L);

static const char HANDLER[] =
    "local cjson = require('cjson')\n"
    "local tools = { echo = function(args) return args.text end }\n"
    "return function(body)\n"
    "  local message = cjson.decode(body)\n"
    "  local text = tools[message.params.name](message.params.arguments)\n"
    "  return cjson.encode({ jsonrpc = '2.0', id = message.id, result = { isError = false,\n"
    "    content = { { type = 'text', text = text } }, structuredContent = { result = text } } })\n"
    "end\n";

struct bare {
    uv_loop_t loop;
    uv_tcp_t listener;
    lua_State *L; /* the handler function is at index 1 */
    llhttp_settings_t settings;
};

struct peer {
    uv_tcp_t socket;
    llhttp_t parser;
    struct bare *bare;
    struct buf body;
    struct buf out;
    uv_write_t write;
    char in[16384];
};

static void die(const char *what)
{
    fprintf(stderr, "bench-bare: %s\n", what);
    exit(1);
}

static void peer_closed(uv_handle_t *handle)
{
    struct peer *p = handle->data;
    buf_free(&p->body);
    buf_free(&p->out);
    free(p);
}

static void peer_close(struct peer *p)
{
    if (!uv_is_closing((uv_handle_t *)&p->socket)) uv_close((uv_handle_t *)&p->socket, peer_closed);
}

static void peer_written(uv_write_t *request, int status)
{
    struct peer *p = request->data;
    if (status < 0) peer_close(p);
}

/* Sends what is in `out`; the load never pipelines, so at most one answer is under way. */
static void peer_send(struct peer *p)
{
    uv_buf_t bytes = uv_buf_init(p->out.data, (unsigned)p->out.len);
    int sent = uv_try_write((uv_stream_t *)&p->socket, &bytes, 1);
    if (sent == (int)p->out.len) return;
    if (sent < 0 && sent != UV_EAGAIN) {
        peer_close(p);
        return;
    }
    bytes = uv_buf_init(p->out.data + (sent > 0 ? sent : 0),
                        (unsigned)p->out.len - (unsigned)(sent > 0 ? sent : 0));
    p->write.data = p;
    if (uv_write(&p->write, (uv_stream_t *)&p->socket, &bytes, 1, peer_written) != 0) peer_close(p);
}

static void answer(struct peer *p)
{
    lua_State *L = p->bare->L;
    lua_State *co = lua_newthread(L);
    lua_pushvalue(L, 1);
    lua_xmove(L, co, 1);
    lua_pushlstring(co, p->body.data, p->body.len);
    int results = 0;
    if (lua_resume(co, L, 1, &results) != LUA_OK) die(lua_tostring(co, -1));
    size_t len = 0;
    const char *text = lua_tolstring(co, -1, &len);
    buf_clear(&p->out);
    buf_printf(&p->out, "HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nContent-Length: %zu\r\n\r\n",
               len);
    buf_add(&p->out, text, len);
    lua_settop(L, 1);
    peer_send(p);
}

static int on_begin(llhttp_t *parser)
{
    struct peer *p = parser->data;
    buf_clear(&p->body);
    return 0;
}

static int on_body(llhttp_t *parser, const char *at, size_t len)
{
    struct peer *p = parser->data;
    return buf_add(&p->body, at, len) ? 0 : -1;
}

static int on_complete(llhttp_t *parser)
{
    answer(parser->data);
    return 0;
}

static void peer_alloc(uv_handle_t *handle, size_t suggested, uv_buf_t *out)
{
    (void)suggested;
    struct peer *p = handle->data;
    *out = uv_buf_init(p->in, sizeof p->in);
}

static void peer_read(uv_stream_t *stream, ssize_t count, const uv_buf_t *bytes)
{
    struct peer *p = stream->data;
    if (count < 0 || llhttp_execute(&p->parser, bytes->base, (size_t)count) != HPE_OK) peer_close(p);
}

static void on_connection(uv_stream_t *listener, int status)
{
    struct bare *bare = listener->data;
    struct peer *p = status == 0 ? calloc(1, sizeof *p) : NULL;
    if (!p) die("cannot take a connection");
    p->bare = bare;
    p->socket.data = p;
    uv_tcp_init(&bare->loop, &p->socket);
    if (uv_accept(listener, (uv_stream_t *)&p->socket) != 0) die("accept");
    uv_tcp_nodelay(&p->socket, 1);
    llhttp_init(&p->parser, HTTP_REQUEST, &bare->settings);
    p->parser.data = p;
    uv_read_start((uv_stream_t *)&p->socket, peer_alloc, peer_read);
}

static void start_lua(struct bare *bare)
{
    bare->L = luaL_newstate();
    if (!bare->L) die("no memory");
    luaL_openlibs(bare->L);
    luaL_requiref(bare->L, "cjson", luaopen_cjson, 0);
    lua_settop(bare->L, 0);
    if (luaL_dostring(bare->L, HANDLER) != LUA_OK) die(lua_tostring(bare->L, -1));
}

static void listen_on(struct bare *bare, int port)
{
    struct sockaddr_in address;
    uv_loop_init(&bare->loop);
    uv_tcp_init(&bare->loop, &bare->listener);
    bare->listener.data = bare;
    uv_ip4_addr("127.0.0.1", port, &address);
    if (uv_tcp_bind(&bare->listener, (const struct sockaddr *)&address, 0) != 0) die("bind");
    if (uv_listen((uv_stream_t *)&bare->listener, 511, on_connection) != 0) die("listen");
}

int main(int argc, char **argv)
{
    if (argc != 2) die("usage: bench-bare PORT");
    struct bare bare;
    llhttp_settings_init(&bare.settings);
    bare.settings.on_message_begin = on_begin;
    bare.settings.on_body = on_body;
    bare.settings.on_message_complete = on_complete;
    start_lua(&bare);
    listen_on(&bare, atoi(argv[1]));
    return uv_run(&bare.loop, UV_RUN_DEFAULT);
}
