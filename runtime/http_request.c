/* From the text of a header section to struct http_request. */
#include "http_internal.h"

#include <arpa/inet.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

static void reset(struct buf *b)
{
    if (b->cap > HTTP_KEEP_BYTES) buf_free(b);
    buf_clear(b);
}

void http_request_begin(struct http_conn *c)
{
    reset(&c->text);
    reset(&c->path);
    reset(&c->fields);
    reset(&c->table);
    reset(&c->body);
    c->verdict = 0;
    c->wrong = NULL;
    c->head_bytes = c->wire = c->chunks = c->version_len = c->target_len = 0;
    c->last_byte = 0;
    c->in_field = c->has_body = c->persistent = false;
    c->length = 0;
    c->ex = (struct http_exchange){.conn = c};
}

void http_request_free(struct http_conn *c)
{
    buf_free(&c->text);
    buf_free(&c->path);
    buf_free(&c->fields);
    buf_free(&c->table);
    buf_free(&c->body);
}

static int collect(struct http_conn *c, const char *at, size_t len)
{
    if (c->text.len + len > c->server->limits.header_bytes) return 431;
    return buf_add(&c->text, at, len) ? 0 : 503;
}

int http_collect_target(struct http_conn *c, const char *at, size_t len)
{
    c->target_len += len;
    if (c->target_len > c->server->limits.target_bytes) return 414;
    return collect(c, at, len);
}

bool http_collect_target_end(struct http_conn *c)
{
    return buf_byte(&c->text, '\0');
}

int http_collect_name(struct http_conn *c, const char *at, size_t len)
{
    if (!c->in_field) {
        struct http_field field = {.name = c->text.len, .value = 0};
        if (c->fields.len / sizeof field >= c->server->limits.header_count) return 431;
        if (!buf_add(&c->fields, &field, sizeof field)) return 503;
        c->in_field = true;
    }
    return collect(c, at, len);
}

static struct http_field *last_field(struct http_conn *c)
{
    return (struct http_field *)(void *)(c->fields.data + c->fields.len - sizeof(struct http_field));
}

int http_collect_name_end(struct http_conn *c)
{
    if (!c->in_field || last_field(c)->name == c->text.len) return 400;
    if (!buf_byte(&c->text, '\0')) return 503;
    last_field(c)->value = c->text.len;
    c->in_field = false;
    return 0;
}

int http_collect_value(struct http_conn *c, const char *at, size_t len)
{
    return collect(c, at, len);
}

bool http_collect_value_end(struct http_conn *c)
{
    size_t start = last_field(c)->value;

    while (c->text.len > start && strchr(" \t", c->text.data[c->text.len - 1]))
        c->text.len--;
    return buf_byte(&c->text, '\0');
}

static int hex_digit(char digit)
{
    if (digit >= '0' && digit <= '9') return digit - '0';
    if ((digit | 0x20) >= 'a' && (digit | 0x20) <= 'f') return (digit | 0x20) - 'a' + 10;
    return -1;
}

static int wrong(struct http_conn *c, const char *what)
{
    c->wrong = what;
    return 400;
}

/* Decodes once; a broken escape and an escaped NUL are refused. */
static int decode_path(struct http_conn *c, const char *at, size_t len)
{
    for (size_t i = 0; i < len; i++) {
        char byte = at[i];
        if (byte == '%') {
            int high = i + 2 < len ? hex_digit(at[i + 1]) : -1;
            int low = i + 2 < len ? hex_digit(at[i + 2]) : -1;
            if (high < 0 || low < 0) return wrong(c, "path: expected two hexadecimal digits behind each %");
            if (high + low == 0) return wrong(c, "path: cannot hold a NUL byte");
            byte = (char)(high * 16 + low);
            i += 2;
        }
        buf_byte(&c->path, byte);
    }
    return buf_byte(&c->path, '\0') ? 0 : 503;
}

static bool is_name_byte(char byte)
{
    return byte && (strchr("-._~", byte) || (byte >= '0' && byte <= '9') ||
                    ((byte | 0x20) >= 'a' && (byte | 0x20) <= 'z'));
}

static bool is_port(const char *text)
{
    size_t digits = strspn(text, "0123456789");
    return digits <= 5 && text[digits] == '\0' && strtol(text, NULL, 10) <= UINT16_MAX;
}

static bool is_ipv6(const char *at, size_t len)
{
    char text[INET6_ADDRSTRLEN];
    unsigned char address[16];

    if (len >= sizeof text) return false;
    memcpy(text, at, len);
    text[len] = '\0';
    return inet_pton(AF_INET6, text, address) == 1;
}

/* name or [IPv6], then perhaps :port; empty is allowed where the peer knows no name (RFC 9110 7.2) */
static bool is_authority(const char *text)
{
    const char *p = text;

    if (*p == '[') {
        const char *end = strchr(p, ']');
        if (!end || !is_ipv6(p + 1, (size_t)(end - p - 1))) return false;
        p = end + 1;
    } else {
        while (is_name_byte(*p))
            p++;
        if (p == text) return *p == '\0';
    }
    return *p == '\0' || (*p == ':' && is_port(p + 1));
}

