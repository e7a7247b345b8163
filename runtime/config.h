/* Settings: the command line and the environment become one `struct config`.
 *
 * Words used here
 *   entry   one setting. Its name ("workspace_root") is what C and scripts call it; its option
 *           (--workspace-root) and its environment variable do the same. An option wins over its variable, a
 *           variable over the default.
 *   secret  an entry without an option (command lines are public on a host); kept in a struct of its own, so
 *           that whoever holds the settings does not hold the secrets.
 *
 * The table in config_table.c is the only list of entries: parsing, --help, warnings and host.setting come
 * from it. Everything here is for one thread, except that a loaded `struct config` may be read from any. */
#ifndef SANDSTORM_CONFIG_H
#define SANDSTORM_CONFIG_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "buf.h"
#include "log.h"

enum config_command {
    COMMAND_SERVE,
    COMMAND_STDIO,
    COMMAND_CHECK,
    COMMAND_CALL,
    COMMAND_RUN,
    COMMAND_TOKEN,
    COMMAND_HELP,
    COMMAND_VERSION
};

/* Texts are owned and never NULL unless said so; paths are absolute, but neither folded nor looked at. */
struct config {
    enum config_command command;
    const char **args; /* what follows the command, borrowed from argv; call: TOOL NAME=VALUE...; run: FILE
                          ARGUMENT...; token: WORD... */
    int arg_count;
    const char *call_json; /* call --json, borrowed from argv; NULL without it */

    char *host; /* "" listens on all addresses */
    int64_t port;
    char *workspace_root;
    char *state_dir;
    char *tools;               /* root script file; NULL: the shipped one */
    char *library;             /* folder of the Lua library; NULL: the shipped one */
    char *public_url;          /* "" when not given */
    char *allowed_origins;     /* comma separated; see origin.h */
    char *forwarded_allow_ips; /* comma separated; see origin.h */
    int64_t access_ttl;        /* seconds */
    int64_t refresh_ttl;       /* seconds, counted anew at each use */
    int64_t grant_ttl;         /* seconds */
    int64_t rate_limit;        /* requests a minute; 0: none */
    char *old_tokens;          /* "on" or "off" */
    char *old_clients;         /* "on" or "off" */
    char *cimd;                /* "on", "table" or "off" */
    char *ca_file;             /* "" for the system's */
    char *fetch_private;       /* host names, comma separated */
    int64_t max_instances;
    enum log_level log_level;

    int64_t max_connections;
    int64_t header_ms;
    int64_t body_ms;
    int64_t idle_ms;
    int64_t write_ms;
    int64_t body_limit; /* bytes */
    int64_t call_deadline_ms;
    int64_t script_cpu_ms;
    int64_t lua_memory; /* bytes */
    int64_t stop_ms;

    int64_t session_open; /* 1: see access.h */
    int64_t metrics_open;
    char *audit_file; /* NULL: no audit log; see audit.h */
    int64_t audit_bytes;
    int64_t audit_files;
};

/* NULL where none is set (an empty variable is as good as none). */
struct config_secrets {
    char *token;         /* bearer of /mcp */
    char *session_token; /* bearer of the session API */
};

enum config_type {
    CONFIG_TEXT,   /* char * */
    CONFIG_PATH,   /* char *; made absolute; empty is as good as none */
    CONFIG_NUMBER, /* int64_t within min..max; blanks around and `_` between digits are fine */
    CONFIG_BYTES,  /* the same; K, M or G may follow */
    CONFIG_CHOICE, /* char *; one of those that `argument` lists, separated by `|` */
    CONFIG_LEVEL   /* enum log_level */
};

struct config_entry {
    const char *name;   /* in C and for host.setting */
    const char *option; /* NULL for a secret */
    const char *variable;
    const char *argument; /* what --help calls the value; NULL for a secret */
    enum config_type type;
    size_t offset; /* of the field in struct config, or of the secret in struct config_secrets */
    int64_t min, max;
    const char *fallback; /* default, in the form in which it would be given; NULL: none */
    const char *help;
};

/* The entries, ended by one whose name is NULL. */
extern const struct config_entry config_entries[];

bool config_is_secret(const struct config_entry *entry);

/* The entry of that name, or NULL. */
const struct config_entry *config_entry_named(const char *name);

/* The entry whose environment variable that is, or NULL. `len` bytes of `variable` count. */
const struct config_entry *config_entry_of_variable(const char *variable, size_t len);

/* Appends the text of --help. */
void config_help(struct buf *out);

/* Reads argv and env (a NULL-terminated list of NAME=value) into the two structs.
 * False: one line in `error` says what is wrong, and nothing needs to be freed. What is wrong but harmless is
 * added to `warnings`, each a line that ends in '\n'. COMMAND_HELP and COMMAND_VERSION read no environment.
 * For COMMAND_SERVE the token must be there and fit for a header line. */
bool config_load(struct config *config, struct config_secrets *secrets, int argc, char **argv, char **env,
                 struct buf *warnings, struct buf *error);

/* Frees what config_load made; the secrets are wiped first. */
void config_free(struct config *config, struct config_secrets *secrets);

/* Takes the variables of all secrets out of this process's environment and wipes their values where
 * they stand, so that neither a child nor a reader of /proc/self/environ finds them. Call once, after
 * config_load and before the first thread. */
void config_hide_secrets(char **env);

#endif
