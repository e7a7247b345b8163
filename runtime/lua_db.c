/* Module `db` (lib/_meta/db.lua). */
#include <lauxlib.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "db.h"
#include "fiber.h"
#include "lua_modules.h"
#include "nearest.h"
#include "vm.h"

#define DATABASE_METATABLE "sandstorm.database"
#define BLOB_METATABLE "sandstorm.blob"
#define STATEMENTS_MAX 10000

struct call {
    struct db_job job; /* first: the operation is the job */
    const char *function;
};

/* ---- arguments --------------------------------------------------------------------------------------- */

/* Where an error is: a statement in a list has a number, a single one has 0. */
struct place {
    const char *function;
    size_t statement;
};

static int complain(lua_State *L, const struct place *place, const char *what)
{
    if (place->statement == 0) return luaL_error(L, "%s: %s", place->function, what);
    return luaL_error(L, "%s: statement %d: %s", place->function, (int)place->statement, what);
}

/* Reads a value that is none of Lua's own strings and numbers. */
static bool read_special(lua_State *L, int index, struct db_cell *cell)
{
    if (lua_isnil(L, index) || (lua_islightuserdata(L, index) && lua_touserdata(L, index) == NULL)) {
        cell->type = DB_NULL;
        return true;
    }
    if (luaL_testudata(L, index, BLOB_METATABLE) == NULL) return false;
    lua_getiuservalue(L, index, 1);
    cell->type = DB_BLOB;
    cell->bytes = lua_tolstring(L, -1, &cell->len);
    lua_pop(L, 1); /* the blob keeps it */
    return true;
}

static bool read_number(lua_State *L, int index, struct db_cell *cell)
{
    if (lua_isinteger(L, index)) {
        *cell = (struct db_cell){.type = DB_INTEGER, .integer = lua_tointeger(L, index)};
        return true;
    }
    *cell = (struct db_cell){.type = DB_REAL, .real = lua_tonumber(L, index)};
    return cell->real == cell->real; /* SQLite would make NULL of a NaN */
}

static void add_parameter(lua_State *L, int index, const struct place *place, struct db_statement *statement)
{
    struct db_cell cell = {.type = DB_NULL};
    bool fine;
    if (lua_type(L, index) == LUA_TNUMBER) {
        fine = read_number(L, index, &cell);
    } else if (lua_type(L, index) == LUA_TSTRING) {
        cell.type = DB_TEXT;
        cell.bytes = lua_tolstring(L, index, &cell.len);
        fine = true;
    } else {
        fine = read_special(L, index, &cell);
    }
    statement->cell_count++;
    if (!fine)
        complain(L, place,
                 lua_pushfstring(
                     L, "parameter %d: expected a string, number, nil, json.null or db.blob(bytes), got %s",
                     (int)statement->cell_count,
                     lua_type(L, index) == LUA_TNUMBER ? "a NaN" : luaL_typename(L, index)));
    if (!db_cells_add(&statement->cells, &cell)) complain(L, place, "not enough memory");
}

static void set_sql(lua_State *L, int index, const struct place *place, struct db_statement *statement)
{
    size_t len;
    if (lua_type(L, index) != LUA_TSTRING)
        complain(L, place,
                 lua_pushfstring(L, "the SQL text: expected a string, got %s", luaL_typename(L, index)));
    const char *sql = lua_tolstring(L, index, &len);
    if (strlen(sql) != len) complain(L, place, "the SQL text: expected no NUL byte in it");
    if (!buf_add(&statement->sql, sql, len + 1)) complain(L, place, "not enough memory");
}

/* A statement as a table {sql, parameters...} at `index`, which may have holes. */
static void read_statement(lua_State *L, int index, const struct place *place, struct db_statement *statement)
{
    lua_Integer last = 1;
    if (!lua_istable(L, index))
        complain(L, place,
                 lua_pushfstring(L, "expected {sql, parameters...}, got %s", luaL_typename(L, index)));
    lua_pushnil(L);
    while (lua_next(L, index) != 0) {
        lua_pop(L, 1);
        bool is_n = lua_type(L, -1) == LUA_TSTRING && strcmp(lua_tostring(L, -1), "n") == 0;
        if (is_n) continue;
        if (!lua_isinteger(L, -1) || lua_tointeger(L, -1) < 1 || lua_tointeger(L, -1) > INT16_MAX)
            complain(L, place, "expected {sql, parameters...} without other keys");
        if (lua_tointeger(L, -1) > last) last = lua_tointeger(L, -1);
    }
    if (lua_getfield(L, index, "n") == LUA_TNUMBER && lua_tointeger(L, -1) > last &&
        lua_tointeger(L, -1) <= INT16_MAX)
        last = lua_tointeger(L, -1);
    lua_rawgeti(L, index, 1);
    set_sql(L, -1, place, statement);
    for (lua_Integer i = 2; i <= last; i++) {
        lua_rawgeti(L, index, i);
        add_parameter(L, lua_gettop(L), place, statement);
        lua_pop(L, 1);
    }
    lua_pop(L, 2);
}

