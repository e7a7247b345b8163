#include "lua_routes.h"

#include <lauxlib.h>
#include <stdlib.h>
#include <string.h>

#include "routes.h"

/* Pushes field `name` of the route on top; raises unless it has the wanted type or is absent. */
static int route_field(lua_State *L, const char *name, int type, bool required)
{
    int got = lua_getfield(L, -1, name);
    if (got == type || (got == LUA_TNIL && !required)) return got;
    return luaL_error(L, "app.load: route field '%s': expected %s, got %s", name, lua_typename(L, type),
                      lua_typename(L, got));
}

static char *copy_string(lua_State *L, const char *text)
{
    char *copy = strdup(text);
    if (copy == NULL) luaL_error(L, "not enough memory");
    return copy;
}

/* Leaves `GET, HEAD, OPTIONS` for methods = {"GET"} on the stack. */
static const char *push_allow(lua_State *L)
{
    luaL_Buffer b;
    route_field(L, "methods", LUA_TTABLE, true);
    int list = lua_gettop(L);
    luaL_buffinit(L, &b);
    for (lua_Integer i = 1; lua_rawgeti(L, list, i) == LUA_TSTRING; i++) {
        bool get = strcmp(lua_tostring(L, -1), "GET") == 0;
        luaL_addvalue(&b);
        luaL_addstring(&b, get ? ", HEAD, " : ", ");
    }
    lua_pop(L, 1);
    luaL_addstring(&b, "OPTIONS");
    luaL_pushresult(&b);
    return lua_tostring(L, -1);
}

static bool field_equals(lua_State *L, const char *name, const char *value)
{
    route_field(L, name, LUA_TSTRING, true);
    bool equal = strcmp(lua_tostring(L, -1), value) == 0;
    lua_pop(L, 1);
    return equal;
}

static void read_access(lua_State *L, struct route *route)
{
    route->bearer = field_equals(L, "auth", "bearer");
    route->session = field_equals(L, "auth", "session");
    route->metrics = field_equals(L, "auth", "metrics");
    bool known = route->bearer || route->session || route->metrics || field_equals(L, "auth", "none");
    if (!known)
        luaL_error(L, "app.load: route field 'auth': expected none, bearer, session or metrics, got %s",
                   (lua_getfield(L, -1, "auth"), lua_tostring(L, -1)));
}

/* A copy of the text in field `name`, or NULL without one. */
static char *optional_text(lua_State *L, const char *name)
{
    bool given = route_field(L, name, LUA_TSTRING, false) != LUA_TNIL;
    char *text = given ? copy_string(L, lua_tostring(L, -1)) : NULL;
    lua_pop(L, 1);
    return text;
}

/* The route's table is on top. */
static void read_route(lua_State *L, struct route *route)
{
    int top = lua_gettop(L);
    route_field(L, "path", LUA_TSTRING, true);
    route->path = copy_string(L, lua_tostring(L, -1));
    lua_settop(L, top);
    route->allow = copy_string(L, push_allow(L));
    lua_settop(L, top);
    route->media_type = optional_text(L, "media_type");
    route->metadata = optional_text(L, "metadata");
    route->scope = optional_text(L, "scope");
    route->forbidden = optional_text(L, "forbidden");
    read_access(L, route);
    route->origin_checked = field_equals(L, "origin", "checked");
    route->cors = route_field(L, "cors", LUA_TBOOLEAN, false) == LUA_TNIL || lua_toboolean(L, -1);
    lua_settop(L, top);
    if (route_field(L, "body_limit", LUA_TNUMBER, false) != LUA_TNIL)
        route->body_limit = (size_t)lua_tointeger(L, -1);
    lua_settop(L, top);
    route_field(L, "handle", LUA_TFUNCTION, true);
    route->handler = luaL_ref(L, LUA_REGISTRYINDEX);
}

void lua_routes_read_pages(lua_State *L, struct route_pages *pages)
{
    if (lua_istable(L, -1)) {
        pages->exposed_headers = optional_text(L, "exposed_headers");
        pages->allowed_headers = optional_text(L, "allowed_headers");
    }
    lua_pop(L, 1);
}

void lua_routes_read(lua_State *L, struct route_table *table)
{
    luaL_checktype(L, -1, LUA_TTABLE);
    int list = lua_gettop(L);
    for (lua_Integer i = 1; lua_rawgeti(L, list, i) == LUA_TTABLE; i++) {
        struct route *route = route_add(table);
        if (route == NULL) luaL_error(L, "not enough memory");
        read_route(L, route);
        lua_settop(L, list);
    }
    lua_settop(L, list - 1);
}
