#include <string.h>

#include "db_internal.h"

/* ---- rows -------------------------------------------------------------------------------------------- */

static bool no_memory(struct db_connection *c)
{
    return db_failed(c, SQLITE_NOMEM);
}

/* The columns are sure with the first row: a statement adapts to a changed schema when it begins. */
static bool take_names(struct db_connection *c, sqlite3_stmt *prepared)
{
    struct db_job *job = c->job;
    job->columns = (size_t)sqlite3_column_count(prepared);
    for (int i = 0; i < (int)job->columns; i++) {
        const char *name = sqlite3_column_name(prepared, i);
        if (name == NULL || !buf_add(&job->names, name, strlen(name) + 1)) return no_memory(c);
    }
    return true;
}

static bool take_cell(struct buf *cells, sqlite3_stmt *prepared, int column)
{
    struct db_cell cell = {.type = DB_NULL};
    switch (sqlite3_column_type(prepared, column)) {
    case SQLITE_INTEGER:
        cell = (struct db_cell){.type = DB_INTEGER, .integer = sqlite3_column_int64(prepared, column)};
        break;
    case SQLITE_FLOAT:
        cell = (struct db_cell){.type = DB_REAL, .real = sqlite3_column_double(prepared, column)};
        break;
    case SQLITE_TEXT:
        cell =
            (struct db_cell){.type = DB_TEXT, .bytes = (const char *)sqlite3_column_text(prepared, column)};
        break;
    case SQLITE_BLOB:
        cell = (struct db_cell){.type = DB_BLOB, .bytes = sqlite3_column_blob(prepared, column)};
        break;
    }
    if (cell.type == DB_TEXT || cell.type == DB_BLOB)
        cell.len = (size_t)sqlite3_column_bytes(prepared, column);
    if (cell.bytes == NULL && cell.len > 0) return false;
    return db_cells_add(cells, &cell);
}

static bool take_row(struct db_connection *c, sqlite3_stmt *prepared)
{
    struct db_job *job = c->job;
    if (job->rows == 0 && !take_names(c, prepared)) return false;
    if (job->rows == DB_ROWS_MAX)
        return db_failed_with(c, "EFBIG", "more than %d rows; ask for fewer with LIMIT", DB_ROWS_MAX);
    for (int i = 0; i < (int)job->columns; i++)
        if (!take_cell(&job->cells, prepared, i)) return no_memory(c);
    if (job->cells.len > DB_BYTES_MAX)
        return db_failed_with(c, "EFBIG", "more than %zu bytes; ask for fewer rows with LIMIT", DB_BYTES_MAX);
    job->rows++;
    return true;
}

/* ---- statements -------------------------------------------------------------------------------------- */

static bool step_through(struct db_connection *c, sqlite3_stmt *prepared, bool wants_rows)
{
    int rc;
    while ((rc = sqlite3_step(prepared)) == SQLITE_ROW)
        if (wants_rows && !take_row(c, prepared)) return false;
    return rc == SQLITE_DONE || db_failed(c, rc);
}

static bool execute(struct db_connection *c, struct db_statement *statement, bool wants_rows)
{
    sqlite3_stmt *prepared = db_prepare(c, statement);
    if (prepared == NULL) return false;
    sqlite3_int64 before = sqlite3_total_changes64(c->handle);
    bool ok = step_through(c, prepared, wants_rows);
    bool changed = sqlite3_total_changes64(c->handle) != before;
    statement->changes = ok && changed ? sqlite3_changes64(c->handle) : 0;
    statement->last_id = sqlite3_last_insert_rowid(c->handle);
    db_reset(prepared);
    return ok;
}

static bool is_stopped(struct db_connection *c)
{
    if (!atomic_load(&c->job->stop)) return false;
    db_failed_with(c, "ECANCELED", "canceled");
    return true;
}

static bool transact(struct db_connection *c)
{
    struct db_job *job = c->job;
    if (!db_control(c, "BEGIN IMMEDIATE")) return false;
    for (size_t i = 0; i < job->count; i++)
        if (!execute(c, &job->statements[i], job->wants_rows)) return false;
    return !is_stopped(c) && db_control(c, "COMMIT");
}

static bool run(struct db_connection *c)
{
    struct db_job *job = c->job;
    if (job->count > 1) return transact(c);
    sqlite3_stmt *prepared = db_prepare(c, &job->statements[0]);
    if (prepared == NULL) return false;
    bool reads = sqlite3_stmt_readonly(prepared) != 0;
    db_reset(prepared);
    return reads ? execute(c, &job->statements[0], job->wants_rows) : transact(c);
}

/* Is it the connection, or what it stands on, that failed, and not just what was asked? */
static bool is_damage(const char *code)
{
    static const char *const others[] = {"EBUSY", "ECONSTRAINT", "ESQL", "EMISUSE", "ECANCELED", "EFBIG"};
    for (size_t i = 0; i < sizeof others / sizeof *others; i++)
        if (strcmp(code, others[i]) == 0) return false;
    return true;
}

/* SQLite ends a transaction itself after some failures and leaves it open after others. */
static void settle(struct db_connection *c)
{
    const struct db_error seen = c->job->error;
    if (c->handle == NULL) return;
    bool stuck = !sqlite3_get_autocommit(c->handle) && !db_control(c, "ROLLBACK");
    c->job->error = seen;
    if (stuck || is_damage(seen.code)) db_disconnect(c);
}

void db_run(struct db_connection *c, struct db_job *job)
{
    c->job = job;
    job->ok = !is_stopped(c) && db_connect(c) && run(c);
    if (!job->ok) settle(c);
    c->job = NULL;
}
