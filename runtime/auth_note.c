#include "auth_note.h"

#include <string.h>

#include "audit.h"
#include "client_address.h"
#include "host.h"
#include "http.h"
#include "json.h"
#include "metrics.h"

static const char *name_of(enum auth_result result)
{
    switch (result) {
    case AUTH_GRANTED:
        return "granted";
    case AUTH_MISSING:
        return "missing";
    case AUTH_MALFORMED:
        return "malformed";
    case AUTH_EXPIRED:
        return "expired";
    case AUTH_REFUSED:
        break;
    }
    return "refused";
}

static void add_text(struct buf *out, const char *name, const char *value)
{
    buf_printf(out, ",\"%s\":", name);
    json_text_quote(out, value, strnlen(value, 1024));
}

static void audit_it(struct host *host, const char *area, const char *outcome,
                     const struct http_request *request)
{
    struct buf fields = BUF_INIT;
    char address[CLIENT_ADDRESS_SIZE];
    client_address(host->origins, request, address);
    buf_puts(&fields, "\"event\":\"auth\"");
    add_text(&fields, "area", area);
    add_text(&fields, "outcome", outcome);
    add_text(&fields, "peer", address);
    add_text(&fields, "method", request->method);
    add_text(&fields, "path", request->path);
    audit_refusal(host->audit, &fields);
    buf_free(&fields);
}

void auth_note(struct host *host, const char *area, enum auth_result result,
               const struct http_request *request)
{
    const char *outcome = name_of(result), *values[] = {area, outcome};
    metrics_add(host->metrics, metrics_family("sandstorm_auth_total"), values, 1);
    if (result != AUTH_GRANTED && audit_enabled(host->audit)) audit_it(host, area, outcome, request);
}
