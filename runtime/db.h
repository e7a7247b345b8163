/* The server's own databases: SQLite files in the state folder. Knows no Lua.
 *
 * Words used here
 *   job    what is asked of a database at a time: one statement, or several that happen all or not at all
 *   cell   a value (db_cells.h)
 *
 * A database has one connection and a queue. Its jobs run one after the other, in the order in which they
 * came, on one thread of the pool at a time, however long another process holds the file. Each job is a
 * transaction of its own: nothing stays open between two.
 *
 * The file is made (0600) and opened by the first job. After a failure the next job finds a connection that
 * works or opens the file anew, also when it was replaced or repaired meanwhile; no restart is needed. WAL,
 * synchronous=FULL, foreign keys on.
 *
 * Limits: a job waits DB_BUSY_MS from its submission for locks of other processes; an answer has at most
 * DB_ROWS_MAX rows and DB_BYTES_MAX bytes.
 *
 * SQL comes from the program. Refused in it: transaction control, ATTACH, pragmas that change anything but
 * user_version, and a second statement behind the first.
 *
 * Nothing else in this process may open these files: closing any descriptor of one would drop SQLite's locks
 * (fs_root_protect_database sees to that). Everything here belongs to the loop's thread. */
#ifndef SANDSTORM_DB_H
#define SANDSTORM_DB_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <uv.h>

#include "buf.h"
#include "db_cells.h"

#define DB_BUSY_MS 5000
#define DB_ROWS_MAX 100000
#define DB_BYTES_MAX ((size_t)64 << 20)
#define DB_SUFFIX ".db"

struct db;
struct db_table;

/* The databases that there are, ended by NULL. */
extern const char *const db_names[];

/* No file is touched. Both arguments are borrowed. NULL without memory. */
struct db_table *db_table_new(uv_loop_t *loop, const char *state_dir);

/* Closes the files. No job may be under way. NULL is allowed. */
void db_table_free(struct db_table *table);

/* NULL for a name that is none of db_names. */
struct db *db_named(struct db_table *table, const char *name);

struct db_statement {
    struct buf sql;   /* ended by NUL, which counts in its length */
    struct buf cells; /* its parameters */
    unsigned cell_count;
    int64_t changes, last_id; /* answer: rows that it changed, and the last row id that was ever made */
};

/* code: EBUSY, EFULL (no space), EREADONLY, ECORRUPT (or no database at all), ECONSTRAINT, EIO, ENOENT,
 * EACCES, EFBIG, ECANCELED, ENOMEM; ESQL for what else SQLite has against a statement; EMISUSE for what a
 * caller can see beforehand: parameters, what is refused in SQL. The message begins with the absolute path,
 * except for EMISUSE. */
struct db_error {
    const char *code; /* static text */
    char message[512];
};

struct db_job {
    /* set by the caller, who zeroes the rest */
    struct db_statement *statements;
    size_t count;
    bool wants_rows;                  /* the rows of the first statement */
    void (*done)(struct db_job *job); /* called on the loop, once; the job is the caller's again */

    /* the answer */
    bool ok;
    struct db_error error;
    struct buf names; /* column names, each ended by NUL */
    struct buf cells; /* row by row */
    size_t columns, rows;

    /* private */
    uint64_t deadline_ns;
    atomic_bool stop;
    struct db_job *next;
};

/* Queues a job; it stays where it is until `done`. */
void db_submit(struct db *db, struct db_job *job);

/* Makes `done` happen soon, with ECANCELED and nothing changed unless the job is over already. */
void db_stop(struct db_job *job);

/* Frees what a job holds, but not itself. */
void db_job_free(struct db_job *job);

#endif
