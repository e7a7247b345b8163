#include "lua_stream.h"

#include <lauxlib.h>
#include <string.h>

#include "call.h"
#include "fiber.h"
#include "lua_modules.h"
#include "stream.h"
#include "vm.h"

#define METATABLE "sandstorm.stream"
#define HEADERS_MAX 8

/* ---- opening ----------------------------------------------------------------------------------------- */

/* Texts stay on the stack, and so alive, until the binding returns. */
static const char *text_option(lua_State *L, int options, const char *name)
{
    int type = lua_getfield(L, options, name);
    if (type != LUA_TNIL && type != LUA_TSTRING)
        luaL_error(L, "request:stream: option '%s': expected string, got %s", name, lua_typename(L, type));
    return lua_tostring(L, -1);
}

static bool flag_option(lua_State *L, int options, const char *name)
{
    int type = lua_getfield(L, options, name);
    if (type != LUA_TNIL && type != LUA_TBOOLEAN)
        luaL_error(L, "request:stream: option '%s': expected boolean, got %s", name, lua_typename(L, type));
    bool flag = lua_toboolean(L, -1);
    lua_pop(L, 1);
    return flag;
}

static uint64_t ms_option(lua_State *L, int options, const char *name)
{
    lua_getfield(L, options, name);
    lua_Integer ms = luaL_optinteger(L, -1, 0);
    if (ms < 0 || ms > 86400000)
        luaL_error(L, "request:stream: option '%s': expected 0 to 86400000 ms", name);
    lua_pop(L, 1);
    return (uint64_t)ms;
}

static void check_names(lua_State *L, int options)
{
    static const char known[] = " id owner tag topics kept every_ms headers detached ";
    char padded[40];
    luaL_checktype(L, options, LUA_TTABLE);
    lua_pushnil(L);
    while (lua_next(L, options) != 0) {
        const char *name = lua_type(L, -2) == LUA_TSTRING ? lua_tostring(L, -2) : "(no name)";
        lua_pop(L, 1);
        size_t len = strlen(name);
        if (len > 30) luaL_error(L, "request:stream: unknown option '%s'", name);
        padded[0] = ' ';
        memcpy(padded + 1, name, len);
        memcpy(padded + 1 + len, " ", 2);
        if (strstr(known, padded) == NULL) luaL_error(L, "request:stream: unknown option '%s'", name);
    }
}

static size_t read_topics(lua_State *L, int options, const char **topics)
{
    size_t count = 0;
    if (lua_getfield(L, options, "topics") == LUA_TNIL) return 0;
    luaL_checktype(L, -1, LUA_TTABLE);
    int list = lua_gettop(L);
    luaL_checkstack(L, STREAM_TOPICS_MAX + 8, "too many topics");
    while (lua_rawgeti(L, list, (lua_Integer)count + 1) == LUA_TSTRING) {
        if (count == STREAM_TOPICS_MAX) luaL_error(L, "request:stream: at most %d topics", STREAM_TOPICS_MAX);
        topics[count++] = lua_tostring(L, -1);
    }
    return count;
}

void lua_stream_read_audience(lua_State *L, int options, struct stream_options *o, const char **topics)
{
    luaL_checktype(L, options, LUA_TTABLE);
    o->tag = text_option(L, options, "tag");
    o->topic_count = read_topics(L, options, topics);
    o->topics = topics;
}

static size_t read_headers(lua_State *L, int index, struct http_header *headers)
{
    size_t count = 0;
    if (lua_isnoneornil(L, index)) return 0;
    luaL_checktype(L, index, LUA_TTABLE);
    lua_pushnil(L);
    while (lua_next(L, index) != 0) {
        if (lua_type(L, -2) != LUA_TSTRING || lua_type(L, -1) != LUA_TSTRING || count == HEADERS_MAX)
            luaL_error(L, "headers: expected at most %d names and values that are strings", HEADERS_MAX);
        headers[count++] = (struct http_header){lua_tostring(L, -2), lua_tostring(L, -1)};
        lua_pop(L, 1);
    }
    return count;
}

/* The object refers to the call through the request's own handle: both end together. */
static void push_stream(lua_State *L)
{
    lua_newuserdatauv(L, 0, 1);
    lua_pushvalue(L, 1);
    lua_setiuservalue(L, -2, 1);
    luaL_setmetatable(L, METATABLE);
}

int lua_stream_open(lua_State *L, struct call *call, int options)
{
    const char *topics[STREAM_TOPICS_MAX];
    struct http_header headers[HEADERS_MAX];
    check_names(L, options);
    if (call->was_late && call->stream != NULL) {
        push_stream(L);
        return 1;
    }
    bool detached = flag_option(L, options, "detached");
    struct stream_options o = {.kept = flag_option(L, options, "kept"),
                               .every_ms = ms_option(L, options, "every_ms")};
    o.id = text_option(L, options, "id");
    o.owner = text_option(L, options, "owner");
    lua_stream_read_audience(L, options, &o, topics);
    lua_getfield(L, options, "headers");
    size_t header_count = read_headers(L, lua_gettop(L), headers);
    push_stream(L);
    if (detached && call->exchange != NULL) http_exchange_cling(call->exchange);
    if (!call_stream(call, &o, headers, header_count)) {
        lua_pushnil(L);
        lua_pushliteral(L, "the response cannot become a stream: it is one, or there are too many");
        lua_pushliteral(L, "EBUSY");
        return 3;
    }
    call->detached = detached;
    return 1;
}

