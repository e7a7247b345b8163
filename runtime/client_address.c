#include "client_address.h"

#include <arpa/inet.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>
#include <strings.h>

#include "http.h"
#include "origin.h"

#define CHAIN_SIZE 2048

/* The end of a list, whole items only, in less than `size` bytes. */
static const char *end_of(const char *list, size_t size)
{
    size_t len = strlen(list);
    if (len < size) return list;
    const char *comma = strchr(list + len - size, ',');
    return comma != NULL ? comma + 1 : "";
}

/* All X-Forwarded-For values as one list; what does not fit is cut at the front, which strangers wrote. */
static void gather(const struct http_request *request, char chain[CHAIN_SIZE])
{
    chain[0] = '\0';
    for (size_t i = 0; i < request->header_count; i++) {
        const struct http_header *h = &request->headers[i];
        size_t len = strlen(chain);
        if (strcasecmp(h->name, "X-Forwarded-For") != 0) continue;
        if (len + strlen(h->value) + 2 > CHAIN_SIZE) len = 0;
        snprintf(chain + len, CHAIN_SIZE - len, ",%s", end_of(h->value, CHAIN_SIZE - 1));
    }
}

/* An address without blanks, brackets and port, in one way of writing - that of IPv4 where it is one in the
 * clothes of IPv6 -; false if it is none. */
static bool normal(char *item, char out[CLIENT_ADDRESS_SIZE])
{
    static const unsigned char mapped_prefix[12] = {[10] = 0xff, [11] = 0xff};
    unsigned char binary[16];
    char *text = item + strspn(item, " \t");
    text[strcspn(text, " \t")] = '\0';
    if (text[0] == '[') {
        text++;
        text[strcspn(text, "]")] = '\0';
    } else if (strchr(text, '.') != NULL && strchr(text, ':') == strrchr(text, ':')) {
        text[strcspn(text, ":")] = '\0';
    }
    int family = strchr(text, ':') != NULL ? AF_INET6 : AF_INET;
    if (inet_pton(family, text, binary) != 1) return false;
    bool mapped = family == AF_INET6 && memcmp(binary, mapped_prefix, sizeof mapped_prefix) == 0;
    return inet_ntop(mapped ? AF_INET : family, mapped ? binary + 12 : binary, out, CLIENT_ADDRESS_SIZE) !=
           NULL;
}

void client_address(const struct origin_policy *policy, const struct http_request *request,
                    char out[CLIENT_ADDRESS_SIZE])
{
    char chain[CHAIN_SIZE], seen[CLIENT_ADDRESS_SIZE];
    bool any = origin_trusts(policy, "any address");
    snprintf(out, CLIENT_ADDRESS_SIZE, "%s", request->peer);
    if (!origin_trusts(policy, request->peer)) return;
    gather(request, chain);
    for (char *comma; (comma = strrchr(chain, ',')) != NULL; *comma = '\0') {
        if (!normal(comma + 1, seen)) return;
        snprintf(out, CLIENT_ADDRESS_SIZE, "%s", seen);
        if (any || !origin_trusts(policy, seen)) return;
    }
}

const char *client_network(const char *address, char out[CLIENT_ADDRESS_SIZE])
{
    struct in6_addr binary;
    snprintf(out, CLIENT_ADDRESS_SIZE, "%s", address);
    if (inet_pton(AF_INET6, address, &binary) != 1) return out;
    memset(binary.s6_addr + 8, 0, 8);
    inet_ntop(AF_INET6, &binary, out, CLIENT_ADDRESS_SIZE - 4);
    strcat(out, "/64");
    return out;
}
