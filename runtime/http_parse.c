/* llhttp turns bytes into events. It pauses at the end of a header section and at the end of a message, so
 * that no handler ever runs inside of it. Limits of framing are counted on the bytes that it used. */
#include "http_internal.h"

#include <string.h>

/* What a chunk costs without extensions: size of up to 16 digits, two line ends, some room. */
#define CHUNK_BYTES 24

static int bad(struct http_conn *c, int status)
{
    c->verdict = status;
    return HPE_USER;
}

static int on_message_begin(llhttp_t *parser)
{
    struct http_conn *c = parser->data;

    http_request_begin(c);
    c->phase = PHASE_HEAD;
    c->deadline = uv_now(c->server->loop) + c->server->limits.header_ms;
    return 0;
}

static int on_url(llhttp_t *parser, const char *at, size_t len)
{
    int status = http_collect_target(parser->data, at, len);
    return status ? bad(parser->data, status) : 0;
}

static int on_url_complete(llhttp_t *parser)
{
    return http_collect_target_end(parser->data) ? 0 : bad(parser->data, 503);
}

static int on_version(llhttp_t *parser, const char *at, size_t len)
{
    struct http_conn *c = parser->data;

    for (size_t i = 0; i < len && c->version_len < sizeof c->version; i++)
        c->version[c->version_len++] = at[i];
    return 0;
}

static int on_name(llhttp_t *parser, const char *at, size_t len)
{
    struct http_conn *c = parser->data;

    if (c->phase != PHASE_HEAD) { /* trailers are counted and dropped */
        c->in_field = c->in_field || len > 0;
        return 0;
    }
    int status = http_collect_name(c, at, len);
    return status ? bad(c, status) : 0;
}

static int on_name_complete(llhttp_t *parser)
{
    struct http_conn *c = parser->data;

    if (c->phase == PHASE_HEAD) {
        int status = http_collect_name_end(c);
        return status ? bad(c, status) : 0;
    }
    if (!c->in_field) return bad(c, 400);
    c->in_field = false;
    return 0;
}

static int on_value(llhttp_t *parser, const char *at, size_t len)
{
    struct http_conn *c = parser->data;

    if (c->phase != PHASE_HEAD) return 0;
    int status = http_collect_value(c, at, len);
    return status ? bad(c, status) : 0;
}

static int on_value_complete(llhttp_t *parser)
{
    struct http_conn *c = parser->data;

    if (c->phase != PHASE_HEAD || http_collect_value_end(c)) return 0;
    return bad(c, 503);
}

static int on_headers_complete(llhttp_t *parser)
{
    struct http_conn *c = parser->data;

    c->event = HTTP_EVENT_HEAD;
    return HPE_PAUSED;
}

/* The handler's limit stands in the exchange: 413 as soon as it is clear that more will come. */
static int on_chunk_header(llhttp_t *parser)
{
    struct http_conn *c = parser->data;

    c->chunks++;
    return parser->content_length > c->ex.body_limit - c->body.len ? bad(c, 413) : 0;
}

static int on_body(llhttp_t *parser, const char *at, size_t len)
{
    struct http_conn *c = parser->data;

    if (len > c->ex.body_limit - c->body.len) return bad(c, 413);
    return buf_add(&c->body, at, len) ? 0 : bad(c, 503);
}

static int on_message_complete(llhttp_t *parser)
{
    struct http_conn *c = parser->data;

    c->event = HTTP_EVENT_END;
    return HPE_PAUSED;
}

static const llhttp_settings_t settings = {
    .on_message_begin = on_message_begin,
    .on_url = on_url,
    .on_url_complete = on_url_complete,
    .on_version = on_version,
    .on_header_field = on_name,
    .on_header_field_complete = on_name_complete,
    .on_header_value = on_value,
    .on_header_value_complete = on_value_complete,
    .on_headers_complete = on_headers_complete,
    .on_chunk_header = on_chunk_header,
    .on_body = on_body,
    .on_message_complete = on_message_complete,
};

