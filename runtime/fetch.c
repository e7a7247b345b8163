#include "fetch.h"

#include <arpa/inet.h>
#include <assert.h>
#define CURL_DISABLE_TYPECHECK /* it is for calls by name */
#include <curl/curl.h>
#include <netinet/in.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <unistd.h>

#include "late_library.h"

/* clang-format off */
#define LIBCURL_FUNCTIONS(F) \
    F(easy_cleanup) F(easy_getinfo) F(easy_init) F(easy_perform) F(easy_setopt) F(easy_strerror) F(free) \
    F(slist_append) F(slist_free_all) F(url) F(url_cleanup) F(url_get) F(url_set)
/* clang-format on */

/* curl_easy_init() is curl->easy_init(). */
struct libcurl {
#define MEMBER(name) __typeof__(curl_##name) *name;
    LIBCURL_FUNCTIONS(MEMBER)
#undef MEMBER
};

struct transfer {
    const struct libcurl *curl;
    const struct fetch_request *request;
    struct fetch_response *response;
    bool any_address; /* the host may be on a private network */
    bool private_met, too_large;
};

/* ---- addresses --------------------------------------------------------------------------------------- */

struct range4 {
    uint32_t net;
    int bits;
};

/* IANA's special-purpose registries, and multicast. */
static bool is_public4(uint32_t address)
{
    static const struct range4 special[] = {
        {0x00000000, 8},  {0x0a000000, 8},  {0x64400000, 10}, {0x7f000000, 8},  {0xa9fe0000, 16},
        {0xac100000, 12}, {0xc0000000, 24}, {0xc0000200, 24}, {0xc0586300, 24}, {0xc0a80000, 16},
        {0xc6120000, 15}, {0xc6336400, 24}, {0xcb007100, 24}, {0xe0000000, 3},
    };
    for (size_t i = 0; i < sizeof special / sizeof *special; i++)
        if ((address ^ special[i].net) >> (32 - special[i].bits) == 0) return false;
    return true;
}

static uint32_t word(const unsigned char *bytes)
{
    return (uint32_t)bytes[0] << 24 | (uint32_t)bytes[1] << 16 | (uint32_t)bytes[2] << 8 | bytes[3];
}

/* 2000::/3 is what is given out; within it lie documentation, benchmarking and tunnels to IPv4. */
static bool is_public6(const unsigned char a[16])
{
    static const unsigned char mapped[12] = {0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0xff, 0xff};
    static const unsigned char translated[12] = {0, 0x64, 0xff, 0x9b};
    if (memcmp(a, mapped, 12) == 0 || memcmp(a, translated, 12) == 0) return is_public4(word(a + 12));
    if (a[0] >> 5 != 1) return false;
    if (a[0] == 0x20 && a[1] == 0x02) return is_public4(word(a + 2));
    if (a[0] == 0x20 && a[1] == 0x01 && a[2] < 2) return false;
    return word(a) != 0x20010db8 && word(a) >> 12 != 0x3fff0;
}

bool fetch_is_public(const struct sockaddr *address)
{
    if (address->sa_family == AF_INET)
        return is_public4(ntohl(((const struct sockaddr_in *)(const void *)address)->sin_addr.s_addr));
    if (address->sa_family == AF_INET6)
        return is_public6(((const struct sockaddr_in6 *)(const void *)address)->sin6_addr.s6_addr);
    return false;
}

/* ---- one transfer ------------------------------------------------------------------------------------ */

static curl_socket_t open_socket(void *data, curlsocktype purpose, struct curl_sockaddr *address)
{
    struct transfer *t = data;
    (void)purpose;
    if (!t->any_address && !fetch_is_public(&address->addr)) t->private_met = true;
    if (t->private_met) return CURL_SOCKET_BAD;
    return socket(address->family, address->socktype | SOCK_CLOEXEC, address->protocol);
}

static size_t take_body(char *bytes, size_t size, size_t count, void *data)
{
    struct transfer *t = data;
    struct buf *body = &t->response->body;
    size_t len = size * count;
    t->too_large = len > t->request->limit - body->len;
    return !t->too_large && buf_add(body, bytes, len) ? len : 0;
}

static void keep(const char *name, const char *line, size_t len, char *out, size_t size)
{
    size_t skip = strlen(name);
    if (len <= skip || strncasecmp(line, name, skip) != 0) return;
    while (skip < len && line[skip] == ' ')
        skip++;
    while (len > skip && (line[len - 1] == '\n' || line[len - 1] == '\r'))
        len--;
    snprintf(out, size, "%.*s", (int)(len - skip), line + skip);
}

static size_t take_header(char *bytes, size_t size, size_t count, void *data)
{
    struct transfer *t = data;
    struct fetch_response *r = t->response;
    keep("cache-control:", bytes, size * count, r->cache_control, sizeof r->cache_control);
    keep("content-type:", bytes, size * count, r->content_type, sizeof r->content_type);
    return size * count;
}

