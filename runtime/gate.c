#include "gate.h"

#include <stdio.h>
#include <string.h>
#include <strings.h>

#include "access.h"
#include "auth.h"
#include "auth_note.h"
#include "buf.h"
#include "client_address.h"
#include "config.h"
#include "http.h"
#include "metrics.h"
#include "origin.h"
#include "routes.h"
#include "scripts.h"
#include "shared.h"
#include "vm.h"

#define MINUTE_MS 60000
#define BAD_BEARERS_A_MINUTE 300 /* many clients may share an address */

/* One request on its way through. */
struct visit {
    struct gate *gate;
    struct http_exchange *ex;
    const struct http_request *request;
    const struct route *route; /* NULL: no such path */
    const struct route_pages *pages;
    struct cors cors;
    struct auth_grant grant;
};

static void refuse(const struct visit *v, int status, const char *name, const char *value)
{
    call_refuse(v->ex, &v->cors, status, name, value);
}

static void refuse_with(const struct visit *v, int status, const char *body)
{
    const struct http_response response = {
        .status = status, .content_type = "application/json", .body = body, .body_len = strlen(body)};
    call_respond(v->ex, &v->cors, &response);
}

/* ---- browsers ---------------------------------------------------------------------------------------- */

static bool origin_ok(const struct visit *v)
{
    size_t count = 0;
    const char *origin = http_request_header(v->request, "Origin", &count);
    return count == 0 || (count == 1 && origin_allowed(v->gate->host->origins, origin));
}

static struct cors cors_of(const struct visit *v)
{
    const char *origin = http_request_header(v->request, "Origin", NULL);
    bool checked = v->route != NULL && v->route->origin_checked;
    struct cors cors = {.exposed = v->pages->exposed_headers, .varies = checked};
    if (!checked)
        cors.origin = v->route == NULL || v->route->cors ? "*" : NULL;
    else if (origin != NULL && origin_ok(v))
        cors.origin = origin;
    return cors;
}

/* OPTIONS asks what is possible, as a browser does before the real request (Fetch standard); it needs no
 * bearer. */
static void answer_options(const struct visit *v)
{
    const char *allowed = http_request_header(v->request, "Access-Control-Request-Headers", NULL);
    if (allowed == NULL) allowed = v->pages->allowed_headers;
    const struct http_header headers[] = {
        {"Access-Control-Allow-Methods", "GET, POST, DELETE, OPTIONS"},
        {"Access-Control-Max-Age", "600"},
        {"Access-Control-Allow-Headers", allowed != NULL ? allowed : "Authorization, Content-Type"},
        {"Vary", "Origin, Access-Control-Request-Headers"},
    };
    const struct http_header allow = {"Allow", v->route != NULL ? v->route->allow
                                                                : "GET, HEAD, POST, DELETE, OPTIONS"};
    const struct cors cors = {.origin = v->cors.origin};
    bool browser = v->cors.origin != NULL && http_request_header(v->request, "Origin", NULL) != NULL;
    call_respond(v->ex, browser ? &cors : &v->cors,
                 &(struct http_response){
                     .status = 204, .headers = browser ? headers : &allow, .header_count = browser ? 4 : 1});
}

static void refuse_origin(const struct visit *v)
{
    if (v->route->forbidden == NULL)
        refuse(v, 403, NULL, NULL);
    else
        refuse_with(v, 403, v->route->forbidden);
}

/* ---- bearers ----------------------------------------------------------------------------------------- */

static struct shared_text key(char *out, size_t size, const char *kind, const char *name)
{
    int len = snprintf(out, size, "auth/%s/%s", kind, name);
    return (struct shared_text){out, (size_t)len};
}

