#include <string.h>

#include "db_internal.h"

/* ---- the cache --------------------------------------------------------------------------------------- */

static void put_in_front(struct db_connection *c, size_t from, sqlite3_stmt *prepared)
{
    memmove(c->cache + 1, c->cache, from * sizeof *c->cache);
    c->cache[0] = prepared;
}

static sqlite3_stmt *find(struct db_connection *c, const char *sql)
{
    for (size_t i = 0; i < c->cached; i++) {
        sqlite3_stmt *prepared = c->cache[i];
        if (strcmp(sqlite3_sql(prepared), sql) != 0) continue;
        put_in_front(c, i, prepared);
        return prepared;
    }
    return NULL;
}

static void keep(struct db_connection *c, sqlite3_stmt *prepared)
{
    if (c->cached == DB_CACHE_SIZE) sqlite3_finalize(c->cache[--c->cached]);
    put_in_front(c, c->cached++, prepared);
}

void db_forget_statements(struct db_connection *c)
{
    while (c->cached > 0)
        sqlite3_finalize(c->cache[--c->cached]);
}

/* ---- preparing --------------------------------------------------------------------------------------- */

static bool is_blank(const char *text)
{
    return text[strspn(text, " \t\r\n;")] == '\0';
}

static sqlite3_stmt *compile(struct db_connection *c, const struct buf *sql)
{
    sqlite3_stmt *prepared = NULL;
    const char *rest = NULL;
    int rc =
        sqlite3_prepare_v3(c->handle, sql->data, (int)sql->len, SQLITE_PREPARE_PERSISTENT, &prepared, &rest);
    if (rc != SQLITE_OK)
        db_failed(c, rc);
    else if (prepared == NULL)
        db_failed_with(c, "EMISUSE", "there is no statement in the SQL text");
    else if (!is_blank(rest))
        db_failed_with(c, "EMISUSE", "more than one statement in the SQL text, the second at \"%.40s\"",
                       rest);
    else
        return prepared;
    sqlite3_finalize(prepared);
    return NULL;
}

static int bind_cell(sqlite3_stmt *prepared, int at, const struct db_cell *cell)
{
    switch (cell->type) {
    case DB_INTEGER:
        return sqlite3_bind_int64(prepared, at, cell->integer);
    case DB_REAL:
        return sqlite3_bind_double(prepared, at, cell->real);
    case DB_TEXT:
        return sqlite3_bind_text64(prepared, at, cell->bytes, cell->len, SQLITE_STATIC, SQLITE_UTF8);
    case DB_BLOB:
        return sqlite3_bind_blob64(prepared, at, cell->bytes, cell->len, SQLITE_STATIC);
    default:
        return sqlite3_bind_null(prepared, at);
    }
}

static bool bind_all(struct db_connection *c, sqlite3_stmt *prepared, const struct db_statement *statement)
{
    struct db_cell cell;
    size_t at = 0;
    int wanted = sqlite3_bind_parameter_count(prepared);
    if (statement->cell_count != (unsigned)wanted)
        return db_failed_with(c, "EMISUSE", "the SQL text has %d parameters, got %u", wanted,
                              statement->cell_count);
    for (int i = 1; db_cells_next(&statement->cells, &at, &cell); i++) {
        int rc = bind_cell(prepared, i, &cell);
        if (rc != SQLITE_OK) return db_failed(c, rc);
    }
    return true;
}

sqlite3_stmt *db_prepare(struct db_connection *c, const struct db_statement *statement)
{
    sqlite3_stmt *prepared = find(c, statement->sql.data);
    if (prepared == NULL) {
        prepared = compile(c, &statement->sql);
        if (prepared == NULL) return NULL;
        keep(c, prepared);
    }
    if (bind_all(c, prepared, statement)) return prepared;
    db_reset(prepared);
    return NULL;
}

void db_reset(sqlite3_stmt *prepared)
{
    sqlite3_reset(prepared);
    sqlite3_clear_bindings(prepared);
}