static bool is_listed(const char *list, const char *host)
{
    size_t host_len = strlen(host);
    for (const char *at = list; *at != '\0';) {
        at += strspn(at, ", \t");
        size_t len = strcspn(at, ", \t");
        if (len > 0 && len == host_len && strncasecmp(at, host, len) == 0) return true;
        at += len;
    }
    return false;
}

static bool may_be_private(const struct libcurl *curl, const struct fetch_request *request)
{
    CURLU *url = curl->url();
    char *host = NULL;
    bool found = url != NULL && curl->url_set(url, CURLUPART_URL, request->url, 0) == CURLUE_OK &&
                 curl->url_get(url, CURLUPART_HOST, &host, 0) == CURLUE_OK &&
                 is_listed(request->private_for, host);
    curl->free(host);
    curl->url_cleanup(url);
    return found;
}

static bool set_up(CURL *easy, struct transfer *t, struct curl_slist *headers)
{
    const struct fetch_request *r = t->request;
    const struct libcurl *curl = t->curl;
    bool ok = curl->easy_setopt(easy, CURLOPT_URL, r->url) == CURLE_OK &&
              curl->easy_setopt(easy, CURLOPT_PROTOCOLS_STR, "https") == CURLE_OK &&
              curl->easy_setopt(easy, CURLOPT_FOLLOWLOCATION, 0L) == CURLE_OK &&
              curl->easy_setopt(easy, CURLOPT_PROXY, "") == CURLE_OK &&
              curl->easy_setopt(easy, CURLOPT_NOSIGNAL, 1L) == CURLE_OK &&
              curl->easy_setopt(easy, CURLOPT_TIMEOUT_MS, (long)r->timeout_ms) == CURLE_OK &&
              curl->easy_setopt(easy, CURLOPT_OPENSOCKETFUNCTION, open_socket) == CURLE_OK &&
              curl->easy_setopt(easy, CURLOPT_OPENSOCKETDATA, t) == CURLE_OK &&
              curl->easy_setopt(easy, CURLOPT_WRITEFUNCTION, take_body) == CURLE_OK &&
              curl->easy_setopt(easy, CURLOPT_WRITEDATA, t) == CURLE_OK &&
              curl->easy_setopt(easy, CURLOPT_HEADERFUNCTION, take_header) == CURLE_OK &&
              curl->easy_setopt(easy, CURLOPT_HEADERDATA, t) == CURLE_OK &&
              curl->easy_setopt(easy, CURLOPT_USERAGENT, r->user_agent) == CURLE_OK &&
              curl->easy_setopt(easy, CURLOPT_HTTPHEADER, headers) == CURLE_OK;
    if (ok && r->ca_file != NULL && r->ca_file[0] != '\0')
        ok = curl->easy_setopt(easy, CURLOPT_CAINFO, r->ca_file) == CURLE_OK;
    return ok;
}

static bool perform(CURL *easy, struct transfer *t)
{
    struct fetch_response *response = t->response;
    CURLcode code = t->curl->easy_perform(easy);
    if (code == CURLE_OK)
        return t->curl->easy_getinfo(easy, CURLINFO_RESPONSE_CODE, &response->status) == CURLE_OK;
    const char *why = t->curl->easy_strerror(code);
    if (t->private_met) why = "its address is not of the public internet";
    if (t->too_large) why = "it is too large";
    snprintf(response->message, sizeof response->message, "%s", why);
    return false;
}

static bool load(struct libcurl *curl, char message[FETCH_MESSAGE_SIZE])
{
#define NAME(name) "curl_" #name,
    static const char *const names[] = {LIBCURL_FUNCTIONS(NAME) NULL};
#undef NAME
    static_assert(sizeof names == sizeof *curl + sizeof names[0], "a name for each function");
    return late_library_load(LIBCURL_LIBRARY, names, curl, message, FETCH_MESSAGE_SIZE);
}

bool fetch_get(const struct fetch_request *request, struct fetch_response *response)
{
    struct libcurl curl;
    struct transfer t = {.curl = &curl, .request = request, .response = response};
    *response = (struct fetch_response){.body = BUF_INIT};
    if (!load(&curl, response->message)) return false;
    t.any_address = may_be_private(&curl, request);
    CURL *easy = curl.easy_init();
    struct curl_slist *headers = curl.slist_append(NULL, "Accept: application/json");
    bool ok = easy != NULL && headers != NULL && set_up(easy, &t, headers);
    if (ok)
        ok = perform(easy, &t);
    else
        snprintf(response->message, sizeof response->message, "not enough memory");
    curl.slist_free_all(headers);
    curl.easy_cleanup(easy);
    return ok;
}
