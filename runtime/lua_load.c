/* load (Lua 5.4 Reference Manual, 6.1): text only. The compiler cannot be interrupted, so a handler may give
 * it only what it is done with soon; pieces that a function returns are put together before. */
#include <lauxlib.h>

#include "fiber.h"
#include "lua_output.h"
#include "lua_sandbox.h"
#include "vm.h"

#define BYTES_MAX (32u << 10) /* in a handler: the worst text of this size compiles in some 100 ms */
#define LOADING_BYTES_MAX (4u << 20)

enum { CHUNK = 1, NAME, ENVIRONMENT, RECORD, OUTPUT };

struct load {
    bool has_environment;
    struct lua_output text;
};

static int fail(lua_State *L)
{
    luaL_pushfail(L);
    lua_insert(L, -2);
    return 2;
}

static bool is_too_long(lua_State *L, size_t len)
{
    size_t most = vm_of(L)->loading ? LOADING_BYTES_MAX : BYTES_MAX;
    if (len <= most) return false;
    lua_pushfstring(L, "load: the text is longer than %d bytes", (int)most);
    return true;
}

static int compile(lua_State *L, bool has_environment, const char *text, size_t len, const char *name)
{
    if (is_too_long(L, len) || luaL_loadbufferx(L, text, len, name, "t") != LUA_OK) return fail(L);
    if (has_environment) {
        lua_pushvalue(L, ENVIRONMENT);
        if (lua_setupvalue(L, -2, 1) == NULL) lua_pop(L, 1);
    }
    return 1;
}

static int compile_pieces(lua_State *L, const struct load *l)
{
    lua_output_push(L, &l->text);
    size_t len;
    const char *text = lua_tolstring(L, -1, &len);
    return compile(L, l->has_environment, text, len, luaL_optstring(L, NAME, "=(load)"));
}

#define MORE (-1)

/* The piece, or the error object, is on top. Results of load, or MORE. */
static int take_piece(lua_State *L, struct load *l, int status)
{
    size_t len;
    if (status != LUA_OK && status != LUA_YIELD) {
        if (status == LUA_ERRMEM) fiber_stop_for_memory(L);
        return vm_stopping(L) ? lua_error(L) : fail(L);
    }
    if (lua_isnil(L, -1)) return compile_pieces(L, l);
    const char *piece = lua_tolstring(L, -1, &len);
    if (piece == NULL) {
        luaL_where(L, 1);
        lua_pushliteral(L, "reader function must return a string");
        lua_concat(L, 2);
        return fail(L);
    }
    if (len == 0) return compile_pieces(L, l);
    lua_output_append(L, OUTPUT, &l->text, piece, len);
    lua_settop(L, OUTPUT);
    return is_too_long(L, l->text.len) ? fail(L) : MORE;
}

static int called(lua_State *L, int status, lua_KContext context);

static int read_pieces(lua_State *L, struct load *l)
{
    int results;
    do {
        lua_pushvalue(L, CHUNK);
        results = take_piece(L, l, lua_pcallk(L, 0, 1, 0, (lua_KContext)l, called));
    } while (results == MORE);
    return results;
}

static int called(lua_State *L, int status, lua_KContext context)
{
    struct load *l = (struct load *)context;
    int results = take_piece(L, l, status);
    return results == MORE ? read_pieces(L, l) : results;
}

static int l_load(lua_State *L)
{
    bool has_environment = !lua_isnone(L, 4);
    lua_settop(L, 4);
    lua_remove(L, 3);
    if (lua_isstring(L, CHUNK)) {
        size_t len;
        const char *text = lua_tolstring(L, CHUNK, &len);
        return compile(L, has_environment, text, len, luaL_optstring(L, NAME, text));
    }
    luaL_checktype(L, CHUNK, LUA_TFUNCTION);
    luaL_optstring(L, NAME, "");
    struct load *l = lua_newuserdatauv(L, sizeof *l, 0);
    l->has_environment = has_environment;
    lua_output_begin(&l->text);
    lua_settop(L, OUTPUT);
    return read_pieces(L, l);
}

void lua_sandbox_load(lua_State *L)
{
    lua_pushcfunction(L, l_load);
    lua_setglobal(L, "load");
}
