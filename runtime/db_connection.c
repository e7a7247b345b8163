#include <errno.h>
#include <fcntl.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "clock.h"
#include "db_internal.h"
#include "state_dir.h"

#define PROGRESS_STEPS                                                                                       \
    10000 /* VM instructions of SQLite between two looks at a stop, about a millisecond                      \
           */
#define WAL_KEPT_BYTES "4194304" /* what a checkpoint leaves of the WAL file */

/* ---- callbacks of SQLite ----------------------------------------------------------------------------- */

static bool is_stopped(const struct db_connection *c)
{
    return c->job != NULL && atomic_load(&c->job->stop);
}

static int on_progress(void *data)
{
    return is_stopped(data);
}

/* Another process holds a lock. */
static int on_busy(void *data, int tries)
{
    const struct db_connection *c = data;
    if (c->job == NULL || is_stopped(c) || clock_ns() >= c->job->deadline_ns) return 0;
    const struct timespec pause = {.tv_nsec = (tries < 5 ? 1 : tries < 20 ? 5 : 20) * 1000000L};
    nanosleep(&pause, NULL);
    return 1;
}

static int judge_pragma(const char *name, const char *value)
{
    static const struct {
        const char *name;
        bool with_value;
    } allowed[] = {
        {"user_version", true},    {"table_info", true},      {"index_list", true},
        {"integrity_check", true}, {"quick_check", true},     {"foreign_key_check", true},
        {"journal_mode", false},   {"foreign_keys", false},   {"synchronous", false},
        {"page_count", false},     {"freelist_count", false},
    };
    for (size_t i = 0; i < sizeof allowed / sizeof *allowed; i++)
        if (sqlite3_stricmp(allowed[i].name, name) == 0)
            return value == NULL || allowed[i].with_value ? SQLITE_OK : SQLITE_DENY;
    return SQLITE_DENY;
}

static int on_authorize(void *data, int action, const char *first, const char *second, const char *database,
                        const char *trigger)
{
    const struct db_connection *c = data;
    (void)database, (void)trigger;
    if (c->own_sql) return SQLITE_OK;
    switch (action) {
    case SQLITE_PRAGMA:
        return judge_pragma(first, second);
    case SQLITE_TRANSACTION:
    case SQLITE_SAVEPOINT:
    case SQLITE_ATTACH:
    case SQLITE_DETACH:
        return SQLITE_DENY;
    default:
        return SQLITE_OK;
    }
}

/* ---- opening ----------------------------------------------------------------------------------------- */

bool db_control(struct db_connection *c, const char *sql)
{
    c->own_sql = true;
    int rc = sqlite3_exec(c->handle, sql, NULL, NULL, NULL);
    c->own_sql = false;
    return rc == SQLITE_OK || db_failed(c, rc);
}

static bool exists(const char *path)
{
    struct stat st;
    return stat(path, &st) == 0;
}

/* SQLite would make the file readable for others. One that was just made has no locks that closing could
 * drop. */
static bool make_file(struct db_connection *c)
{
    if (!state_dir_make(c->folder)) return db_failed_system(c, errno);
    int fd = open(c->path, O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, 0600);
    if (fd >= 0) close(fd);
    int error = errno;
    return fd >= 0 || error == EEXIST || exists(c->path) || db_failed_system(c, error);
}

static void configure(struct db_connection *c)
{
    static const struct {
        int option, value;
    } options[] = {{SQLITE_DBCONFIG_ENABLE_FKEY, 1},
                   {SQLITE_DBCONFIG_DEFENSIVE, 1},
                   {SQLITE_DBCONFIG_TRUSTED_SCHEMA, 0},
                   {SQLITE_DBCONFIG_DQS_DDL, 0},
                   {SQLITE_DBCONFIG_DQS_DML, 0}};
    for (size_t i = 0; i < sizeof options / sizeof *options; i++)
        sqlite3_db_config(c->handle, options[i].option, options[i].value, NULL);
    sqlite3_extended_result_codes(c->handle, 1);
    sqlite3_limit(c->handle, SQLITE_LIMIT_ATTACHED, 0);
    sqlite3_limit(c->handle, SQLITE_LIMIT_LENGTH, (int)DB_BYTES_MAX);
    sqlite3_busy_handler(c->handle, on_busy, c);
    sqlite3_progress_handler(c->handle, PROGRESS_STEPS, on_progress, c);
    sqlite3_set_authorizer(c->handle, on_authorize, c);
}

/* Changing to WAL needs the file for itself for a moment; while others use it, or where it cannot be written,
 * the file works as it is. */
static bool use_wal(struct db_connection *c)
{
    uint64_t deadline = c->job->deadline_ns;
    c->job->deadline_ns = 0;
    c->own_sql = true;
    int rc = sqlite3_exec(c->handle, "PRAGMA journal_mode=WAL; PRAGMA journal_size_limit=" WAL_KEPT_BYTES,
                          NULL, NULL, NULL);
    c->own_sql = false;
    c->job->deadline_ns = deadline;
    c->wal = rc == SQLITE_OK;
    int kind = rc & 0xff;
    return c->wal || kind == SQLITE_BUSY || kind == SQLITE_READONLY || kind == SQLITE_CANTOPEN ||
           db_failed(c, rc);
}

static bool open_file(struct db_connection *c)
{
    const int flags = SQLITE_OPEN_READWRITE | SQLITE_OPEN_NOMUTEX;
    if (!make_file(c)) return false;
    int rc = sqlite3_open_v2(c->path, &c->handle, flags, NULL);
    if (rc != SQLITE_OK) return db_failed(c, rc);
    configure(c);
    return true;
}

/* A file that was replaced, or could not be written when it was opened, is opened anew. */
static bool is_stale(struct db_connection *c)
{
    int moved = 0;
    if (sqlite3_db_readonly(c->handle, "main") == 1) return true;
    return sqlite3_file_control(c->handle, "main", SQLITE_FCNTL_HAS_MOVED, &moved) == SQLITE_OK && moved != 0;
}

bool db_connect(struct db_connection *c)
{
    if (c->handle != NULL && is_stale(c)) db_disconnect(c);
    bool ok = (c->handle != NULL || open_file(c)) && (c->wal || use_wal(c));
    if (!ok) db_disconnect(c);
    return ok;
}

void db_disconnect(struct db_connection *c)
{
    db_forget_statements(c);
    sqlite3_close(c->handle);
    c->handle = NULL;
    c->wal = false;
}
