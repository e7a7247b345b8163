#include "vm.h"

#include <errno.h>
#include <fcntl.h>
#include <lauxlib.h>
#include <lualib.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "buf.h"
#include "clock.h"
#include "config.h"
#include "fiber.h"
#include "log.h"
#include "lua_http.h"
#include "lua_routes.h"
#include "lua_ticks.h"
#include "lua_modules.h"
#include "lua_sandbox.h"
#include "routes.h"
#include "script_files.h"

#define LOAD_MS 5000
#define TIDY_BYTES ((size_t)8 << 20)   /* so much more than usual is worth giving back */
#define SMALL_BYTES ((size_t)16 << 20) /* a state that is collected as a whole in some 20 ms */
#define YOUNG_PERCENT 10 /* of the heap: what requests leave behind is collected while it is in the cache */
#define STEP_PAUSE 200   /* a new cycle begins at twice what the last one left */
#define SCRIPT_BYTES_MAX (4u << 20)

struct vm *vm_of(lua_State *L)
{
    return *(struct vm **)lua_getextraspace(L);
}

/* Opening waits for nobody: a FIFO without a writer would hold the thread for ever. */
static FILE *file_open(const char *path)
{
    int fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY);
    if (fd < 0) return NULL;
    FILE *in = fdopen(fd, "r");
    if (in == NULL) close(fd);
    return in;
}

/* Fills `text`; returns NULL or what went wrong. */
static const char *file_read(FILE *in, struct buf *text, struct script_file *seen)
{
    struct stat st;
    if (fstat(fileno(in), &st) != 0 || !S_ISREG(st.st_mode)) return "not a regular file";
    if (st.st_size > (off_t)SCRIPT_BYTES_MAX) return "larger than 4 MiB";
    if (seen != NULL) script_file_note(seen, &st);
    size_t got;
    do {
        if (!buf_reserve(text, 65536)) return "not enough memory";
        got = fread(text->data + text->len, 1, 65536, in);
        text->len += got;
    } while (got > 0 && text->len <= SCRIPT_BYTES_MAX);
    if (ferror(in)) return "cannot be read";
    return text->len == 0 ? "empty"
                          : NULL; /* an editor or a full disk has just cut it: it says nothing yet */
}

/* A byte order mark and a first line that starts with `#` are blanked, as the lua program does. */
static void skip_shebang(struct buf *text)
{
    size_t i = text->len >= 3 && memcmp(text->data, "\xEF\xBB\xBF", 3) == 0 ? 3 : 0;
    memset(text->data, ' ', i);
    if (i == text->len || text->data[i] != '#') return;
    for (; i < text->len && text->data[i] != '\n'; i++)
        text->data[i] = ' ';
}

bool vm_load_file(lua_State *L, const char *path, const char *name)
{
    struct vm *vm = vm_of(L);
    struct script_file *seen = vm->loading ? script_files_add(vm->files, path) : NULL;
    FILE *in = file_open(path);
    if (in == NULL) {
        int number = errno;
        lua_pushfstring(L, "%s: cannot be opened: %s", path, strerror(number));
        errno = number;
        return false;
    }
    errno = 0;
    struct buf text = BUF_INIT;
    const char *wrong = file_read(in, &text, seen);
    fclose(in);
    if (wrong != NULL) {
        buf_free(&text);
        lua_pushfstring(L, "%s: %s", path, wrong);
        return false;
    }
    skip_shebang(&text);
    char chunk[256];
    snprintf(chunk, sizeof chunk, "@%s", name);
    int status = luaL_loadbufferx(L, text.data, text.len, chunk, "t");
    buf_free(&text);
    return status == LUA_OK;
}

