#include "lua_http.h"

#include <lauxlib.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "call.h"
#include "client_address.h"
#include "config.h"
#include "fiber.h"
#include "log.h"
#include "lua_json.h"
#include "lua_modules.h"
#include "lua_self.h"
#include "lua_stream.h"
#include "origin.h"
#include "vm.h"

#define REQUEST_METATABLE "sandstorm.request"
#define LOGGER "sandstorm_mcp.http"
#define ANSWER_HEADERS_MAX 20

static void request_metatable(lua_State *L);

void lua_http_open(lua_State *L)
{
    request_metatable(L);
    luaopen_stream(L);
    lua_pop(L, 1);
}

/* ---- the request object ------------------------------------------------------------------------------ */

static struct call *check_request(lua_State *L)
{
    struct call **handle = lua_self(L, REQUEST_METATABLE);
    if (*handle == NULL) luaL_error(L, "the request is over");
    return *handle;
}

/* What the peer sent is gone once the response is a stream. */
static const struct http_request *received(lua_State *L, const struct call *call)
{
    if (call->exchange == NULL) luaL_error(L, "read what was sent before the answer becomes a stream");
    return http_exchange_request(call->exchange);
}

static const struct http_request *check_received(lua_State *L)
{
    return received(L, check_request(L));
}

static int request_header(lua_State *L)
{
    size_t count = 0;
    const struct http_request *request = check_received(L);
    lua_pushstring(L, http_request_header(request, luaL_checkstring(L, 2), &count));
    lua_pushinteger(L, (lua_Integer)count);
    return 2;
}

static int request_body(lua_State *L)
{
    const struct buf *body = check_received(L)->body;
    lua_pushlstring(L, body->len > 0 ? body->data : "", body->len);
    return 1;
}

static int request_json(lua_State *L)
{
    const struct buf *body = check_received(L)->body;
    return lua_json_push_sent(L, body->len > 0 ? body->data : "", body->len);
}

static int request_stop_on_disconnect(lua_State *L)
{
    struct call *call = check_request(L);
    luaL_checktype(L, 2, LUA_TBOOLEAN);
    call->fiber = lua_toboolean(L, 2) ? fiber_running(L) : NULL;
    if (call->fiber != NULL && call->exchange != NULL) http_exchange_cling(call->exchange);
    return 0;
}

static uint64_t check_ms(lua_State *L, int index)
{
    lua_Integer ms = luaL_checkinteger(L, index);
    luaL_argcheck(L, ms >= 1 && ms <= 86400000, index, "expected 1 to 86400000 ms");
    return (uint64_t)ms;
}

/* Stays on the stack, and so alive. */
static const char *late_text(lua_State *L, const char *name)
{
    if (lua_getfield(L, 4, name) == LUA_TNIL) return NULL;
    return luaL_checkstring(L, -1);
}

static bool late_flag(lua_State *L, const char *name)
{
    lua_getfield(L, 4, name);
    return lua_toboolean(L, -1);
}

static int request_stream_when_slow(lua_State *L)
{
    struct call *call = check_request(L);
    struct call_late late = {.after_ms = check_ms(L, 2), .every_ms = check_ms(L, 3)};
    if (!lua_isnoneornil(L, 4)) {
        luaL_checktype(L, 4, LUA_TTABLE);
        late.id = late_text(L, "id");
        late.owner = late_text(L, "owner");
        late.kept = late_flag(L, "kept");
        late.primed = late_flag(L, "primed");
    }
    call_stream_when_slow(call, &late);
    return 0;
}

static int request_on_stop(lua_State *L)
{
    struct call *call = check_request(L);
    luaL_checktype(L, 2, LUA_TFUNCTION);
    lua_settop(L, 2);
    int reference = luaL_ref(L, LUA_REGISTRYINDEX);
    luaL_unref(L, LUA_REGISTRYINDEX, call->on_stop);
    call->on_stop = reference;
    return 0;
}

/* Who sent the request, by its peer and the headers of proxies that are trusted. */
static int push_client(lua_State *L, const struct call *call, const struct http_request *request, bool whole)
{
    char address[CLIENT_ADDRESS_SIZE], network[CLIENT_ADDRESS_SIZE];
    client_address(call->host->origins, request, address);
    lua_pushstring(L, whole ? address : client_network(address, network));
    return 1;
}

static int push_origin(lua_State *L, const struct call *call, const struct http_request *request)
{
    char text[ORIGIN_SIZE];
    lua_pushstring(L, origin_of_request(call->host->origins, request, text, sizeof text) ? text : NULL);
    return 1;
}

