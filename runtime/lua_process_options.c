#include "lua_process_options.h"

#include <errno.h>
#include <lauxlib.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "fiber.h"
#include "process_call.h"
#include "process_spawn.h"

/* What a reader knows; the value is on top of the stack. */
struct reading {
    const char *function;
    const char *option;
    struct process_options *o;
};

static int refuse_type(lua_State *L, const struct reading *r, const char *expected)
{
    return luaL_error(L, "%s: option %s: expected %s, got %s", r->function, r->option, expected,
                      luaL_tolstring(L, -1, NULL));
}

static void anchor(lua_State *L, int index)
{
    lua_pushvalue(L, index);
    lua_rawseti(L, PROCESS_ANCHOR, (lua_Integer)lua_rawlen(L, PROCESS_ANCHOR) + 1);
}

/* The string on top, anchored. Numbers are no strings here: converting one would make a new string. */
static const char *read_text(lua_State *L, const struct reading *r, const char *expected, size_t *len)
{
    if (lua_type(L, -1) != LUA_TSTRING) refuse_type(L, r, expected);
    anchor(L, -1);
    return lua_tolstring(L, -1, len);
}

/* As read_text, for what is handed over as a C string. */
static const char *read_word(lua_State *L, const struct reading *r, const char *expected)
{
    size_t len;
    const char *text = read_text(L, r, expected, &len);
    if (strlen(text) != len)
        process_fail(&r->o->refusal, EINVAL, "a value in %s contains a NUL byte", r->option);
    return text;
}

static void read_command(lua_State *L, const struct reading *r)
{
    r->o->request.command = read_text(L, r, "a string", &r->o->request.command_len);
}

static void read_argv(lua_State *L, const struct reading *r)
{
    if (!lua_istable(L, -1) || lua_rawlen(L, -1) == 0) refuse_type(L, r, "a list of strings");
    size_t count = lua_rawlen(L, -1);
    const char **argv = lua_newuserdatauv(L, (count + 1) * sizeof *argv, 0);
    anchor(L, -1);
    lua_pop(L, 1);
    for (size_t i = 0; i < count; i++) {
        lua_rawgeti(L, -1, (lua_Integer)i + 1);
        argv[i] = read_word(L, r, "a list of strings");
        lua_pop(L, 1);
    }
    argv[count] = NULL;
    r->o->request.argv = argv;
}

static void read_cwd(lua_State *L, const struct reading *r)
{
    const char *text = read_text(L, r, "a path", &r->o->cwd_len);
    r->o->cwd = malloc(r->o->cwd_len + 1);
    if (r->o->cwd == NULL) luaL_error(L, "%s: not enough memory", r->function);
    memcpy(r->o->cwd, text, r->o->cwd_len + 1);
}

static size_t count_pairs(lua_State *L)
{
    size_t count = 0;
    for (lua_pushnil(L); lua_next(L, -2) != 0; lua_pop(L, 1))
        count++;
    return count;
}

static struct environment_variable read_variable(lua_State *L, const struct reading *r)
{
    struct environment_variable v = {.value = read_word(L, r, "a table of names and strings")};
    lua_pushvalue(L, -2);
    v.name = read_word(L, r, "a table of names and strings");
    lua_pop(L, 1);
    if (v.name[0] == 0 || strchr(v.name, '=') != NULL)
        process_fail(&r->o->refusal, EINVAL, "\"%s\" is no name for an environment variable", v.name);
    return v;
}

static void read_env(lua_State *L, const struct reading *r)
{
    if (!lua_istable(L, -1)) refuse_type(L, r, "a table of names and strings");
    size_t count = count_pairs(L);
    struct environment_variable *env = lua_newuserdatauv(L, (count + 1) * sizeof *env, 0);
    anchor(L, -1);
    lua_pop(L, 1);
    for (lua_pushnil(L); lua_next(L, -2) != 0; lua_pop(L, 1))
        env[r->o->request.env_count++] = read_variable(L, r);
    r->o->request.env = env;
}

static void read_timeout(lua_State *L, const struct reading *r)
{
    lua_Number ms = lua_type(L, -1) == LUA_TNUMBER ? lua_tonumber(L, -1) : 0;
    if (!(ms > 0)) refuse_type(L, r, "a positive number of milliseconds"); /* NaN is none */
    r->o->request.timeout_ms = ms < PROCESS_TIMEOUT_MAX_MS ? (uint64_t)ceil(ms) : PROCESS_TIMEOUT_MAX_MS;
}

