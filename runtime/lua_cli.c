#include "lua_cli.h"

#include <lauxlib.h>
#include <limits.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "config.h"
#include "fiber.h"
#include "jobs.h"
#include "lua_json.h"
#include "script_files.h"
#include "vm.h"

#define SIGNALS 3

struct run {
    struct host *host;
    uv_signal_t signals[SIGNALS];
    unsigned open; /* of them */
    bool over;
    bool as_json; /* print the first result as JSON; else results are ok, text */
    int status;
};

static void print_line(FILE *out, const char *text, size_t len)
{
    fwrite(text, 1, len, out);
    if (len == 0 || text[len - 1] != '\n') fputc('\n', out);
}

static void print_top(FILE *out, lua_State *L)
{
    size_t len;
    const char *text = luaL_tolstring(L, -1, &len);
    print_line(out, text, len);
    lua_pop(L, 1);
}

/* The value on top as a line of JSON on stdout; nothing for nil. */
static int print_json(lua_State *L)
{
    struct buf out = BUF_INIT;
    if (lua_isnil(L, -1)) return 0;
    bool ok = lua_json_encode(L, -1, &out);
    if (ok)
        print_line(stdout, out.data, out.len);
    else
        print_top(stderr, L);
    buf_free(&out);
    return ok ? 0 : 1;
}

static void on_done(void *data, lua_State *L, enum fiber_outcome outcome, int count)
{
    struct run *run = data;
    run->over = true;
    run->status = 1;
    if (outcome != FIBER_RETURNED) {
        fputs("sandstorm-mcp: ", stderr);
        print_top(stderr, L);
        return;
    }
    lua_pop(L, count > 2 ? count - 2 : 0);
    while (count++ < 2)
        lua_pushnil(L);
    if (!run->as_json) {
        bool ok = lua_toboolean(L, -2);
        print_top(ok ? stdout : stderr, L);
        run->status = ok ? 0 : 1;
        return;
    }
    lua_pop(L, 1);
    run->status = print_json(L);
}

/* The program ends by the signal, and what it waited for with it. */
static void on_signal(uv_signal_t *handle, int number)
{
    const struct run *run = handle->data;
    job_table_kill_all(run->host->jobs);
    signal(number, SIG_DFL);
    raise(number);
}

static void catch_signals(struct run *run)
{
    static const int numbers[SIGNALS] = {SIGINT, SIGTERM, SIGHUP};
    for (; run->open < SIGNALS; run->open++) {
        uv_signal_t *handle = &run->signals[run->open];
        uv_signal_init(run->host->loop, handle);
        handle->data = run;
        uv_signal_start(handle, on_signal, numbers[run->open]);
    }
}

static void on_signal_closed(uv_handle_t *handle)
{
    struct run *run = handle->data;
    run->open--;
}

static void leave_signals(struct run *run)
{
    for (unsigned i = 0; i < SIGNALS; i++)
        uv_close((uv_handle_t *)&run->signals[i], on_signal_closed);
    while (run->open > 0)
        uv_run(run->host->loop, UV_RUN_NOWAIT);
}

/* Runs the function and arguments on top of vm->L to their end. */
static int run_fiber(struct vm *vm, int args, bool as_json)
{
    const struct config *config = vm->host->config;
    struct run run = {.host = vm->host, .as_json = as_json};
    const struct fiber_limits limits = {.deadline_ms = (uint64_t)config->call_deadline_ms,
                                        .cpu_ms = (uint64_t)config->script_cpu_ms};
    if (!fiber_start(vm, args, &limits, on_done, &run)) return 1;
    catch_signals(&run);
    while (!run.over)
        uv_run(vm->host->loop, UV_RUN_ONCE);
    fiber_stop_all(vm, "stopped: the command has ended");
    while (fiber_live_count(vm) > 0)
        uv_run(vm->host->loop, UV_RUN_ONCE);
    leave_signals(&run);
    return run.status;
}

/* ---- check ------------------------------------------------------------------------------------------- */