/* A table of what stands for each `{name}` of the route's path. */
static int push_parameters(lua_State *L, const struct call *call, const char *path)
{
    struct route_parameter parameters[ROUTE_PARAMETERS_MAX];
    size_t count = route_parameters(call->route, path, parameters);
    lua_createtable(L, 0, (int)count);
    for (size_t i = 0; i < count; i++) {
        lua_pushlstring(L, parameters[i].name, parameters[i].name_len);
        lua_pushlstring(L, parameters[i].value, parameters[i].value_len);
        lua_rawset(L, -3);
    }
    return 1;
}

/* What is there as it came. */
static bool push_text(lua_State *L, const char *name, const struct call *call,
                      const struct http_request *request)
{
    const struct {
        const char *name, *value;
    } fields[] = {{"method", strcmp(request->method, "HEAD") == 0 ? "GET" : request->method},
                  {"principal", call->principal[0] != '\0' ? call->principal : NULL},
                  {"path", request->path},
                  {"query", request->query},
                  {"host", request->host},
                  {"peer", request->peer}};
    for (size_t i = 0; i < sizeof fields / sizeof fields[0]; i++) {
        if (strcmp(fields[i].name, name) != 0) continue;
        lua_pushstring(L, fields[i].value);
        return true;
    }
    return false;
}

static int request_index(lua_State *L)
{
    const char *name = luaL_checkstring(L, 2);
    lua_pushvalue(L, 2);
    if (lua_rawget(L, lua_upvalueindex(2)) != LUA_TNIL) return 1;
    const struct call *call = check_request(L);
    const struct http_request *request = received(L, call);
    if (push_text(L, name, call, request)) return 1;
    if (strcmp(name, "size") == 0) {
        lua_pushinteger(L, (lua_Integer)request->body->len);
        return 1;
    }
    if (strcmp(name, "parameters") == 0) return push_parameters(L, call, request->path);
    if (strcmp(name, "client") == 0) return push_client(L, call, request, true);
    if (strcmp(name, "network") == 0) return push_client(L, call, request, false);
    if (strcmp(name, "origin") == 0) return push_origin(L, call, request);
    return 0;
}

static int request_stream(lua_State *L)
{
    return lua_stream_open(L, check_request(L), 2);
}

static int request_resume(lua_State *L)
{
    return lua_stream_resume(L, check_request(L), 2);
}

/* The script dropped the request before it was answered. */
static int request_gc(lua_State *L)
{
    struct call **handle = lua_touserdata(L, 1);
    if (*handle != NULL) (*handle)->handle = NULL;
    return 0;
}

static void request_metatable(lua_State *L)
{
    static const luaL_Reg methods[] = {
        {"header", request_header},
        {"body", request_body},
        {"json", request_json},
        {"stop_on_disconnect", request_stop_on_disconnect},
        {"stream_when_slow", request_stream_when_slow},
        {"on_stop", request_on_stop},
        {"stream", request_stream},
        {"resume", request_resume},
        {NULL, NULL},
    };
    luaL_newmetatable(L, REQUEST_METATABLE);
    lua_pushvalue(L, -1);
    luaL_newlibtable(L, methods);
    lua_pushvalue(L, -2);
    luaL_setfuncs(L, methods, 1);
    lua_pushcclosure(L, request_index, 2);
    lua_setfield(L, -2, "__index");
    lua_pushcfunction(L, request_gc);
    lua_setfield(L, -2, "__gc");
    lua_pushboolean(L, 0);
    lua_setfield(L, -2, "__metatable");
    lua_pop(L, 1);
}

/* ---- the answer -------------------------------------------------------------------------------------- */

static void answer_error(struct call *call, int status)
{
    char body[64];
    int len = snprintf(body, sizeof body, "{\"error\":\"%s\"}", http_status_text(status));
    call_answer(call, &(struct http_response){.status = status,
                                              .content_type = "application/json",
                                              .body = body,
                                              .body_len = (size_t)len});
}

/* Strings of the table stay where they are while it is on the stack. */
static size_t read_headers(lua_State *L, int index, struct http_header *headers, const char **content_type)
{
    size_t count = 0;
    if (!lua_istable(L, index)) return 0;
    lua_pushnil(L);
    while (lua_next(L, index) != 0) {
        bool texts = lua_type(L, -2) == LUA_TSTRING && lua_type(L, -1) == LUA_TSTRING;
        const char *name = texts ? lua_tostring(L, -2) : NULL;
        if (texts && strcasecmp(name, "content-type") == 0)
            *content_type = lua_tostring(L, -1);
        else if (texts && count < ANSWER_HEADERS_MAX)
            headers[count++] = (struct http_header){name, lua_tostring(L, -1)};
        lua_pop(L, 1);
    }
    return count;
}

