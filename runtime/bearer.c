#include "bearer.h"

#include <stdbool.h>
#include <string.h>
#include <strings.h>

static bool is_blank(char c)
{
    return c == ' ' || c == '\t';
}

const char *bearer_token(const char *header, size_t *len)
{
    static const char scheme[] = "Bearer";
    if (strncasecmp(header, scheme, sizeof scheme - 1) != 0) return NULL;
    const char *token = header + sizeof scheme - 1;
    if (!is_blank(*token)) return NULL;
    while (is_blank(*token))
        token++;
    *len = strlen(token);
    return token;
}