/* Cuts the authority out of an absolute-form target: its bytes move one to the left, into the second slash of
 * `//`, so that there is room for its NUL. Returns where the path begins. */
static char *split_absolute(char *target, const char **authority)
{
    char *start = strstr(target, "://");
    if (!start) return NULL;
    char *end = start + 3 + strcspn(start + 3, "/?"), *left = start + 2;
    memmove(left, left + 1, (size_t)(end - left - 1));
    end[-1] = '\0';
    *authority = left;
    return end;
}

static int finish_path(struct http_conn *c, const char *path)
{
    struct http_request *request = &c->ex.request;
    size_t len = strcspn(path, "?");

    if (strchr(path, '#')) return wrong(c, "path: expected no fragment (#)");
    if (*path != '/') buf_byte(&c->path, '/');
    int status = decode_path(c, path, len);
    if (status) return status;
    request->path = c->path.data;
    request->query = path[len] == '?' ? path + len + 1 : path + len;
    return 0;
}

static int finish_target(struct http_conn *c)
{
    struct http_request *request = &c->ex.request;
    char *target = c->text.data;

    if (c->parser.method == HTTP_CONNECT) return 501;
    if (strcmp(target, "*") == 0) {
        request->path = target;
        request->query = target + 1;
        return c->parser.method == HTTP_OPTIONS ? 0 : wrong(c, "path: * is for OPTIONS only");
    }
    if (*target == '/') return finish_path(c, target);
    char *path = NULL;
    if (strncasecmp(target, "http://", 7) == 0 || strncasecmp(target, "https://", 8) == 0)
        path = split_absolute(target, &request->host);
    if (!path || !*request->host || !is_authority(request->host))
        return wrong(c, "path: expected one that begins with /, or http://host/path");
    return finish_path(c, path);
}

static int finish_table(struct http_conn *c)
{
    const struct http_field *fields = (const void *)c->fields.data;
    size_t count = c->fields.len / sizeof *fields;

    for (size_t i = 0; i < count; i++) {
        struct http_header header = {.name = c->text.data + fields[i].name,
                                     .value = c->text.data + fields[i].value};
        if (!buf_add(&c->table, &header, sizeof header)) return 503;
    }
    c->ex.request.headers = (const void *)c->table.data;
    c->ex.request.header_count = count;
    return 0;
}

/* A target in absolute form stands above Host (RFC 9112 3.2.2). A request of HTTP/1.1 without Host is served.
 */
static int finish_host(struct http_conn *c)
{
    struct http_request *request = &c->ex.request;
    size_t count = 0;
    const char *host = http_request_header(request, "Host", &count);

    if (count > 1) return wrong(c, "Host: expected one, got several");
    if (host && !is_authority(host))
        return wrong(c, "Host: expected a name or an address, perhaps with a port");
    if (!request->host) request->host = host ? host : "";
    return 0;
}

/* Both lengths at once, a length of its own beside HTTP/1.0, or a coding other than chunked: the end of the
 * message is not certain. */
static int finish_framing(struct http_conn *c)
{
    const struct http_request *request = &c->ex.request;
    size_t codings = 0, lengths = 0;
    const char *coding = http_request_header(request, "Transfer-Encoding", &codings);
    const char *length = http_request_header(request, "Content-Length", &lengths);

    if (codings + lengths > 1 || (coding && c->parser.http_minor == 0)) return 400;
    if (coding && strcasecmp(coding, "chunked") != 0) return 501;
    c->length = length ? strtoull(length, NULL, 10) : 0;
    c->has_body = coding || c->length > 0;
    return 0;
}

static int finish_expect(const struct http_conn *c)
{
    const char *expect = http_request_header(&c->ex.request, "Expect", NULL);

    if (!expect || c->parser.http_minor == 0) return 0;
    return strcasecmp(expect, "100-continue") == 0 ? 0 : 417;
}

int http_request_finish(struct http_conn *c)
{
    struct http_request *request = &c->ex.request;

    if (c->version_len == 0) return 400; /* HTTP/0.9 */
    if (c->parser.http_major != 1) return 505;
    request->method = llhttp_method_name((llhttp_method_t)c->parser.method);
    request->peer = c->peer;
    request->body = &c->body;
    c->persistent = llhttp_should_keep_alive(&c->parser) != 0;
    c->ex.bodyless = c->parser.method == HTTP_HEAD;

    int status = finish_target(c);
    if (!status) status = finish_table(c);
    if (!status) status = finish_host(c);
    if (!status) status = finish_framing(c);
    return status ? status : finish_expect(c);
}

/* Most names differ in their first letter already. */
static bool is_named(const struct http_header *header, const char *name)
{
    return ((header->name[0] ^ name[0]) & 0x5F) == 0 && strcasecmp(header->name, name) == 0;
}

const char *http_request_header(const struct http_request *request, const char *name, size_t *count)
{
    const char *first = NULL;
    size_t found = 0;

    for (size_t i = 0; i < request->header_count; i++) {
        if (!is_named(&request->headers[i], name)) continue;
        if (found++ == 0) first = request->headers[i].value;
        if (!count) break;
    }
    if (count) *count = found;
    return first;
}
