#include "routes.h"

#include <stdlib.h>
#include <string.h>

struct route_table {
    struct route *items;
    size_t count, cap;
    struct route_pages pages;
};

struct route_table *route_table_new(void)
{
    return calloc(1, sizeof(struct route_table));
}

void route_table_free(struct route_table *table)
{
    if (table == NULL) return;
    for (size_t i = 0; i < table->count; i++) {
        free(table->items[i].path);
        free(table->items[i].allow);
        free(table->items[i].media_type);
        free(table->items[i].metadata);
        free(table->items[i].scope);
        free(table->items[i].forbidden);
    }
    free(table->pages.exposed_headers);
    free(table->pages.allowed_headers);
    free(table->items);
    free(table);
}

struct route_pages *route_pages(struct route_table *table)
{
    return &table->pages;
}

struct route *route_add(struct route_table *table)
{
    if (table->count == table->cap) {
        size_t cap = table->cap == 0 ? 8 : table->cap * 2;
        struct route *items = realloc(table->items, cap * sizeof *items);
        if (items == NULL) return NULL;
        table->items = items;
        table->cap = cap;
    }
    struct route *route = &table->items[table->count++];
    *route = (struct route){0};
    return route;
}

/* True if the path is what the pattern says; `out` may be NULL. */
static bool match(const char *pattern, const char *path, struct route_parameter *out, size_t *count)
{
    *count = 0;
    while (*pattern != '\0' && *path != '\0') {
        if (*pattern != '{') {
            if (*pattern++ != *path++) return false;
            continue;
        }
        size_t name = strcspn(pattern, "}"), value = strcspn(path, "/");
        if (value == 0 || pattern[name] == '\0') return false;
        if (out != NULL && *count < ROUTE_PARAMETERS_MAX)
            out[*count] = (struct route_parameter){pattern + 1, path, name - 1, value};
        *count += 1;
        pattern += name + 1;
        path += value;
    }
    return *pattern == *path;
}

const struct route *route_find(const struct route_table *table, const char *path)
{
    const struct route *found = NULL;
    size_t count;
    for (size_t i = 0; i < table->count; i++) {
        if (!match(table->items[i].path, path, NULL, &count)) continue;
        if (count == 0) return &table->items[i];
        if (found == NULL) found = &table->items[i];
    }
    return found;
}

const struct route *route_below_bearer(const struct route_table *table, const char *path)
{
    for (size_t i = 0; i < table->count; i++) {
        const struct route *r = &table->items[i];
        size_t len = strlen(r->path);
        if (r->bearer && strncmp(path, r->path, len) == 0 && path[len] == '/') return r;
    }
    return NULL;
}

bool route_below_session(const struct route_table *table, const char *path)
{
    for (size_t i = 0; i < table->count; i++) {
        const struct route *r = &table->items[i];
        size_t len = strcspn(r->path, "{");
        if (!r->session || strncmp(path, r->path, len) != 0) continue;
        if (r->path[len] == '{' || path[len] == '/') return true;
    }
    return false;
}

size_t route_parameters(const struct route *route, const char *path,
                        struct route_parameter out[ROUTE_PARAMETERS_MAX])
{
    size_t count = 0;
    if (!match(route->path, path, out, &count)) return 0;
    return count < ROUTE_PARAMETERS_MAX ? count : ROUTE_PARAMETERS_MAX;
}

/* `allow` is a list of names separated by ", ". */
static bool listed(const char *allow, const char *method)
{
    size_t len = strlen(method);
    for (const char *at = allow; (at = strstr(at, method)) != NULL; at += len) {
        bool starts = at == allow || at[-1] == ' ';
        if (starts && (at[len] == '\0' || at[len] == ',')) return true;
    }
    return false;
}

bool route_allows(const struct route *route, const char *method)
{
    return listed(route->allow, method);
}
