/* The environment that children get: the server's own as it was at the start, less what only concerns the
 * server, plus what a call adds.
 *
 * Left out: the secrets (SANDSTORM_MCP_TOKEN, MCP_AUTH_TOKEN, SESSION_AUTH_TOKEN), what a service manager
 * hands to this one process (NOTIFY_SOCKET, LISTEN_*, WATCHDOG_*, CREDENTIALS_DIRECTORY), and PWD and OLDPWD,
 * which would be untrue in the child's directory. */
#ifndef SANDSTORM_ENVIRONMENT_H
#define SANDSTORM_ENVIRONMENT_H

#include <stdbool.h>
#include <stddef.h>

struct environment;

struct environment_variable {
    const char *name;
    const char *value;
};

/* Copies the process's environment. NULL without memory. Afterwards the struct does not change: it may be
 * used by any thread. */
struct environment *environment_new(void);

/* NULL is allowed. */
void environment_free(struct environment *e);

/* A vector for exec with the variables in `add` added or put in the place of inherited ones. One block; the
 * caller frees it. It points into `e`. NULL without memory. */
char **environment_vector(const struct environment *e, const struct environment_variable *add, size_t count);

#endif