static void refuse_for_now(const struct visit *v, struct shared_text counter, const char *what)
{
    static const char body[] =
        "{\"error\":\"too_many_requests\",\"error_description\":\"Too many requests: wait a little\"}";
    char seconds[24];
    snprintf(seconds, sizeof seconds, "%lld",
             (long long)(shared_ttl(v->gate->host->shared, counter) / 1000 + 1));
    const struct http_header header = {"Retry-After", seconds};
    metrics_count(v->gate->host->metrics, "sandstorm_limited_total", what);
    call_respond(v->ex, &v->cors,
                 &(struct http_response){.status = 429,
                                         .content_type = "application/json",
                                         .headers = &header,
                                         .header_count = 1,
                                         .body = body,
                                         .body_len = sizeof body - 1});
}

/* True if it answered: only failures are counted, so whoever has a valid bearer is never concerned. */
static bool too_many_bad(const struct visit *v)
{
    char address[CLIENT_ADDRESS_SIZE], network[CLIENT_ADDRESS_SIZE], text[CLIENT_ADDRESS_SIZE + 16];
    client_address(v->gate->host->origins, v->request, address);
    struct shared_text counter = key(text, sizeof text, "bad", client_network(address, network));
    if (shared_add(v->gate->host->shared, counter, 1, MINUTE_MS) <= BAD_BEARERS_A_MINUTE) return false;
    refuse_for_now(v, counter, "bearers");
    return true;
}

static void add_parameter(struct buf *value, const char *name, const char *text, const char *more)
{
    bool first = memchr(value->data, ' ', value->len) == NULL;
    buf_printf(value, "%s%s=\"%s%s\"", first ? " " : ", ", name, text, more);
}

static void add_complaint(struct buf *value, enum auth_result result)
{
    if (result == AUTH_MISSING) return;
    bool expired = result == AUTH_EXPIRED;
    add_parameter(value, "error", "invalid_token", "");
    add_parameter(value, "error_description",
                  expired ? "The access token has expired" : "The access token is not valid here", "");
}

/* What is wrong with the bearer, and where the way to a right one is told (RFC 6750 3, RFC 9728 5.1). */
static void challenge(const struct visit *v, const struct route *route, const char *origin,
                      enum auth_result result)
{
    struct buf value = BUF_INIT;
    buf_puts(&value, "Bearer");
    if (!value.failed) {
        add_complaint(&value, result);
        if (route->metadata != NULL) add_parameter(&value, "resource_metadata", origin, route->metadata);
        if (route->scope != NULL) add_parameter(&value, "scope", route->scope, "");
    }
    buf_byte(&value, '\0');
    refuse(v, 401, "WWW-Authenticate", value.failed ? "Bearer" : value.data);
    buf_free(&value);
}

/* False if it answered: the request has no bearer that counts for the route. */
static bool pass_bearer(struct visit *v, const struct route *route)
{
    char origin[ORIGIN_SIZE] = "";
    size_t count = 0;
    const char *header = http_request_header(v->request, "Authorization", &count);
    bool known = origin_of_request(v->gate->host->origins, v->request, origin, sizeof origin);
    enum auth_result result =
        count > 1 ? AUTH_MALFORMED : auth_check(v->gate->auth, header, known ? origin : "", &v->grant);
    auth_note(v->gate->host, "mcp", result, v->request);
    if (result == AUTH_GRANTED) return true;
    if (!known)
        refuse_with(
            v, 400,
            "{\"error\":\"X-Forwarded-Proto, X-Forwarded-Host: expected http or https, and a host, once\"}");
    else if (result == AUTH_MISSING || !too_many_bad(v))
        challenge(v, route, origin, result);
    return false;
}

/* False if it answered: the session API has its own bearer, unless it is open to this caller. */
static bool pass_session(const struct visit *v)
{
    const struct host *host = v->gate->host;
    if (access_without_bearer(host->config->session_open != 0, v->request)) return true;
    bool ok = access_session_bearer(host->keys, v->request);
    auth_note(v->gate->host, "session", ok ? AUTH_GRANTED : AUTH_REFUSED, v->request);
    if (ok) return true;
    bool offered = http_request_header(v->request, "Authorization", NULL) != NULL;
    if (!offered || !too_many_bad(v)) refuse(v, 401, "WWW-Authenticate", "Bearer");
    return false;
}