static void read_capture(lua_State *L, const struct reading *r)
{
    lua_Integer bytes = lua_isinteger(L, -1) ? lua_tointeger(L, -1) : -1;
    if (bytes < 0 || bytes > PROCESS_CAPTURE_MAX) refuse_type(L, r, "a number of bytes from 0 to 67108864");
    r->o->capture_bytes = (size_t)bytes;
}

static void read_stdin(lua_State *L, const struct reading *r)
{
    r->o->request.input = read_text(L, r, "a string", &r->o->request.input_len);
}

static void read_on_output(lua_State *L, const struct reading *r)
{
    if (!lua_isfunction(L, -1)) refuse_type(L, r, "a function");
    lua_pushvalue(L, -1);
    lua_setfield(L, PROCESS_ANCHOR, PROCESS_ON_OUTPUT);
    r->o->watched = true;
}

static const struct option {
    const char *name;
    void (*read)(lua_State *L, const struct reading *r);
    bool only_run;
} options[] = {
    {"command", read_command, false},   {"argv", read_argv, false},
    {"cwd", read_cwd, false},           {"env", read_env, false},
    {"timeout_ms", read_timeout, true}, {"capture_bytes", read_capture, true},
    {"stdin", read_stdin, true},        {PROCESS_ON_OUTPUT, read_on_output, true},
};
#define OPTION_COUNT (sizeof options / sizeof options[0])

static bool is_offered(const struct option *option, enum process_face face)
{
    return face == PROCESS_FACE_RUN || !option->only_run;
}

static int refuse_name(lua_State *L, enum process_face face, const char *function, const char *name)
{
    luaL_Buffer names;
    luaL_buffinit(L, &names);
    for (size_t i = 0; i < OPTION_COUNT; i++) {
        if (!is_offered(&options[i], face)) continue;
        if (i > 0) luaL_addstring(&names, ", ");
        luaL_addstring(&names, options[i].name);
    }
    luaL_pushresult(&names);
    return luaL_error(L, "%s: unknown option \"%s\"; expected one of %s", function, name,
                      lua_tostring(L, -1));
}

static const struct option *find_option(lua_State *L, enum process_face face, const char *function)
{
    if (lua_type(L, -2) != LUA_TSTRING)
        luaL_error(L, "%s: expected names of options as keys, got a %s", function, luaL_typename(L, -2));
    const char *name = lua_tostring(L, -2);
    for (size_t i = 0; i < OPTION_COUNT; i++)
        if (strcmp(options[i].name, name) == 0 && is_offered(&options[i], face)) return &options[i];
    refuse_name(L, face, function, name);
    return NULL;
}

static bool has_variable(const struct process_request *request, const char *name)
{
    for (size_t i = 0; i < request->env_count; i++)
        if (strcmp(request->env[i].name, name) == 0) return true;
    return false;
}

/* What the fiber works for (fiber_trace), unless the call says something else. */
static void add_trace(lua_State *L, struct process_request *request)
{
    const struct fiber *fiber = fiber_running(L);
    if (fiber == NULL || fiber_trace(fiber)[0] == '\0' || has_variable(request, "TRACEPARENT")) return;
    struct environment_variable *env = lua_newuserdatauv(L, (request->env_count + 1) * sizeof *env, 0);
    anchor(L, -1);
    lua_pop(L, 1);
    for (size_t i = 0; i < request->env_count; i++)
        env[i] = request->env[i];
    lua_pushstring(L, fiber_trace(fiber)); /* outlives the fiber's record */
    anchor(L, -1);
    env[request->env_count++] = (struct environment_variable){"TRACEPARENT", lua_tostring(L, -1)};
    lua_pop(L, 1);
    request->env = env;
}

void process_options_read(lua_State *L, enum process_face face, struct process_options *o)
{
    const char *function = face == PROCESS_FACE_RUN ? "process.run" : "process.start";
    if (!lua_istable(L, 1))
        luaL_error(L, "%s: expected a table of options, got %s", function, luaL_typename(L, 1));
    o->capture_bytes = PROCESS_CAPTURE_BYTES;
    o->request.timeout_ms = PROCESS_DEFAULT_TIMEOUT_MS;
    for (lua_pushnil(L); lua_next(L, 1) != 0; lua_pop(L, 1)) {
        const struct option *option = find_option(L, face, function);
        option->read(L, &(struct reading){function, option->name, o});
    }
    add_trace(L, &o->request);
    if ((o->request.command == NULL) == (o->request.argv == NULL))
        luaL_error(L, "%s: expected either command or argv, got %s", function,
                   o->request.command == NULL ? "neither" : "both");
}