static void preload_modules(lua_State *L)
{
    luaL_getsubtable(L, LUA_REGISTRYINDEX, LUA_PRELOAD_TABLE);
#define PRELOAD(name)                                                                                        \
    lua_pushcfunction(L, luaopen_##name);                                                                    \
    lua_setfield(L, -2, #name);
    LUA_MODULES(PRELOAD)
#undef PRELOAD
    lua_pushcfunction(L, lua_cjson_open);
    lua_setfield(L, -2, "cjson");
    lua_pop(L, 1);
}

/* Runs protected: everything that makes a generation. */
static int vm_load(lua_State *L)
{
    struct vm *vm = vm_of(L);
    lua_sandbox_open(L);
    fiber_setup(L);
    preload_modules(L);
    lua_seal_push_library(L);
    lua_getfield(L, -1, "require");
    lua_pushliteral(L, "app");
    lua_call(L, 1, 1);
    lua_getfield(L, -1, "load");
    lua_pushstring(L, vm->root);
    lua_call(L, 1, 1);
    luaL_checktype(L, -1, LUA_TTABLE);
    lua_pushvalue(L, -1);
    vm->app = luaL_ref(L, LUA_REGISTRYINDEX);
    lua_getfield(L, -1, "routes");
    lua_routes_read(L, vm->routes);
    lua_rawgeti(L, LUA_REGISTRYINDEX, vm->app);
    lua_getfield(L, -1, "pages");
    lua_routes_read_pages(L, route_pages(vm->routes));
    lua_http_open(L);
    lua_rawgeti(L, LUA_REGISTRYINDEX, vm->app);
    lua_getfield(L, -1, "ticks");
    vm->ticks = lua_ticks_read(L);
    return 0;
}

/* The error object becomes one line of text; a table is asked for __tostring. */
static int message_handler(lua_State *L)
{
    luaL_tolstring(L, 1, NULL);
    return 1;
}

static void copy_error(lua_State *L, char *error, size_t size)
{
    const char *text = lua_tostring(L, -1);
    snprintf(error, size, "%s", text != NULL ? text : "unknown error");
    for (char *c = error; *c != '\0'; c++)
        if (*c == '\n' || *c == '\r') *c = ' ';
}

static bool vm_read_scripts(struct vm *vm, char *error, size_t error_size)
{
    lua_State *L = vm->L;
    lua_sethook(L, fiber_hook, LUA_MASKCOUNT, FIBER_HOOK_COUNT);
    vm->loading = true;
    vm->load_deadline = clock_ns() + LOAD_MS * UINT64_C(1000000);
    lua_pushcfunction(L, message_handler);
    lua_pushcfunction(L, vm_load);
    int status = lua_pcall(L, 0, 0, -2);
    vm->loading = false;
    lua_sethook(L, NULL, 0, 0);
    if (status != LUA_OK) copy_error(L, error, error_size);
    lua_settop(L, 0);
    if (status == LUA_OK) vm_pace(vm, L);
    vm->memory_settled = vm->memory.peak = vm->memory.used;
    return status == LUA_OK;
}

struct vm *vm_new(struct host *host, uint64_t generation, const char *root, const char *library,
                  struct script_files *files, char *error, size_t error_size)
{
    snprintf(error, error_size, "not enough memory");
    struct vm *vm = calloc(1, sizeof *vm);
    if (vm == NULL) return NULL;
    *vm = (struct vm){.host = host, .generation = generation, .files = files, .app = LUA_NOREF};
    vm->memory.limit = (size_t)host->config->lua_memory;
    vm->root = strdup(root);
    vm->library = strdup(library);
    vm->routes = route_table_new();
    vm->L = lua_newstate(vm_memory_alloc, &vm->memory);
    if (vm->L == NULL || vm->routes == NULL || vm->root == NULL || vm->library == NULL) {
        vm_free(vm);
        return NULL;
    }
    *(struct vm **)lua_getextraspace(vm->L) = vm;
    bool ok = vm_read_scripts(vm, error, error_size);
    vm->scripts_id = script_files_id(files);
    vm->files = NULL;
    if (ok) return vm;
    vm_free(vm);
    return NULL;
}

void vm_free(struct vm *vm)
{
    if (vm == NULL) return;
    fiber_teardown(vm);
    if (vm->L != NULL) lua_close(vm->L);
    vm_memory_free(&vm->memory);
    route_table_free(vm->routes);
    lua_ticks_free(vm->ticks);
    free(vm->root);
    free(vm->library);
    free(vm);
}

void vm_pace(struct vm *vm, lua_State *L)
{
    size_t border = vm->by_generations ? SMALL_BYTES : SMALL_BYTES / 2;
    bool small = vm->memory.used < border;
    if (small == vm->by_generations) return;
    int before = small ? lua_gc(L, LUA_GCGEN, YOUNG_PERCENT, 0) : lua_gc(L, LUA_GCINC, STEP_PAUSE, 0, 0);
    if (before >= 0) vm->by_generations = small;
}

void vm_tidy(struct vm *vm)
{
    struct vm_memory *memory = &vm->memory;
    if (fiber_live_count(vm) > 0 || memory->peak < vm->memory_settled + TIDY_BYTES) return;
    size_t peak = memory->peak;
    lua_gc(vm->L, LUA_GCCOLLECT);
    vm_memory_give_back(memory);
    vm->memory_settled = memory->used;
    log_line(vm->host->log, LOG_DEBUG, "sandstorm_mcp.vm", "scripts needed %zu bytes, now %zu", peak,
             memory->used);
}

void vm_hold(struct vm *vm)
{
    vm->holds++;
}

void vm_release(struct vm *vm)
{
    vm->holds--;
}

void vm_check_serving(lua_State *L, const char *function)
{
    if (vm_of(L)->loading)
        luaL_error(L, "%s: not while the scripts are loaded; call it in a handler", function);
}

void vm_push_app(lua_State *L)
{
    lua_rawgeti(L, LUA_REGISTRYINDEX, vm_of(L)->app);
}
