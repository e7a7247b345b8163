/* Between the files of db. A connection is used by one thread at a time: the one that runs the job. */
#ifndef SANDSTORM_DB_INTERNAL_H
#define SANDSTORM_DB_INTERNAL_H

#include <sqlite3.h>
#include <stdbool.h>
#include <stddef.h>

#include "db.h"

#define DB_CACHE_SIZE 64

struct db_connection {
    const char *folder;
    char *path;                         /* owned */
    sqlite3 *handle;                    /* NULL while the file is not open */
    sqlite3_stmt *cache[DB_CACHE_SIZE]; /* prepared, the one used last in front */
    size_t cached;
    bool wal;
    bool own_sql;       /* what is prepared now is ours: nothing is refused */
    struct db_job *job; /* the one that runs, or NULL */
};

/* Opens the file unless it is open and still the one with that name. */
bool db_connect(struct db_connection *c);

void db_disconnect(struct db_connection *c);

/* Runs a statement of ours that answers nothing. */
bool db_control(struct db_connection *c, const char *sql);

/* These note an error of the running job and return false: what SQLite answered with `rc`, what the system
 * did with errno, what the caller did. */
bool db_failed(struct db_connection *c, int rc);
bool db_failed_system(struct db_connection *c, int error);
bool db_failed_with(struct db_connection *c, const char *code, const char *format, ...)
    __attribute__((format(printf, 3, 4)));

/* The statement, prepared and with its parameters bound, or NULL. Belongs to the cache; given back with
 * db_reset. */
sqlite3_stmt *db_prepare(struct db_connection *c, const struct db_statement *statement);
void db_reset(sqlite3_stmt *prepared);
void db_forget_statements(struct db_connection *c);

/* Runs the job to its end, one way or the other. */
void db_run(struct db_connection *c, struct db_job *job);

#endif