static bool pass_metrics(struct visit *v)
{
    return access_without_bearer(v->gate->host->config->metrics_open != 0, v->request) ||
           pass_bearer(v, v->route);
}

/* False if it answered: the grant was used more often than the operator allows. */
static bool pass_rate(const struct visit *v)
{
    char text[AUTH_PRINCIPAL_SIZE + 16];
    int64_t limit = v->gate->host->config->rate_limit;
    if (limit == 0) return true;
    struct shared_text counter = key(text, sizeof text, "rate", v->grant.principal);
    if (shared_add(v->gate->host->shared, counter, 1, MINUTE_MS) <= limit) return true;
    refuse_for_now(v, counter, "calls");
    return false;
}

/* ---- the way in -------------------------------------------------------------------------------------- */

static bool carries_body(const char *method)
{
    return strcmp(method, "POST") == 0 || strcmp(method, "PUT") == 0 || strcmp(method, "PATCH") == 0;
}

/* `type` is a Content-Type value; parameters and case do not matter (RFC 9110 8.3.1). */
static bool media_type_is(const char *type, const char *wanted)
{
    size_t len = strlen(wanted);
    if (type == NULL || strncasecmp(type, wanted, len) != 0) return false;
    return strchr("; \t", type[len]) != NULL;
}

/* Everything that is decided without the route's handler; false if it answered. */
static bool pass(struct visit *v)
{
    const struct route *route = v->route;
    if (route->origin_checked && !origin_ok(v)) {
        refuse_origin(v);
    } else if (route->bearer && (!pass_bearer(v, route) || !pass_rate(v))) {
        return false;
    } else if ((route->session && !pass_session(v)) || (route->metrics && !pass_metrics(v))) {
        return false;
    } else if (!route_allows(route, v->request->method)) {
        refuse(v, 405, "Allow", route->allow);
    } else if (route->media_type != NULL && carries_body(v->request->method) &&
               !media_type_is(http_request_header(v->request, "Content-Type", NULL), route->media_type)) {
        refuse(v, 415, NULL, NULL);
    } else {
        return true;
    }
    return false;
}

static void take_in(struct visit *v, struct vm *vm)
{
    struct call *call = call_new(v->gate->host, v->ex, vm, v->route, &v->cors, v->gate->slow);
    if (call == NULL) {
        refuse(v, 503, NULL, NULL);
        return;
    }
    memcpy(call->principal, v->grant.principal, sizeof call->principal);
    http_accept(v->ex, v->route->body_limit);
}

/* False if it answered: a stranger is not told what is there and what is not. */
static bool pass_unknown(struct visit *v, const struct route_table *routes)
{
    if (route_below_session(routes, v->request->path)) return pass_session(v);
    const struct route *above = route_below_bearer(routes, v->request->path);
    return above == NULL || pass_bearer(v, above);
}

void gate_head(struct gate *gate, struct http_exchange *ex)
{
    struct vm *vm = scripts_vm(gate->host->scripts);
    struct visit v = {.gate = gate, .ex = ex, .request = http_exchange_request(ex)};
    v.pages = route_pages(vm->routes);
    v.route = route_find(vm->routes, v.request->path);
    v.cors = cors_of(&v);
    if (v.request->host[0] != '\0' && !origin_is_host(v.request->host)) {
        refuse_with(&v, 400, "{\"error\":\"Host: expected a name or an address, perhaps with a port\"}");
    } else if (strcmp(v.request->method, "OPTIONS") == 0) {
        answer_options(&v);
    } else if (v.route != NULL) {
        if (pass(&v)) take_in(&v, vm);
    } else if (pass_unknown(&v, vm->routes)) {
        refuse(&v, 404, NULL, NULL);
    }
}
