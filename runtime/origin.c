#include "origin.h"

#include <arpa/inet.h>
#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "config.h"
#include "http.h"

#define HOST_SIZE 256 /* a DNS name has at most 253 bytes */
#define SCHEME_SIZE 64

struct origin {
    char scheme[SCHEME_SIZE]; /* lower case */
    char host[HOST_SIZE];     /* lower case; an IPv6 address with its brackets */
    unsigned port;
};

struct origin_policy {
    char *public_origin; /* NULL: none */
    char *forwarded_allow_ips;
    bool any;
    struct origin *allowed;
    size_t allowed_count;
};

static bool is_web(const char *scheme)
{
    return strcmp(scheme, "http") == 0 || strcmp(scheme, "https") == 0;
}

/* Copies the run of letters, digits and `others` at *text in lower case and moves on; false if it is empty or
 * too long. */
static bool take(const char **text, const char *others, char *out, size_t size)
{
    size_t len = 0;
    for (const char *c = *text; isalnum((unsigned char)*c) || (*c != '\0' && strchr(others, *c)); c++) {
        if (len + 1 >= size) return false;
        out[len++] = (char)tolower((unsigned char)*c);
    }
    out[len] = '\0';
    *text += len;
    return len > 0;
}

static bool take_address(const char **text, char *out)
{
    char address[INET6_ADDRSTRLEN];
    struct in6_addr binary;
    *text += 1;
    if (!take(text, ":.", address, sizeof address) || **text != ']') return false;
    *text += 1;
    snprintf(out, HOST_SIZE, "[%s]", address);
    return inet_pton(AF_INET6, address, &binary) == 1;
}

static bool take_host(const char **text, char *out)
{
    return **text == '[' ? take_address(text, out) : take(text, "-._", out, HOST_SIZE);
}

static bool take_port(const char **text, unsigned *port)
{
    char digits[6];
    if (**text != ':') return true;
    *text += 1;
    if (!take(text, "", digits, sizeof digits) || digits[strspn(digits, "0123456789")] != '\0') return false;
    *port = (unsigned)strtoul(digits, NULL, 10);
    return *port <= 65535;
}

/* Reads `scheme://host[:port]` of the web and leaves *text behind it. */
static bool take_origin(const char **text, struct origin *out)
{
    if (!take(text, "+-.", out->scheme, sizeof out->scheme) || strncmp(*text, "://", 3) != 0) return false;
    *text += 3;
    if (!is_web(out->scheme)) return false;
    out->port = strcmp(out->scheme, "https") == 0 ? 443 : 80;
    return take_host(text, out->host) && take_port(text, &out->port);
}

static bool is_loopback(const char *host)
{
    struct in_addr address;
    size_t len = strlen(host);
    static const char suffix[] = ".localhost";
    if (strcmp(host, "localhost") == 0 || strcmp(host, "[::1]") == 0) return true;
    if (len > sizeof suffix - 1 && strcmp(host + len - (sizeof suffix - 1), suffix) == 0) return true;
    return inet_pton(AF_INET, host, &address) == 1 && ntohl(address.s_addr) >> 24 == 127;
}

static bool same(const struct origin *a, const struct origin *b)
{
    return a->port == b->port && strcmp(a->scheme, b->scheme) == 0 && strcmp(a->host, b->host) == 0;
}

static bool is_listed(const struct origin_policy *policy, const struct origin *origin)
{
    for (size_t i = 0; i < policy->allowed_count; i++)
        if (same(&policy->allowed[i], origin)) return true;
    return false;
}

/* A scheme of no web page: `vscode-webview://...`, `file://`. */
static bool is_foreign(const char *origin)
{
    char scheme[SCHEME_SIZE];
    const char *rest = origin;
    if (!take(&rest, "+-.", scheme, sizeof scheme) || strncmp(rest, "://", 3) != 0) return false;
    return !is_web(scheme) && strpbrk(origin, " ,\t") == NULL;
}

bool origin_allowed(const struct origin_policy *policy, const char *origin)
{
    struct origin parsed;
    const char *rest = origin;
    if (origin == NULL || policy->any || is_foreign(origin)) return true;
    if (!take_origin(&rest, &parsed) || *rest != '\0') return false;
    return is_loopback(parsed.host) || is_listed(policy, &parsed);
}

static bool add_origin(struct origin_policy *policy, const struct origin *origin)
{
    size_t count = policy->allowed_count + 1;
    struct origin *more = realloc(policy->allowed, count * sizeof *more);
    if (more == NULL) return false;
    more[count - 1] = *origin;
    policy->allowed = more;
    policy->allowed_count = count;
    return true;
}

