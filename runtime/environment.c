#include "environment.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

struct environment {
    size_t count;
    char **entries; /* "NAME=value", each owned */
};

/* A name that ends in `*` stands for all that begin so. */
static const char *const left_out[] = {
    "SANDSTORM_MCP_TOKEN",
    "MCP_AUTH_TOKEN",
    "SESSION_AUTH_TOKEN", /* secrets */
    "NOTIFY_SOCKET",
    "LISTEN_*",
    "WATCHDOG_*", /* the service manager's */
    "PWD",
    "OLDPWD",
    "CREDENTIALS_DIRECTORY",
};

static size_t name_length(const char *entry)
{
    return strcspn(entry, "=");
}

static bool has_name(const char *entry, const char *name)
{
    size_t len = strlen(name);
    if (len > 0 && name[len - 1] == '*') return strncmp(entry, name, len - 1) == 0;
    return name_length(entry) == len && memcmp(entry, name, len) == 0;
}

static bool is_left_out(const char *entry)
{
    for (size_t i = 0; i < sizeof left_out / sizeof left_out[0]; i++)
        if (has_name(entry, left_out[i])) return true;
    return false;
}

static size_t count_entries(char *const *vector)
{
    size_t count = 0;
    while (vector != NULL && vector[count] != NULL)
        count++;
    return count;
}

/* Copies what children may see; false without memory. */
static bool copy_entries(struct environment *e)
{
    for (char **entry = environ; entry != NULL && *entry != NULL; entry++) {
        if (is_left_out(*entry)) continue;
        e->entries[e->count] = strdup(*entry);
        if (e->entries[e->count] == NULL) return false;
        e->count++;
    }
    return true;
}

struct environment *environment_new(void)
{
    struct environment *e = calloc(1, sizeof *e);
    if (e == NULL) return NULL;
    e->entries = calloc(count_entries(environ) + 1, sizeof *e->entries);
    if (e->entries != NULL && copy_entries(e)) return e;
    environment_free(e);
    return NULL;
}

void environment_free(struct environment *e)
{
    if (e == NULL) return;
    for (size_t i = 0; i < e->count; i++)
        free(e->entries[i]);
    free(e->entries);
    free(e);
}

static bool is_replaced(const char *entry, const struct environment_variable *add, size_t count)
{
    for (size_t i = 0; i < count; i++)
        if (has_name(entry, add[i].name)) return true;
    return false;
}

char **environment_vector(const struct environment *e, const struct environment_variable *add, size_t count)
{
    size_t bytes = (e->count + count + 1) * sizeof(char *);
    for (size_t i = 0; i < count; i++)
        bytes += strlen(add[i].name) + strlen(add[i].value) + 2;
    char **vector = malloc(bytes);
    if (vector == NULL) return NULL;
    size_t n = 0;
    for (size_t i = 0; i < e->count; i++)
        if (!is_replaced(e->entries[i], add, count)) vector[n++] = e->entries[i];
    char *text = (char *)(vector + e->count + count + 1);
    for (size_t i = 0; i < count; i++) {
        vector[n++] = text;
        text = stpcpy(stpcpy(stpcpy(text, add[i].name), "="), add[i].value) + 1;
    }
    vector[n] = NULL;
    return vector;
}
