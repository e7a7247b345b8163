#include "access.h"

#include <arpa/inet.h>
#include <string.h>
#include <strings.h>

#include "bearer.h"
#include "http.h"
#include "keys.h"

/* 127.0.0.0/8 or ::1 as text, or localhost. */
static bool is_loopback(const char *host, size_t len)
{
    char text[INET6_ADDRSTRLEN];
    struct in_addr four;
    struct in6_addr six;
    if (len >= 2 && host[0] == '[' && host[len - 1] == ']') {
        host++;
        len -= 2;
    }
    if (len >= sizeof text) return false;
    memcpy(text, host, len);
    text[len] = '\0';
    if (inet_pton(AF_INET, text, &four) == 1) return (ntohl(four.s_addr) >> 24) == 127;
    if (inet_pton(AF_INET6, text, &six) == 1) return IN6_IS_ADDR_LOOPBACK(&six);
    return strcasecmp(text, "localhost") == 0;
}

/* A Host header without its port. */
static size_t host_length(const char *host)
{
    if (host[0] == '[') return strcspn(host, "]") + (strchr(host, ']') != NULL);
    return strcspn(host, ":");
}

static bool came_through_something(const struct http_request *request)
{
    static const char *const signs[] = {"Origin", "Forwarded", "Via", "X-Real-IP", "Cookie", "Referer"};
    static const char *const beginnings[] = {"X-Forwarded-", "Sec-Fetch-", "CF-", "Proxy-"};
    for (size_t i = 0; i < request->header_count; i++) {
        const char *name = request->headers[i].name;
        for (size_t k = 0; k < sizeof signs / sizeof *signs; k++)
            if (strcasecmp(name, signs[k]) == 0) return true;
        for (size_t k = 0; k < sizeof beginnings / sizeof *beginnings; k++)
            if (strncasecmp(name, beginnings[k], strlen(beginnings[k])) == 0) return true;
    }
    return false;
}

static bool is_direct_caller(const struct http_request *request)
{
    return is_loopback(request->peer, strlen(request->peer)) &&
           is_loopback(request->host, host_length(request->host)) && !came_through_something(request);
}

bool access_without_bearer(bool open, const struct http_request *request)
{
    return open && http_request_header(request, "Authorization", NULL) == NULL && is_direct_caller(request);
}

bool access_session_bearer(const struct keys *keys, const struct http_request *request)
{
    size_t count = 0, len = 0;
    const char *header = http_request_header(request, "Authorization", &count);
    const char *token = count == 1 ? bearer_token(header, &len) : NULL;
    return token != NULL && keys_is_session_secret(keys, token, len);
}
