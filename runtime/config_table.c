#include "config.h"

#include <string.h>

#include "json.h"

#define FIELD(member) offsetof(struct config, member)
#define SECRET(member) offsetof(struct config_secrets, member)
#define DAY_MS 86400000
#define DAY_S 86400
#define GIB (1024LL * 1024 * 1024)

/* clang-format off */
const struct config_entry config_entries[] = {
    {"token", NULL, "SANDSTORM_MCP_TOKEN", NULL, CONFIG_TEXT, SECRET(token), 0, 0, NULL,
     "the shared secret: bearer token of /mcp; needed to serve"},
    {"token", NULL, "MCP_AUTH_TOKEN", NULL, CONFIG_TEXT, SECRET(token), 0, 0, NULL,
     "older name of SANDSTORM_MCP_TOKEN, read only if that is unset or empty"},
    {"session_token", NULL, "SESSION_AUTH_TOKEN", NULL, CONFIG_TEXT, SECRET(session_token), 0, 0, NULL,
     "bearer token of the session API (default: the shared secret)"},
    {"host", "--host", "SANDSTORM_MCP_HOST", "ADDRESS", CONFIG_TEXT, FIELD(host), 0, 0, "127.0.0.1",
     "address or name to listen on; empty for all addresses"},
    {"port", "--port", "SANDSTORM_MCP_PORT", "NUMBER", CONFIG_NUMBER, FIELD(port), 0, 65535, "8080",
     "TCP port; 0 takes a free one, which the log names"},
    {"workspace_root", "--workspace-root", "SANDSTORM_WORKSPACE_ROOT", "FOLDER", CONFIG_PATH, FIELD(workspace_root), 0, 0, "/home/dev",
     "folder that files and working directories are confined to; stdio, check, call and run take the current one for default"},
    {"state_dir", "--state-dir", "SANDSTORM_STATE_DIR", "FOLDER", CONFIG_PATH, FIELD(state_dir), 0, 0, NULL,
     "where the server keeps its own data (default: .sandstorm-mcp in the workspace root)"},
    {"tools", "--tools", "SANDSTORM_TOOLS", "FILE", CONFIG_PATH, FIELD(tools), 0, 0, NULL,
     "root script file that declares the tools (default: the shipped tools.lua)"},
    {"library", "--library", "SANDSTORM_LIBRARY", "FOLDER", CONFIG_PATH, FIELD(library), 0, 0, NULL,
     "folder of the Lua library (default: the shipped lib)"},
    {"public_url", "--public-url", "SANDSTORM_PUBLIC_URL", "URL", CONFIG_TEXT, FIELD(public_url), 0, 0, "",
     "address under which clients reach this server, such as https://mcp.example.com"},
    {"allowed_origins", "--allowed-origins", "SANDSTORM_ALLOWED_ORIGINS", "LIST", CONFIG_TEXT, FIELD(allowed_origins), 0, 0,
     "https://claude.ai,https://claude.com",
     "web origins that may call /mcp beside loopback and the public URL, comma separated; * for any"},
    {"forwarded_allow_ips", "--forwarded-allow-ips", "FORWARDED_ALLOW_IPS", "LIST", CONFIG_TEXT, FIELD(forwarded_allow_ips), 0, 0, "127.0.0.1,::1",
     "peers whose X-Forwarded headers are believed, comma separated; * for any"},
    {"access_ttl", "--access-ttl", "SANDSTORM_ACCESS_TTL", "SECONDS", CONFIG_NUMBER, FIELD(access_ttl), 600, 30 * DAY_S, "86400",
     "how long an access token lives; clients refresh shortly before"},
    {"refresh_ttl", "--refresh-ttl", "SANDSTORM_REFRESH_TTL", "SECONDS", CONFIG_NUMBER, FIELD(refresh_ttl), 3600, 400 * DAY_S, "7776000",
     "how long a client may stay away before it has to sign in again"},
    {"grant_ttl", "--grant-ttl", "SANDSTORM_GRANT_TTL", "SECONDS", CONFIG_NUMBER, FIELD(grant_ttl), 3600, 3650LL * DAY_S, "31536000",
     "how long a sign-in lasts at most, however often it is refreshed"},
    {"rate_limit", "--rate-limit", "SANDSTORM_RATE_LIMIT", "NUMBER", CONFIG_NUMBER, FIELD(rate_limit), 0, 1000000000, "0",
     "requests a minute that one grant may make; 0 for any number, fewer than 1000 disturb ordinary clients"},
    {"old_tokens", "--old-tokens", "SANDSTORM_OLD_TOKENS", "on|off", CONFIG_CHOICE, FIELD(old_tokens), 0, 0, "on",
     "whether access tokens of v0.1.0 count until they expire"},
    {"old_clients", "--old-clients", "SANDSTORM_OLD_CLIENTS", "on|off", CONFIG_CHOICE, FIELD(old_clients), 0, 0, "on",
     "whether clients registered with v0.1.0 may sign in at addresses of well-known clients"},
    {"cimd", "--cimd", "SANDSTORM_CIMD", "on|table|off", CONFIG_CHOICE, FIELD(cimd), 0, 0, "on",
     "clients that are described by a document at their own address: fetched, only those of a built-in table, or none"},
    {"ca_file", "--ca-file", "SANDSTORM_CA_FILE", "FILE", CONFIG_TEXT, FIELD(ca_file), 0, 0, "",
     "certificates to trust when documents are fetched; empty for those of the system"},
    {"fetch_private", "--fetch-private", "SANDSTORM_FETCH_PRIVATE", "LIST", CONFIG_TEXT, FIELD(fetch_private), 0, 0, "",
     "host names, comma separated, that documents are fetched from although their addresses are not public"},
    {"max_instances", "--max-instances", "MAX_INSTANCES", "NUMBER", CONFIG_NUMBER, FIELD(max_instances), INT32_MIN, INT32_MAX, "5",
     "sessions that /health reports as possible"},
    {"log_level", "--log-level", "SANDSTORM_LOG_LEVEL", "LEVEL", CONFIG_LEVEL, FIELD(log_level), 0, 0, "INFO",
     "lowest level that is logged: critical, error, warning, info, debug or trace; stdio, check, call and run take warning for "
     "default"},
    {"max_connections", "--max-connections", "SANDSTORM_MAX_CONNECTIONS", "NUMBER", CONFIG_NUMBER, FIELD(max_connections), 1, 1000000, "1024",
     "connections served at a time; more wait"},
    {"header_ms", "--header-ms", "SANDSTORM_HEADER_MS", "MS", CONFIG_NUMBER, FIELD(header_ms), 100, DAY_MS, "15000",
     "time for the header section of a request"},
    {"body_ms", "--body-ms", "SANDSTORM_BODY_MS", "MS", CONFIG_NUMBER, FIELD(body_ms), 100, DAY_MS, "120000",
     "time for the body of a request"},
    {"idle_ms", "--idle-ms", "SANDSTORM_IDLE_MS", "MS", CONFIG_NUMBER, FIELD(idle_ms), 100, DAY_MS, "150000",
     "time that a connection is kept open without a request"},
    {"write_ms", "--write-ms", "SANDSTORM_WRITE_MS", "MS", CONFIG_NUMBER, FIELD(write_ms), 100, DAY_MS, "60000",
     "time that a client may take nothing of its answer"},
    {"body_limit", "--body-limit", "SANDSTORM_BODY_LIMIT", "BYTES", CONFIG_BYTES, FIELD(body_limit), 1024, JSON_BYTES_MAX, "16M",
     "largest body of a request; as JSON, at most 100,000 values"},
    {"call_deadline_ms", "--call-deadline-ms", "SANDSTORM_CALL_DEADLINE_MS", "MS", CONFIG_NUMBER, FIELD(call_deadline_ms), 100, DAY_MS, "330000",
     "time that one call may take, waiting included"},
    {"script_cpu_ms", "--script-cpu-ms", "SANDSTORM_SCRIPT_CPU_MS", "MS", CONFIG_NUMBER, FIELD(script_cpu_ms), 10, DAY_MS, "2000",
     "time that one call may compute in Lua"},
    {"lua_memory", "--lua-memory", "SANDSTORM_LUA_MEMORY", "BYTES", CONFIG_BYTES, FIELD(lua_memory), 4LL * 1024 * 1024, 64 * GIB, "256M",
     "memory that the scripts may hold"},
    {"stop_ms", "--stop-ms", "SANDSTORM_STOP_MS", "MS", CONFIG_NUMBER, FIELD(stop_ms), 0, DAY_MS, "10000",
     "time that running calls get when the server stops"},
    {"session_open", "--session-open", "SANDSTORM_SESSION_OPEN", "0|1", CONFIG_NUMBER, FIELD(session_open), 0, 1, "0",
     "1 lets programs on this machine use the session API without a token; never through a proxy or a browser"},
    {"metrics_open", "--metrics-open", "SANDSTORM_METRICS_OPEN", "0|1", CONFIG_NUMBER, FIELD(metrics_open), 0, 1, "0",
     "1 lets programs on this machine read /metrics without a token; never through a proxy or a browser"},
    {"audit_file", "--audit-file", "SANDSTORM_AUDIT_FILE", "FILE", CONFIG_PATH, FIELD(audit_file), 0, 0, NULL,
     "file for one line a tool call and authentication event (default: none is kept)"},
    {"audit_bytes", "--audit-bytes", "SANDSTORM_AUDIT_BYTES", "BYTES", CONFIG_BYTES, FIELD(audit_bytes), 4096, 64 * GIB, "64M",
     "size at which the audit file is renamed and a new one begun"},
    {"audit_files", "--audit-files", "SANDSTORM_AUDIT_FILES", "NUMBER", CONFIG_NUMBER, FIELD(audit_files), 0, 99, "8",
     "older audit files that are kept"},
    {NULL, NULL, NULL, NULL, CONFIG_TEXT, 0, 0, 0, NULL, NULL},
};
/* clang-format on */