static struct db *check_self(lua_State *L, const char *function)
{
    struct db **self = luaL_testudata(L, 1, DATABASE_METATABLE);
    if (self == NULL)
        luaL_error(L, "%s: expected a database before the colon, got %s", function, luaL_typename(L, 1));
    return *self;
}

/* ---- calls ------------------------------------------------------------------------------------------- */

static void release(void *op)
{
    struct call *call = op;
    db_job_free(&call->job);
}

static void on_done(struct db_job *job)
{
    fiber_op_done(job);
}

static void cancel(void *op)
{
    struct call *call = op;
    db_stop(&call->job);
}

static struct call *new_call(lua_State *L, const char *function, size_t statements)
{
    struct call *call = fiber_op_new(L, function, sizeof *call, release);
    call->function = function;
    call->job.done = on_done;
    call->job.statements = calloc(statements, sizeof *call->job.statements);
    if (call->job.statements == NULL) luaL_error(L, "%s: not enough memory", function);
    call->job.count = statements;
    return call;
}

static int submit(lua_State *L, struct db *db, struct call *call, int (*finish)(lua_State *L, void *op))
{
    if (!fiber_can_pause(L))
        return luaL_error(
            L, "%s: cannot wait inside a function that C calls back, such as the metamethod __tostring",
            call->function);
    fiber_op_hold(call);
    db_submit(db, &call->job);
    return fiber_wait(L, call, finish, cancel);
}

/* Parameters of a single statement: all arguments behind the SQL text. */
static struct call *single(lua_State *L, const char *function)
{
    int top = lua_gettop(L);
    const struct place place = {function, 0};
    struct call *call = new_call(L, function, 1);
    set_sql(L, 2, &place, call->job.statements);
    for (int i = 3; i <= top; i++)
        add_parameter(L, i, &place, call->job.statements);
    return call;
}

static int fail(lua_State *L, const struct call *call)
{
    const struct db_error *error = &call->job.error;
    if (strcmp(error->code, "EMISUSE") == 0) return luaL_error(L, "%s: %s", call->function, error->message);
    luaL_pushfail(L);
    lua_pushstring(L, error->message);
    lua_pushstring(L, error->code);
    return 3;
}

static bool push_cell(lua_State *L, const struct db_cell *cell)
{
    switch (cell->type) {
    case DB_INTEGER:
        lua_pushinteger(L, cell->integer);
        return true;
    case DB_REAL:
        lua_pushnumber(L, cell->real);
        return true;
    case DB_TEXT:
    case DB_BLOB:
        lua_pushlstring(L, cell->len == 0 ? "" : cell->bytes, cell->len);
        return true;
    default:
        return false;
    }
}

static void push_names(lua_State *L, const struct db_job *job)
{
    const char *name = job->names.data;
    lua_createtable(L, (int)job->columns, 0);
    for (size_t i = 1; i <= job->columns; i++, name += strlen(name) + 1) {
        lua_pushstring(L, name);
        lua_rawseti(L, -2, (lua_Integer)i);
    }
}

static int finish_query(lua_State *L, void *op)
{
    struct call *call = op;
    const struct db_job *job = &call->job;
    struct db_cell cell;
    size_t at = 0;
    if (!job->ok) return fail(L, call);
    push_names(L, job);
    int names = lua_gettop(L);
    lua_createtable(L, (int)job->rows, 0);
    for (size_t row = 1; row <= job->rows; row++) {
        lua_createtable(L, 0, (int)job->columns);
        for (size_t i = 1; i <= job->columns && db_cells_next(&job->cells, &at, &cell); i++) {
            lua_rawgeti(L, names, (lua_Integer)i);
            if (push_cell(L, &cell))
                lua_rawset(L, -3);
            else
                lua_pop(L, 1);
        }
        lua_rawseti(L, -2, (lua_Integer)row);
    }
    return 1;
}

