#include "db.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "clock.h"
#include "db_internal.h"

#define DATABASES (sizeof db_names / sizeof *db_names - 1)

const char *const db_names[] = {"sessions", "tasks", NULL};

struct db {
    uv_loop_t *loop;
    struct db_connection connection;
    uv_work_t work;
    struct db_job *first, *last; /* the first one runs */
};

struct db_table {
    struct db databases[DATABASES];
};

struct db_table *db_table_new(uv_loop_t *loop, const char *state_dir)
{
    struct db_table *table = calloc(1, sizeof *table);
    for (size_t i = 0; table != NULL && i < DATABASES; i++) {
        struct db *db = &table->databases[i];
        db->loop = loop;
        db->work.data = db;
        db->connection.folder = state_dir;
        if (asprintf(&db->connection.path, "%s/%s" DB_SUFFIX, state_dir, db_names[i]) >= 0) continue;
        db->connection.path = NULL;
        db_table_free(table);
        return NULL;
    }
    return table;
}

void db_table_free(struct db_table *table)
{
    for (size_t i = 0; table != NULL && i < DATABASES; i++) {
        db_disconnect(&table->databases[i].connection);
        free(table->databases[i].connection.path);
    }
    free(table);
}

struct db *db_named(struct db_table *table, const char *name)
{
    for (size_t i = 0; i < DATABASES; i++)
        if (strcmp(db_names[i], name) == 0) return &table->databases[i];
    return NULL;
}

/* ---- the queue --------------------------------------------------------------------------------------- */

static void work(uv_work_t *request)
{
    struct db *db = request->data;
    db_run(&db->connection, db->first);
}

static void worked(uv_work_t *request, int status);

static void start_first(struct db *db)
{
    uv_queue_work(db->loop, &db->work, work, worked);
}

static void worked(uv_work_t *request, int status)
{
    (void)status;
    struct db *db = request->data;
    struct db_job *job = db->first;
    db->first = job->next;
    if (db->first != NULL) start_first(db);
    job->done(job);
}

void db_submit(struct db *db, struct db_job *job)
{
    job->deadline_ns = clock_ns() + DB_BUSY_MS * UINT64_C(1000000);
    if (db->first != NULL) {
        db->last->next = job;
        db->last = job;
        return;
    }
    db->first = db->last = job;
    start_first(db);
}

void db_stop(struct db_job *job)
{
    atomic_store(&job->stop, true);
}

void db_job_free(struct db_job *job)
{
    for (size_t i = 0; i < job->count; i++) {
        buf_free(&job->statements[i].sql);
        buf_free(&job->statements[i].cells);
    }
    free(job->statements);
    job->statements = NULL;
    job->count = 0;
    buf_free(&job->names);
    buf_free(&job->cells);
}