/* The handler returned status, body, headers. */
static void answer_returned(struct call *call, lua_State *L, int count)
{
    struct http_header headers[ANSWER_HEADERS_MAX];
    struct http_response response = {.headers = headers};
    int first = lua_gettop(L) - count + 1;
    if (call->detached) {
        call_answer(call, &response);
        return;
    }
    if (count < 1 || !lua_isinteger(L, first) || !lua_checkstack(L, 8)) {
        log_line(call->host->log, LOG_ERROR, LOGGER, "the handler of %s returned no status",
                 call->route->path);
        answer_error(call, 500);
        return;
    }
    response.status = (int)lua_tointeger(L, first);
    if (count >= 2 && lua_type(L, first + 1) == LUA_TSTRING) {
        response.body = lua_tolstring(L, first + 1, &response.body_len);
        response.content_type = "application/json";
    }
    if (count >= 3) response.header_count = read_headers(L, first + 2, headers, &response.content_type);
    call_answer(call, &response);
}

static void log_failure(const struct call *call, lua_State *L, enum fiber_outcome outcome)
{
    const char *text = lua_type(L, -1) == LUA_TSTRING ? lua_tostring(L, -1) : luaL_typename(L, -1);
    const char *trace = outcome == FIBER_RAISED ? lua_tostring(L, -2) : NULL;
    log_line(call->host->log, LOG_ERROR, LOGGER, "the handler of %s failed: %s %s", call->route->path, text,
             trace != NULL ? trace : "");
}

static void on_stop_done(void *data, lua_State *L, enum fiber_outcome outcome, int count)
{
    struct call *call = data;
    call->fiber = NULL;
    if (outcome == FIBER_RETURNED) {
        answer_returned(call, L, count);
        return;
    }
    log_failure(call, L, outcome);
    answer_error(call, 500);
}

/* The handler was stopped for the reason on top of L; the script's own function makes the answer. */
static void answer_stopped(struct call *call, lua_State *L)
{
    const struct fiber_limits limits = {.deadline_ms = 2000, .cpu_ms = 500};
    lua_State *M = call->vm->L;
    if (call->on_stop == LUA_NOREF || !lua_checkstack(M, 4)) {
        log_failure(call, L, FIBER_STOPPED);
        answer_error(call, 500);
        return;
    }
    lua_rawgeti(M, LUA_REGISTRYINDEX, call->on_stop);
    luaL_unref(M, LUA_REGISTRYINDEX, call->on_stop);
    call->on_stop = LUA_NOREF;
    lua_xmove(L, M, 1);
    if (!fiber_start(call->vm, 1, &limits, on_stop_done, call)) answer_error(call, 500);
}

static void on_done(void *data, lua_State *L, enum fiber_outcome outcome, int count)
{
    struct call *call = data;
    call->fiber = NULL;
    if (outcome == FIBER_STOPPED) {
        answer_stopped(call, L);
        return;
    }
    luaL_unref(L, LUA_REGISTRYINDEX, call->on_stop);
    if (outcome == FIBER_RETURNED) {
        answer_returned(call, L, count);
        return;
    }
    log_failure(call, L, outcome);
    answer_error(call, 500);
}

static int push_call(lua_State *L)
{
    struct call *call = lua_touserdata(L, 1);
    lua_rawgeti(L, LUA_REGISTRYINDEX, call->route->handler);
    call->handle = lua_newuserdatauv(L, sizeof *call->handle, 0);
    *call->handle = call;
    luaL_setmetatable(L, REQUEST_METATABLE);
    return 2;
}

/* The client hung up: the handler is stopped if it asked for that. */
static void on_unheard(struct call *call)
{
    if (call->fiber != NULL) fiber_stop(call->fiber, "stopped: the client hung up");
}

void lua_http_start(struct call *call)
{
    const struct config *config = call->host->config;
    const struct fiber_limits limits = {.deadline_ms = (uint64_t)config->call_deadline_ms,
                                        .cpu_ms = (uint64_t)config->script_cpu_ms};
    lua_State *M = call->vm->L;
    call->started = true;
    call->unheard = on_unheard;
    call->on_stop = LUA_NOREF;
    if (!lua_checkstack(M, 8)) {
        answer_error(call, 500);
        return;
    }
    lua_pushcfunction(M, push_call);
    lua_pushlightuserdata(M, call);
    if (lua_pcall(M, 1, 2, 0) != LUA_OK) {
        log_line(call->host->log, LOG_ERROR, LOGGER, "not enough memory for a request: SANDSTORM_LUA_MEMORY");
        lua_pop(M, 1);
        answer_error(call, 500);
        return;
    }
    if (!fiber_start(call->vm, 1, &limits, on_done, call)) answer_error(call, 500);
}