bool config_is_secret(const struct config_entry *entry)
{
    return entry->option == NULL;
}

const struct config_entry *config_entry_named(const char *name)
{
    for (const struct config_entry *e = config_entries; e->name != NULL; e++)
        if (strcmp(e->name, name) == 0) return e;
    return NULL;
}

const struct config_entry *config_entry_of_variable(const char *variable, size_t len)
{
    for (const struct config_entry *e = config_entries; e->name != NULL; e++)
        if (strlen(e->variable) == len && memcmp(e->variable, variable, len) == 0) return e;
    return NULL;
}

static void help_option(struct buf *out, const struct config_entry *e)
{
    buf_printf(out, "  %s %s, %s\n      %s", e->option, e->argument, e->variable, e->help);
    if (e->fallback != NULL && e->fallback[0] != '\0') buf_printf(out, " (default: %s)", e->fallback);
    buf_byte(out, '\n');
}

void config_help(struct buf *out)
{
    buf_puts(
        out,
        "Usage: sandstorm-mcp [serve] [OPTION...]\n"
        "           serve MCP over HTTP; this is the default\n"
        "       sandstorm-mcp stdio [OPTION...]\n"
        "           serve MCP on standard input and output; needs no token and listens nowhere\n"
        "       sandstorm-mcp check [OPTION...]\n"
        "           load the scripts and print the tools, or what is wrong and where\n"
        "       sandstorm-mcp call TOOL [NAME=VALUE...] [--json OBJECT] [OPTION...]\n"
        "           run one tool without a server\n"
        "       sandstorm-mcp run [OPTION...] FILE.lua [ARGUMENT...]\n"
        "           run a Lua file with the server's modules\n"
        "       sandstorm-mcp token secret | generate NAME [DAYS] [URL] | list | revoke ID | revoke all\n"
        "           make a secret or an access token; see and end what clients were given\n"
        "       sandstorm-mcp --help | --version\n"
        "\nOptions, each with the environment variable that does the same; the option wins:\n");
    for (const struct config_entry *e = config_entries; e->name != NULL; e++)
        if (!config_is_secret(e)) help_option(out, e);
    buf_puts(out, "\nSecrets come from the environment only:\n");
    for (const struct config_entry *e = config_entries; e->name != NULL; e++)
        if (config_is_secret(e)) buf_printf(out, "  %s\n      %s\n", e->variable, e->help);
}
