#include "lua_sandbox.h"

#include <errno.h>
#include <lauxlib.h>
#include <limits.h>
#include <lualib.h>
#include <stdio.h>
#include <string.h>

#include "fiber.h"
#include "log.h"
#include "vm.h"

/* ---- loading code ------------------------------------------------------------------------------------ */

static const char *base_name(const char *path)
{
    const char *slash = strrchr(path, '/');
    return slash != NULL ? slash + 1 : path;
}

static int l_loadfile(lua_State *L)
{
    const char *path = luaL_checkstring(L, 1);
    bool has_env = !lua_isnone(L, 3);
    lua_settop(L, 3);
    if (!vm_load_file(L, path, base_name(path))) {
        lua_pushnil(L);
        lua_insert(L, -2);
        return 2;
    }
    if (has_env) {
        lua_pushvalue(L, 3);
        lua_setupvalue(L, -2, 1);
    }
    return 1;
}

static bool module_name_ok(const char *name)
{
    if (name[0] == '\0' || strlen(name) > 128) return false;
    for (const char *c = name; *c != '\0'; c++) {
        bool dot_wrong = *c == '.' && (c == name || c[1] == '.' || c[1] == '\0');
        if (dot_wrong ||
            strchr("abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_-.", *c) == NULL)
            return false;
    }
    return true;
}

/* Pushes the loader and the file name if `folder` has the module; else nothing. */
static bool search_folder(lua_State *L, const char *folder, size_t folder_len, const char *prefix,
                          const char *name)
{
    char path[PATH_MAX], shown[256];
    if (snprintf(path, sizeof path, "%.*s/%s.lua", (int)folder_len, folder, name) >= (int)sizeof path)
        return false;
    for (char *c = path + folder_len; c < path + strlen(path) - 4; c++)
        if (*c == '.') *c = '/';
    snprintf(shown, sizeof shown, "%s%s", prefix, path + folder_len + 1);
    if (vm_load_file(L, path, shown)) {
        lua_pushstring(L, path);
        return true;
    }
    if (errno != ENOENT && errno != ENOTDIR) luaL_error(L, "%s", lua_tostring(L, -1));
    lua_pop(L, 1);
    return false;
}

static int l_searcher(lua_State *L)
{
    struct vm *vm = vm_of(L);
    const char *name = luaL_checkstring(L, 1);
    if (!vm->loading && !vm->late_require) {
        lua_pushliteral(L, "modules are read when the scripts are loaded: require it at the top of the file");
        return 1;
    }
    if (!module_name_ok(name)) {
        lua_pushliteral(L, "a module name has letters, digits, '_', '-' and single dots between them");
        return 1;
    }
    size_t folder_len = (size_t)(base_name(vm->root) - vm->root);
    if (folder_len > 0) folder_len--;
    if (search_folder(L, vm->library, strlen(vm->library), "lib/", name)) {
        lua_seal_push_library(L);
        lua_setupvalue(L, -3, 1);
        return 2;
    }
    if (search_folder(L, vm->root, folder_len, "", name)) {
        lua_seal_own_module(L, 1);
        return 2;
    }
    lua_pushfstring(L, "no %s.lua in lib/ or beside %s", name, base_name(vm->root));
    return 1;
}

static void open_require(lua_State *L)
{
    luaL_requiref(L, LUA_LOADLIBNAME, luaopen_package, 1);
    lua_getfield(L, -1, "searchers");
    lua_rawgeti(L, -1, 1);
    lua_createtable(L, 2, 0);
    lua_insert(L, -2);
    lua_rawseti(L, -2, 1);
    lua_pushcfunction(L, l_searcher);
    lua_rawseti(L, -2, 2);
    /* package.searchers must be replaced in the table that `require` holds as its upvalue. */
    lua_setfield(L, -3, "searchers");
    lua_pop(L, 1);
    static const char *const removed[] = {"loadlib", "searchpath", "cpath", "path", "config"};
    for (size_t i = 0; i < sizeof removed / sizeof removed[0]; i++) {
        lua_pushnil(L);
        lua_setfield(L, -2, removed[i]);
    }
    lua_pop(L, 1);
}

/* ---- the rest ---------------------------------------------------------------------------------------- */

/* stdout belongs to the log: what a script prints becomes a line of it. */
static int l_print(lua_State *L)
{
    luaL_Buffer b;
    int n = lua_gettop(L);
    luaL_buffinit(L, &b);
    for (int i = 1; i <= n; i++) {
        if (i > 1) luaL_addchar(&b, '\t');
        luaL_tolstring(L, i, NULL);
        luaL_addvalue(&b);
    }
    luaL_pushresult(&b);
    log_line(vm_of(L)->host->log, LOG_INFO, "sandstorm_mcp.print", "%s", lua_tostring(L, -1));
    return 0;
}

static int l_os_exit(lua_State *L)
{
    return luaL_error(L, "os.exit is not available: a script cannot end the server; return or raise instead");
}

static void keep_only(lua_State *L, const char *library, const char *const names[])
{
    lua_getglobal(L, library);
    lua_newtable(L);
    for (size_t i = 0; names[i] != NULL; i++) {
        lua_getfield(L, -2, names[i]);
        lua_setfield(L, -2, names[i]);
    }
    lua_pushvalue(L, -1);
    lua_setglobal(L, library);
    luaL_getsubtable(L, LUA_REGISTRYINDEX, LUA_LOADED_TABLE);
    lua_pushvalue(L, -2);
    lua_setfield(L, -2, library);
    lua_pop(L, 3);
}

static void set_global(lua_State *L, const char *name, lua_CFunction f)
{
    lua_pushcfunction(L, f);
    lua_setglobal(L, name);
}

static void open_libraries(lua_State *L)
{
    static const luaL_Reg libraries[] = {
        {LUA_GNAME, luaopen_base},        {LUA_COLIBNAME, luaopen_coroutine}, {LUA_TABLIBNAME, luaopen_table},
        {LUA_STRLIBNAME, luaopen_string}, {LUA_MATHLIBNAME, luaopen_math},    {LUA_UTF8LIBNAME, luaopen_utf8},
        {LUA_OSLIBNAME, luaopen_os},      {LUA_DBLIBNAME, luaopen_debug},     {NULL, NULL},
    };
    for (const luaL_Reg *l = libraries; l->func != NULL; l++) {
        luaL_requiref(L, l->name, l->func, 1);
        lua_pop(L, 1);
    }
}

void lua_sandbox_open(lua_State *L)
{
    static const char *const os_names[] = {"clock", "date", "difftime", "getenv", "time", NULL};
    static const char *const debug_names[] = {"traceback", NULL};
    open_libraries(L);
    open_require(L);
    keep_only(L, LUA_OSLIBNAME, os_names);
    keep_only(L, LUA_DBLIBNAME, debug_names);
    lua_getglobal(L, LUA_OSLIBNAME);
    lua_pushcfunction(L, l_os_exit);
    lua_setfield(L, -2, "exit");
    lua_getglobal(L, LUA_STRLIBNAME);
    lua_pushnil(L);
    lua_setfield(L, -2, "dump");
    lua_settop(L, 0);
    lua_sandbox_calls(L);
    lua_sandbox_coroutine(L);
    lua_sandbox_pattern(L);
    lua_sandbox_table(L);
    lua_sandbox_sort(L);
    lua_sandbox_bounds(L);
    lua_sandbox_load(L);
    set_global(L, "print", l_print);
    set_global(L, "loadfile", l_loadfile);
    lua_pushnil(L);
    lua_setglobal(L, "dofile");
    lua_sandbox_seal(L);
}