void http_parse_init(struct http_conn *c)
{
    llhttp_init(&c->parser, HTTP_REQUEST, &settings);
    c->parser.data = c;
}

static bool is_token_byte(char byte)
{
    return byte && (strchr("!#$%&'*+-.^_`|~", byte) || (byte >= '0' && byte <= '9') ||
                    ((byte | 0x20) >= 'a' && (byte | 0x20) <= 'z'));
}

static bool is_version(const char *text, size_t len)
{
    return len == 3 && text[0] >= '0' && text[0] <= '9' && text[1] == '.' && text[2] >= '0' && text[2] <= '9';
}

/* Is the first line `token SP target SP HTTP/d.d CR LF`? Then only its method was unknown. */
static bool is_request_line(const char *at, size_t len)
{
    const char *end = memchr(at, '\r', len), *p = at;

    if (!end) return false;
    while (p < end && is_token_byte(*p))
        p++;
    if (p == at || p == end || *p != ' ') return false;
    const char *target = p + 1, *space = memchr(target, ' ', (size_t)(end - target));
    if (!space || space == target || end - space != 9 || memcmp(space + 1, "HTTP/", 5) != 0) return false;
    return is_version(space + 6, 3);
}

static int parse_status(const struct http_conn *c, llhttp_errno_t err, const char *at, size_t len)
{
    switch (err) {
    case HPE_INVALID_METHOD:
    case HPE_INVALID_CONSTANT:
        return c->head_bytes == 0 && is_request_line(at, len) ? 501 : 400;
    case HPE_INVALID_VERSION:
        return is_version(c->version, c->version_len) ? 505 : 400;
    case HPE_PAUSED_H2_UPGRADE:
        return 505;
    default:
        return 400;
    }
}

/* Lines of a header section end in CR LF and are never continued (RFC 9112 2.2, 5.2). */
static bool lines_ok(struct http_conn *c, const char *at, size_t len)
{
    const char *end = at + len;

    if (c->last_byte == '\n' && (*at == ' ' || *at == '\t')) return false;
    for (const char *p = at; (p = memchr(p, '\n', (size_t)(end - p))); p++) {
        if ((p > at ? p[-1] : c->last_byte) != '\r') return false;
        if (p + 1 < end && (p[1] == ' ' || p[1] == '\t')) return false;
    }
    c->last_byte = end[-1];
    return true;
}

static int count_head(struct http_conn *c, const char *at, size_t len)
{
    if (len && !lines_ok(c, at, len)) return 400;
    c->head_bytes += len;
    return c->head_bytes > c->server->limits.header_bytes ? 431 : 0;
}

static int count_body(struct http_conn *c, size_t len)
{
    c->wire += len;
    return c->wire - c->body.len > c->server->limits.chunk_overhead + c->chunks * CHUNK_BYTES ? 400 : 0;
}

enum http_event http_parse(struct http_conn *c, const char *at, size_t len, size_t *used)
{
    bool in_body = c->phase == PHASE_BODY;

    llhttp_errno_t err = llhttp_execute(&c->parser, at, len);
    *used = err == HPE_OK ? len : (size_t)(llhttp_get_error_pos(&c->parser) - at);
    if (err == HPE_PAUSED_UPGRADE) { /* nothing here upgrades: what follows is HTTP/1.1 (RFC 9110 7.8) */
        llhttp_resume_after_upgrade(&c->parser);
        err = HPE_OK;
    }
    if (err != HPE_OK && err != HPE_PAUSED && !c->verdict) c->verdict = parse_status(c, err, at, len);
    int status = in_body ? count_body(c, *used) : count_head(c, at, *used);
    if (!c->verdict) c->verdict = status;
    if (c->verdict) return HTTP_EVENT_BAD;
    return err == HPE_PAUSED ? c->event : HTTP_EVENT_MORE;
}