static int check(struct vm *vm)
{
    lua_State *L = vm->L;
    vm_push_app(L);
    lua_getfield(L, -1, "describe");
    int status = lua_pcall(L, 0, 1, 0);
    print_top(status == LUA_OK ? stdout : stderr, L);
    return status == LUA_OK ? 0 : 1;
}

/* ---- call -------------------------------------------------------------------------------------------- */

/* Adds NAME=VALUE to the table on top. A name that is there already, from --json too, is a slip of the hand.
 */
static void add_argument(lua_State *L, const char *word)
{
    const char *equals = strchr(word, '=');
    if (equals == NULL) luaL_error(L, "argument \"%s\": expected NAME=VALUE", word);
    lua_pushlstring(L, word, (size_t)(equals - word));
    lua_pushvalue(L, -1);
    if (lua_rawget(L, -3) != LUA_TNIL)
        luaL_error(L, "argument \"%s\" is given twice; give each name once", lua_tostring(L, -2));
    lua_pop(L, 1);
    lua_pushstring(L, equals + 1);
    lua_rawset(L, -3);
}

/* Protected: pushes app.call, the tool's name and its arguments. */
static int prepare_call(lua_State *L)
{
    const struct config *config = vm_of(L)->host->config;
    vm_push_app(L);
    lua_getfield(L, -1, "call");
    lua_pushstring(L, config->args[0]);
    if (config->call_json != NULL) {
        if (lua_json_push(L, config->call_json, strlen(config->call_json)) != 1)
            return luaL_error(L, "--json: %s", lua_tostring(L, -2));
    } else {
        lua_newtable(L);
    }
    if (!lua_istable(L, -1)) return luaL_error(L, "--json: expected an object, got %s", config->call_json);
    for (int i = 1; i < config->arg_count; i++)
        add_argument(L, config->args[i]);
    return 3;
}

/* ---- token ------------------------------------------------------------------------------------------- */

/* Protected: pushes app.token and the words. */
static int prepare_token(lua_State *L)
{
    const struct config *config = vm_of(L)->host->config;
    vm_push_app(L);
    lua_getfield(L, -1, "token");
    lua_createtable(L, config->arg_count, 0);
    for (int i = 0; i < config->arg_count; i++) {
        lua_pushstring(L, config->args[i]);
        lua_rawseti(L, -2, i + 1);
    }
    return 2;
}

/* ---- run --------------------------------------------------------------------------------------------- */

static int prepare_run(lua_State *L)
{
    const struct config *config = vm_of(L)->host->config;
    char path[PATH_MAX];
    if (realpath(config->args[0], path) == NULL) return luaL_error(L, "%s: No such file", config->args[0]);
    if (!vm_load_file(L, path, config->args[0])) return lua_error(L);
    for (int i = 1; i < config->arg_count; i++)
        lua_pushstring(L, config->args[i]);
    return config->arg_count;
}

static int prepare_and_run(struct vm *vm, lua_CFunction prepare, bool as_json)
{
    lua_State *L = vm->L;
    lua_pushcfunction(L, prepare);
    if (lua_pcall(L, 0, LUA_MULTRET, 0) != LUA_OK) {
        fputs("sandstorm-mcp: ", stderr);
        print_top(stderr, L);
        return 1;
    }
    return run_fiber(vm, lua_gettop(L) - 1, as_json);
}

int lua_cli(struct host *host, const char *tools, const char *library)
{
    struct script_files files = {NULL};
    char error[512];
    struct vm *vm = vm_new(host, 1, tools, library, &files, error, sizeof error);
    script_files_free(&files);
    if (vm == NULL) {
        fprintf(stderr, "%s\n", error);
        return 1;
    }
    vm->late_require = true;
    int status = 1;
    switch (host->config->command) {
    case COMMAND_CHECK:
        status = check(vm);
        break;
    case COMMAND_CALL:
        status = prepare_and_run(vm, prepare_call, false);
        break;
    case COMMAND_TOKEN:
        status = prepare_and_run(vm, prepare_token, false);
        break;
    default:
        status = prepare_and_run(vm, prepare_run, true);
        break;
    }
    fflush(stdout);
    vm_free(vm);
    return status;
}