/* Copies the next item of a comma separated list without the blanks around; false at the end. */
static bool next_item(const char **list, char *out, size_t size)
{
    const char *s = *list + strspn(*list, ", \t");
    size_t len = strcspn(s, ",");
    if (*s == '\0') return false;
    *list = s + len;
    while (len > 0 && (s[len - 1] == ' ' || s[len - 1] == '\t'))
        len--;
    snprintf(out, size, "%.*s", (int)len, s);
    return true;
}

static bool add_listed(struct origin_policy *policy, const char *list, char *error, size_t error_size)
{
    char item[HOST_SIZE + SCHEME_SIZE];
    while (next_item(&list, item, sizeof item)) {
        struct origin parsed;
        const char *rest = item;
        if (strcmp(item, "*") == 0) {
            policy->any = true;
            continue;
        }
        if (!take_origin(&rest, &parsed) || strcmp(rest, *rest == '/' ? "/" : "") != 0) {
            snprintf(error, error_size,
                     "SANDSTORM_ALLOWED_ORIGINS: expected origins such as https://example.com, got \"%s\"",
                     item);
            return false;
        }
        if (!add_origin(policy, &parsed)) {
            snprintf(error, error_size, "no memory");
            return false;
        }
    }
    return true;
}

static bool add_public(struct origin_policy *policy, const char *url, char *error, size_t error_size)
{
    struct origin parsed;
    const char *rest = url;
    if (url[0] == '\0') return true;
    bool fits = take_origin(&rest, &parsed) && *rest == '\0';
    if (!fits || (strcmp(parsed.scheme, "https") != 0 && !is_loopback(parsed.host))) {
        snprintf(
            error, error_size,
            "SANDSTORM_PUBLIC_URL: expected https, or http on loopback, and a host without path or slash "
            "behind it, such as https://mcp.example.com; got \"%s\"",
            url);
        return false;
    }
    policy->public_origin = strdup(url);
    if (policy->public_origin != NULL && add_origin(policy, &parsed)) return true;
    snprintf(error, error_size, "no memory");
    return false;
}

struct origin_policy *origin_policy_new(const struct config *config, char *error, size_t error_size)
{
    struct origin_policy *policy = calloc(1, sizeof *policy);
    if (policy != NULL) policy->forwarded_allow_ips = strdup(config->forwarded_allow_ips);
    if (policy == NULL || policy->forwarded_allow_ips == NULL)
        snprintf(error, error_size, "no memory");
    else if (add_public(policy, config->public_url, error, error_size) &&
             add_listed(policy, config->allowed_origins, error, error_size))
        return policy;
    origin_policy_free(policy);
    return NULL;
}

void origin_policy_free(struct origin_policy *policy)
{
    if (policy == NULL) return;
    free(policy->public_origin);
    free(policy->forwarded_allow_ips);
    free(policy->allowed);
    free(policy);
}

bool origin_trusts(const struct origin_policy *policy, const char *peer)
{
    char item[HOST_SIZE];
    const char *list = policy->forwarded_allow_ips;
    while (next_item(&list, item, sizeof item))
        if (strcmp(item, "*") == 0 || strcasecmp(item, peer) == 0) return true;
    return false;
}

bool origin_is_host(const char *host)
{
    char name[HOST_SIZE];
    unsigned port;
    const char *rest = host;
    return take_host(&rest, name) && take_port(&rest, &port) && *rest == '\0';
}

/* The one value of a header that a trusted peer added: NULL without one; false for several. */
static bool forwarded(const struct origin_policy *policy, const struct http_request *request,
                      const char *name, const char **value)
{
    size_t count;
    *value = http_request_header(request, name, &count);
    if (count == 0 || !origin_trusts(policy, request->peer)) *value = NULL;
    return *value == NULL || (count == 1 && strchr(*value, ',') == NULL);
}

bool origin_of_request(const struct origin_policy *policy, const struct http_request *request, char *out,
                       size_t size)
{
    const char *scheme, *host;
    if (policy->public_origin != NULL) {
        snprintf(out, size, "%s", policy->public_origin);
        return true;
    }
    if (!forwarded(policy, request, "X-Forwarded-Proto", &scheme) ||
        !forwarded(policy, request, "X-Forwarded-Host", &host))
        return false;
    if (scheme == NULL) scheme = "http";
    if (host == NULL) host = request->host[0] != '\0' ? request->host : "localhost";
    bool secure = strcasecmp(scheme, "https") == 0;
    if ((!secure && strcasecmp(scheme, "http") != 0) || !origin_is_host(host)) return false;
    snprintf(out, size, "%s://%s", secure ? "https" : "http", host);
    return true;
}
