/* The route table of one generation: which paths exist and what is decided about a request before its body
 * is read. Filled by lua_routes.c from what app.load returned. */
#ifndef SANDSTORM_ROUTES_H
#define SANDSTORM_ROUTES_H

#include <stdbool.h>
#include <stddef.h>

struct route {
    char *path;       /* owned; a segment `{name}` stands for any one segment that is not empty */
    char *allow;      /* owned; value of the Allow header, `GET, HEAD, POST` */
    char *media_type; /* owned; required Content-Type of a body, or NULL for any */
    char *metadata;   /* owned; path of the document that a challenge leads to (RFC 9728 5.1), or NULL */
    char *scope;      /* owned; scope that a challenge asks for, or NULL */
    char *forbidden;  /* owned; JSON text for pages of a foreign origin, or NULL */
    bool bearer;      /* asks for the bearer token */
    bool session;     /* asks for the bearer of the session API; see access.h */
    bool metrics;     /* asks for the bearer token, except of whom access.h lets in without */
    bool origin_checked;
    bool cors;         /* pages of other origins may read what is answered */
    size_t body_limit; /* bytes */
    int handler;       /* registry reference in the generation's state */
};

/* What pages of other origins are told, wherever they may call at all (Fetch standard 3.2.3). */
struct route_pages {
    char *exposed_headers; /* owned; of answers, that they may read, or NULL */
    char *allowed_headers; /* owned; that they may send when a preflight does not ask for any, or NULL */
};

struct route_table;

struct route_table *route_table_new(void);

/* To be filled, and to be read. */
struct route_pages *route_pages(struct route_table *table);

/* NULL is allowed. */
void route_table_free(struct route_table *table);

/* Adds an empty route and returns it; valid until the next call. NULL when there is no memory. */
struct route *route_add(struct route_table *table);

/* The route of this path, or NULL; one without parameters wins over one with. */
const struct route *route_find(const struct route_table *table, const char *path);

/* The route asking for a bearer that `path` lies below, or NULL: a stranger is not told what is there. */
const struct route *route_below_bearer(const struct route_table *table, const char *path);

/* True if `path` lies below a route of the session API. What lies below a route with parameters begins like
 * its path up to the first of them. */
bool route_below_session(const struct route_table *table, const char *path);

/* What stands for one `{name}`: bytes in the route's path and in the request's. */
struct route_parameter {
    const char *name, *value;
    size_t name_len, value_len;
};

#define ROUTE_PARAMETERS_MAX 8

/* Fills in the parameters of a path that the route was found for and returns how many there are. */
size_t route_parameters(const struct route *route, const char *path,
                        struct route_parameter out[ROUTE_PARAMETERS_MAX]);

/* True if the route serves the method; HEAD counts as GET. */
bool route_allows(const struct route *route, const char *method);

#endif
