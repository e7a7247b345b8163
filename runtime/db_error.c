#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "db_internal.h"

bool db_failed_with(struct db_connection *c, const char *code, const char *format, ...)
{
    struct db_error *error = &c->job->error;
    va_list arguments;
    error->code = code;
    bool about_file = strcmp(code, "EMISUSE") != 0;
    int n = about_file ? snprintf(error->message, sizeof error->message, "%s: ", c->path) : 0;
    if (n < 0 || n >= (int)sizeof error->message) return false;
    va_start(arguments, format);
    vsnprintf(error->message + n, sizeof error->message - (size_t)n, format, arguments);
    va_end(arguments);
    return false;
}

static const char *code_of_system(int error)
{
    switch (error) {
    case ENOSPC:
    case EDQUOT:
    case EFBIG:
        return "EFULL";
    case EROFS:
        return "EREADONLY";
    case EACCES:
    case EPERM:
        return "EACCES";
    case ENOENT:
    case ENOTDIR:
    case ELOOP:
        return "ENOENT";
    case ENOMEM:
        return "ENOMEM";
    default:
        return "EIO";
    }
}

static const char *code_of(int rc, int system)
{
    switch (rc & 0xff) {
    case SQLITE_BUSY:
    case SQLITE_LOCKED:
        return "EBUSY";
    case SQLITE_FULL:
        return "EFULL";
    case SQLITE_READONLY:
        return "EREADONLY";
    case SQLITE_CORRUPT:
    case SQLITE_NOTADB:
        return "ECORRUPT";
    case SQLITE_CONSTRAINT:
        return "ECONSTRAINT";
    case SQLITE_IOERR:
    case SQLITE_CANTOPEN:
        return code_of_system(system);
    case SQLITE_NOMEM:
        return "ENOMEM";
    case SQLITE_TOOBIG:
        return "EFBIG";
    case SQLITE_INTERRUPT:
        return "ECANCELED";
    default:
        return "ESQL";
    }
}

/* SQLite passes the errno of a failed read or write on, but not where that happened in a COMMIT: then the WAL
 * or journal file still knows it. */
static int system_error(sqlite3 *handle)
{
    sqlite3_file *journal = NULL;
    int error = sqlite3_system_errno(handle);
    if (error != 0) return error;
    int rc = sqlite3_file_control(handle, "main", SQLITE_FCNTL_JOURNAL_POINTER, &journal);
    if (rc != SQLITE_OK || journal == NULL || journal->pMethods == NULL) return 0;
    return journal->pMethods->xFileControl(journal, SQLITE_FCNTL_LAST_ERRNO, &error) == SQLITE_OK ? error : 0;
}

static bool has_system_error(int rc)
{
    return (rc & 0xff) == SQLITE_IOERR || (rc & 0xff) == SQLITE_CANTOPEN;
}

bool db_failed(struct db_connection *c, int rc)
{
    if ((rc & 0xff) == SQLITE_AUTH)
        return db_failed_with(
            c, "EMISUSE",
            "the statement is not allowed here: transactions are made by db itself, other files and "
            "settings are not its business");
    const char *text = c->handle != NULL ? sqlite3_errmsg(c->handle) : sqlite3_errstr(rc);
    int system = c->handle != NULL && has_system_error(rc) ? system_error(c->handle) : 0;
    if (system == 0) return db_failed_with(c, code_of(rc, 0), "%s", text);
    return db_failed_with(c, code_of(rc, system), "%s (%s)", text, strerror(system));
}

bool db_failed_system(struct db_connection *c, int error)
{
    return db_failed_with(c, code_of_system(error), "%s", strerror(error));
}