int lua_stream_resume(lua_State *L, struct call *call, int event_id)
{
    struct http_header headers[HEADERS_MAX];
    size_t count = read_headers(L, event_id + 1, headers);
    lua_pushboolean(L, call_resume(call, luaL_checkstring(L, event_id), headers, count));
    return 1;
}

/* ---- the object -------------------------------------------------------------------------------------- */

/* NULL when the stream is over. */
static struct stream *check_stream(lua_State *L)
{
    luaL_checkudata(L, 1, METATABLE);
    lua_getiuservalue(L, 1, 1);
    struct call **handle = lua_touserdata(L, -1);
    lua_pop(L, 1);
    return *handle != NULL ? (*handle)->stream : NULL;
}

static void relief(void *data)
{
    fiber_op_done(data);
}

static int send_finish(lua_State *L, void *op)
{
    (void)op;
    lua_pushboolean(L, 1);
    return 1;
}

/* The stream may outlive the wait: the operation's one field says for which stream to take the request back.
 */
struct relief_wait {
    struct stream *stream;
};

static void send_cancel(void *op)
{
    struct relief_wait *wait = op;
    stream_on_relief(wait->stream, NULL, NULL);
    fiber_op_done(wait);
}

static int l_send(lua_State *L)
{
    size_t len;
    struct stream *s = check_stream(L);
    const char *text = luaL_checklstring(L, 2, &len);
    if (s == NULL || !stream_send(s, text, len)) {
        lua_pushnil(L);
        lua_pushliteral(L, "the client is gone");
        lua_pushliteral(L, "EPIPE");
        return 3;
    }
    if (!stream_pressed(s) || fiber_running(L) == NULL) return send_finish(L, NULL);
    struct relief_wait *wait = fiber_op_new(L, "stream:send", sizeof *wait, NULL);
    wait->stream = s;
    stream_on_relief(s, relief, wait);
    fiber_op_hold(wait);
    return fiber_wait(L, wait, send_finish, send_cancel);
}

static int l_prime(lua_State *L)
{
    struct stream *s = check_stream(L);
    lua_Integer retry_ms = luaL_optinteger(L, 2, 0);
    luaL_argcheck(L, retry_ms >= 0 && retry_ms <= 3600000, 2, "expected 0 to 3600000 ms");
    if (s != NULL) stream_prime(s, (unsigned)retry_ms);
    return 0;
}

static int l_detach(lua_State *L)
{
    struct stream *s = check_stream(L);
    if (s != NULL) stream_detach(s);
    return 0;
}

static int l_open(lua_State *L)
{
    const struct stream *s = check_stream(L);
    lua_pushboolean(L, s != NULL && stream_has_peer(s));
    return 1;
}

/* ---- the module -------------------------------------------------------------------------------------- */

static struct stream_hub *hub_of(lua_State *L)
{
    vm_check_serving(L, "stream");
    return vm_of(L)->host->streams;
}

static int l_publish(lua_State *L)
{
    const char *topic = luaL_checkstring(L, 1), *text = luaL_checkstring(L, 2);
    lua_pushinteger(L, (lua_Integer)stream_publish(hub_of(L), topic, text));
    return 1;
}

static int l_send_one(lua_State *L)
{
    size_t len;
    const char *topic = luaL_checkstring(L, 1), *text = luaL_checklstring(L, 2, &len);
    lua_pushboolean(L, stream_send_one(hub_of(L), topic, text, len));
    return 1;
}

static int l_end_topic(lua_State *L)
{
    const char *topic = luaL_checkstring(L, 1), *text = luaL_optstring(L, 2, NULL);
    lua_pushinteger(L, (lua_Integer)stream_end_topic(hub_of(L), topic, text));
    return 1;
}

static int l_owner(lua_State *L)
{
    lua_pushstring(L, stream_owner(hub_of(L), luaL_checkstring(L, 1)));
    return 1;
}

static int l_count(lua_State *L)
{
    lua_pushinteger(L, (lua_Integer)stream_hub_count(hub_of(L)));
    return 1;
}

int luaopen_stream(lua_State *L)
{
    static const luaL_Reg methods[] = {
        {"send", l_send}, {"prime", l_prime}, {"detach", l_detach}, {"has_peer", l_open}, {NULL, NULL}};
    static const luaL_Reg functions[] = {{"publish", l_publish},     {"send_one", l_send_one},
                                         {"end_topic", l_end_topic}, {"owner", l_owner},
                                         {"count", l_count},         {NULL, NULL}};
    luaL_newmetatable(L, METATABLE);
    luaL_newlib(L, methods);
    lua_setfield(L, -2, "__index");
    luaL_newlib(L, functions);
    return 1;
}
