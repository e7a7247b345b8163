/* Module `metrics` (lib/_meta/metrics.lua). */
#include <lauxlib.h>
#include <string.h>

#include "lua_modules.h"
#include "lua_scratch.h"
#include "lua_self.h"
#include "metrics.h"
#include "metrics_host.h"
#include "nearest.h"
#include "vm.h"

#define SERIES_METATABLE "sandstorm.metric"

static void refuse_name(lua_State *L, const char *function, const char *name)
{
    struct nearest near = NEAREST_INIT(name);
    for (const struct metric_family *f = metrics_families; f->name != NULL; f++)
        nearest_offer(&near, f->name);
    luaL_error(L, "metrics.%s: there is no \"%s\"; the nearest is \"%s\"", function, name, near.name);
}

static const struct metric_family *check_name(lua_State *L, const char *function)
{
    const char *name = luaL_checkstring(L, 1);
    const struct metric_family *family = metrics_family(name);
    if (family == NULL) refuse_name(L, function, name);
    return family;
}

static const struct metric_family *check_family(lua_State *L, const char *function, bool histogram)
{
    const struct metric_family *family = check_name(L, function);
    if ((family->type == METRIC_HISTOGRAM) != histogram)
        luaL_error(L, "metrics.%s: %s is %s histogram", function, family->name, histogram ? "no" : "a");
    return family;
}

static bool is_label(const struct metric_family *family, const char *name)
{
    for (size_t i = 0; family->labels[i] != NULL; i++)
        if (strcmp(family->labels[i], name) == 0) return true;
    return false;
}

static void check_no_others(lua_State *L, const char *function, const struct metric_family *family)
{
    for (lua_pushnil(L); lua_next(L, 2) != 0; lua_pop(L, 1)) {
        const char *name = lua_type(L, -2) == LUA_TSTRING ? lua_tostring(L, -2) : "?";
        if (!is_label(family, name))
            luaL_error(L, "metrics.%s: %s has no label \"%s\"", function, family->name, name);
    }
}

/* Argument 2: a table of labels, or nil where there are none. The values stay on the stack. */
static void check_labels(lua_State *L, const char *function, const struct metric_family *family,
                         const char **values)
{
    lua_settop(L, 3);
    if (lua_isnil(L, 2)) {
        lua_newtable(L);
        lua_replace(L, 2);
    }
    luaL_checktype(L, 2, LUA_TTABLE);
    check_no_others(L, function, family);
    for (size_t i = 0; family->labels[i] != NULL; i++) {
        if (lua_getfield(L, 2, family->labels[i]) != LUA_TSTRING)
            luaL_error(L, "metrics.%s: label %s of %s: expected a string, got %s", function,
                       family->labels[i], family->name, luaL_typename(L, -1));
        values[i] = lua_tostring(L, -1);
    }
}

static int l_add(lua_State *L)
{
    const char *values[METRICS_LABELS_MAX];
    const struct metric_family *family = check_family(L, "add", false);
    check_labels(L, "add", family, values);
    lua_Number amount = luaL_optnumber(L, 3, 1);
    if (!(amount >= 0)) return luaL_error(L, "metrics.add: expected an amount from 0");
    metrics_add(vm_of(L)->host->metrics, family, values, amount);
    return 0;
}

static int l_set(lua_State *L)
{
    const char *values[METRICS_LABELS_MAX];
    const struct metric_family *family = check_family(L, "set", false);
    if (family->type != METRIC_GAUGE) return luaL_error(L, "metrics.set: %s is no gauge", family->name);
    check_labels(L, "set", family, values);
    metrics_set(vm_of(L)->host->metrics, family, values, luaL_checknumber(L, 3));
    return 0;
}

static int l_observe(lua_State *L)
{
    const char *values[METRICS_LABELS_MAX];
    const struct metric_family *family = check_family(L, "observe", true);
    check_labels(L, "observe", family, values);
    metrics_observe(vm_of(L)->host->metrics, family, values, luaL_checknumber(L, 3));
    return 0;
}

static int l_clear(lua_State *L)
{
    metrics_clear(vm_of(L)->host->metrics, check_family(L, "clear", false));
    return 0;
}

static int fill_text(lua_State *L, struct buf *scratch)
{
    metrics_write(vm_of(L)->host->metrics, scratch);
    if (scratch->failed) return luaL_error(L, "metrics.text: not enough memory");
    lua_pushlstring(L, scratch->len > 0 ? scratch->data : "", scratch->len);
    return 1;
}

static int l_text(lua_State *L)
{
    const struct vm *vm = vm_of(L);
    metrics_host_collect(vm->host, vm->generation, vm->memory.used);
    lua_settop(L, 0);
    return lua_scratch(L, 0, fill_text);
}

/* ---- series at hand ---------------------------------------------------------------------------------- */

struct held {
    struct metric_series *series; /* NULL: there is no room for it */
    bool histogram;
};

static int l_series(lua_State *L)
{
    const char *values[METRICS_LABELS_MAX];
    const struct metric_family *family = check_name(L, "series");
    if (family->type == METRIC_GAUGE) return luaL_error(L, "metrics.series: %s is a gauge", family->name);
    vm_check_serving(L, "metrics.series");
    check_labels(L, "series", family, values);
    struct held *held = lua_newuserdatauv(L, sizeof *held, 0);
    held->histogram = family->type == METRIC_HISTOGRAM;
    held->series = metrics_series(vm_of(L)->host->metrics, family, values);
    luaL_setmetatable(L, SERIES_METATABLE);
    return 1;
}

static int series_add(lua_State *L)
{
    const struct held *held = lua_self(L, SERIES_METATABLE);
    lua_Number amount = luaL_optnumber(L, 2, 1);
    if (held->histogram) return luaL_error(L, "metrics: add: the series is a histogram's");
    if (!(amount >= 0)) return luaL_error(L, "metrics: add: expected an amount from 0");
    metrics_series_add(vm_of(L)->host->metrics, held->series, amount);
    return 0;
}

static int series_observe(lua_State *L)
{
    const struct held *held = lua_self(L, SERIES_METATABLE);
    lua_Number value = luaL_checknumber(L, 2);
    if (!held->histogram) return luaL_error(L, "metrics: observe: the series is no histogram's");
    metrics_series_observe(vm_of(L)->host->metrics, held->series, value);
    return 0;
}

static void series_metatable(lua_State *L)
{
    static const luaL_Reg methods[] = {{"add", series_add}, {"observe", series_observe}, {NULL, NULL}};
    luaL_newmetatable(L, SERIES_METATABLE);
    luaL_newlibtable(L, methods);
    lua_pushvalue(L, -2);
    luaL_setfuncs(L, methods, 1);
    lua_setfield(L, -2, "__index");
    lua_pushboolean(L, 0);
    lua_setfield(L, -2, "__metatable");
    lua_pop(L, 1);
}

int luaopen_metrics(lua_State *L)
{
    static const luaL_Reg functions[] = {{"add", l_add},     {"set", l_set},       {"observe", l_observe},
                                         {"clear", l_clear}, {"series", l_series}, {"text", l_text},
                                         {NULL, NULL}};
    series_metatable(L);
    luaL_newlib(L, functions);
    return 1;
}
