#include "db_cells.h"

#include <string.h>

struct packed {
    enum db_type type;
    union {
        int64_t integer;
        double real;
        size_t len;
    } value;
};

static bool has_bytes(enum db_type type)
{
    return type == DB_TEXT || type == DB_BLOB;
}

bool db_cells_add(struct buf *cells, const struct db_cell *cell)
{
    struct packed packed;
    memset(&packed, 0, sizeof packed);
    packed.type = cell->type;
    if (cell->type == DB_INTEGER) packed.value.integer = cell->integer;
    if (cell->type == DB_REAL) packed.value.real = cell->real;
    if (!has_bytes(cell->type)) return buf_add(cells, &packed, sizeof packed);
    packed.value.len = cell->len;
    return buf_add(cells, &packed, sizeof packed) && buf_add(cells, cell->bytes, cell->len);
}

bool db_cells_next(const struct buf *cells, size_t *at, struct db_cell *cell)
{
    struct packed packed;
    if (*at >= cells->len) return false;
    memcpy(&packed, cells->data + *at, sizeof packed);
    *at += sizeof packed;
    *cell = (struct db_cell){.type = packed.type};
    if (packed.type == DB_INTEGER) cell->integer = packed.value.integer;
    if (packed.type == DB_REAL) cell->real = packed.value.real;
    if (has_bytes(packed.type)) {
        cell->bytes = cells->data + *at;
        cell->len = packed.value.len;
        *at += packed.value.len;
    }
    return true;
}
