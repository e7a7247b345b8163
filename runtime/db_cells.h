/* Values of SQLite in a row, packed one behind the other into a buffer: what a statement is given and what
 * it answers, in a form that any thread can hold. */
#ifndef SANDSTORM_DB_CELLS_H
#define SANDSTORM_DB_CELLS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "buf.h"

enum db_type { DB_NULL, DB_INTEGER, DB_REAL, DB_TEXT, DB_BLOB };

struct db_cell {
    enum db_type type;
    int64_t integer;
    double real;
    const char *bytes; /* of DB_TEXT and DB_BLOB, not ended by NUL; points into the buffer */
    size_t len;
};

/* Adds a cell; false without memory. */
bool db_cells_add(struct buf *cells, const struct db_cell *cell);

/* Reads the cell at `*at` and moves that behind it; false at the end. Growth of the buffer moves `bytes`. */
bool db_cells_next(const struct buf *cells, size_t *at, struct db_cell *cell);

#endif