static void push_change(lua_State *L, const struct db_statement *statement)
{
    lua_createtable(L, 0, 2);
    lua_pushinteger(L, statement->changes);
    lua_setfield(L, -2, "changes");
    lua_pushinteger(L, statement->last_id);
    lua_setfield(L, -2, "last_id");
}

static int finish_exec(lua_State *L, void *op)
{
    struct call *call = op;
    if (!call->job.ok) return fail(L, call);
    push_change(L, call->job.statements);
    return 1;
}

static int finish_transaction(lua_State *L, void *op)
{
    struct call *call = op;
    if (!call->job.ok) return fail(L, call);
    lua_pushboolean(L, true);
    lua_createtable(L, (int)call->job.count, 0);
    for (size_t i = 0; i < call->job.count; i++) {
        push_change(L, &call->job.statements[i]);
        lua_rawseti(L, -2, (lua_Integer)i + 1);
    }
    return 2;
}

static int m_query(lua_State *L)
{
    struct db *db = check_self(L, "db.query");
    struct call *call = single(L, "db.query");
    call->job.wants_rows = true;
    return submit(L, db, call, finish_query);
}

static int m_exec(lua_State *L)
{
    struct db *db = check_self(L, "db.exec");
    return submit(L, db, single(L, "db.exec"), finish_exec);
}

static int m_transaction(lua_State *L)
{
    static const char function[] = "db.transaction";
    struct db *db = check_self(L, function);
    lua_settop(L, 2);
    if (!lua_istable(L, 2))
        return luaL_error(L, "%s: expected a list of statements, got %s", function, luaL_typename(L, 2));
    size_t count = lua_rawlen(L, 2);
    if (count == 0 || count > STATEMENTS_MAX)
        return luaL_error(L, "%s: expected 1 to %d statements, got %d", function, STATEMENTS_MAX, (int)count);
    struct call *call = new_call(L, function, count);
    for (size_t i = 0; i < count; i++) {
        const struct place place = {function, i + 1};
        lua_rawgeti(L, 2, (lua_Integer)i + 1);
        read_statement(L, lua_gettop(L), &place, &call->job.statements[i]);
        lua_pop(L, 1);
    }
    return submit(L, db, call, finish_transaction);
}

/* ---- module ------------------------------------------------------------------------------------------ */

static int l_open(lua_State *L)
{
    if (lua_type(L, 1) != LUA_TSTRING)
        return luaL_error(L, "db.open: expected the name of a database, got %s", luaL_typename(L, 1));
    const char *name = lua_tostring(L, 1);
    struct db *db = db_named(vm_of(L)->host->databases, name);
    if (db == NULL) {
        struct nearest near = NEAREST_INIT(name);
        for (const char *const *n = db_names; *n != NULL; n++)
            nearest_offer(&near, *n);
        return luaL_error(L, "db.open: there is no database \"%s\"; the nearest is \"%s\"", name, near.name);
    }
    struct db **self = lua_newuserdatauv(L, sizeof *self, 0);
    *self = db;
    luaL_setmetatable(L, DATABASE_METATABLE);
    return 1;
}

static int l_blob(lua_State *L)
{
    if (lua_type(L, 1) != LUA_TSTRING)
        return luaL_error(L, "db.blob: expected a string, got %s", luaL_typename(L, 1));
    lua_newuserdatauv(L, 0, 1);
    lua_pushvalue(L, 1);
    lua_setiuservalue(L, -2, 1);
    luaL_setmetatable(L, BLOB_METATABLE);
    return 1;
}

int luaopen_db(lua_State *L)
{
    static const luaL_Reg functions[] = {{"open", l_open}, {"blob", l_blob}, {NULL, NULL}};
    static const luaL_Reg methods[] = {
        {"query", m_query}, {"exec", m_exec}, {"transaction", m_transaction}, {NULL, NULL}};
    luaL_newmetatable(L, BLOB_METATABLE);
    luaL_newmetatable(L, DATABASE_METATABLE);
    luaL_newlib(L, methods);
    lua_setfield(L, -2, "__index");
    luaL_newlib(L, functions);
    return 1;
}
