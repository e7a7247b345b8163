/* Header values of any content: no page of the web is let in but the listed one and loopback, a Host header
 * never breaks out of the challenge, and who is counted as the caller is an address. */
#include <arpa/inet.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "client_address.h"
#include "config.h"
#include "http.h"
#include "origin.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void must(int condition)
{
    if (!condition) abort();
}

/* origin.c asks for X-Forwarded-Proto; the request's only header value stands for it. */
const char *http_request_header(const struct http_request *request, const char *name, size_t *count)
{
    (void)name;
    *count = request->header_count;
    return request->headers != NULL ? request->headers[0].value : NULL;
}

static bool ends_with(const char *host, size_t len, const char *end)
{
    size_t n = strlen(end);
    return len >= n && strncasecmp(host + len - n, end, n) == 0;
}

static void check_origin(const struct origin_policy *policy, const char *text)
{
    bool web = strncasecmp(text, "http://", 7) == 0 || strncasecmp(text, "https://", 8) == 0;
    if (!web || !origin_allowed(policy, text)) return;
    const char *host = strchr(text, '/') + 2;
    size_t len = host[0] == '[' ? strcspn(host, "]") + 1 : strcspn(host, ":");
    bool loopback = strncmp(host, "127.", 4) == 0 && strspn(host, "0123456789.") == len;
    must(loopback || ends_with(host, len, "localhost") || strncmp(host, "[::1]", len) == 0 ||
         (len == strlen("claude.ai") && ends_with(host, len, "claude.ai")));
}

static void check_host(const struct origin_policy *policy, const char *text)
{
    const struct http_header header = {"X-Forwarded-Proto", text};
    const struct http_request request = {
        .host = text, .peer = "10.0.0.1", .headers = &header, .header_count = 1};
    char out[ORIGIN_SIZE];
    if (!origin_of_request(policy, &request, out, sizeof out)) return;
    must(strpbrk(out, "\" \r\n\\,;@?#") == NULL);
    must(strlen(out) == strlen("http://") + (text[0] != '\0' ? strlen(text) : strlen("localhost")));
}

/* The address behind proxies is one, and so is the network that it belongs to. */
static void check_client(const struct origin_policy *policy, const char *text)
{
    unsigned char binary[16];
    char address[CLIENT_ADDRESS_SIZE], network[CLIENT_ADDRESS_SIZE];
    const struct http_header header = {"X-Forwarded-For", text};
    const struct http_request request = {.peer = "127.0.0.1", .headers = &header, .header_count = 1};
    client_address(policy, &request, address);
    must(inet_pton(AF_INET, address, binary) == 1 || inet_pton(AF_INET6, address, binary) == 1);
    must(strlen(client_network(address, network)) > 0);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    char error[256], *text = strndup((const char *)data, size);
    struct config config = {
        .public_url = "", .allowed_origins = "https://claude.ai", .forwarded_allow_ips = "127.0.0.1"};
    struct origin_policy *policy = origin_policy_new(&config, error, sizeof error);
    check_origin(policy, text);
    check_host(policy, text);
    check_client(policy, text);
    origin_policy_free(policy);
    config.allowed_origins = config.public_url = text;
    origin_policy_free(origin_policy_new(&config, error, sizeof error));
    free(text);
    return 0;
}
