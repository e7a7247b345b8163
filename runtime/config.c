#include "config.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "config_value.h"
#include "nearest.h"

#define ENTRIES_MAX 64
#define WORD_SIZE 64
#define SECRET_SHORT 16 /* shorter ones are warned of */

/* One reading of the command line and environment. */
struct reader {
    struct config *config;
    struct config_secrets *secrets;
    char **argv;
    int argc, next; /* the next argument to look at */
    char **env;
    const char *options[ENTRIES_MAX]; /* what the command line said, by place in the table */
    bool has_command, only_args;
    struct buf *warnings, *error;
};

static const struct {
    const char *name;
    enum config_command command;
} commands[] = {{"serve", COMMAND_SERVE}, {"stdio", COMMAND_STDIO}, {"check", COMMAND_CHECK},
                {"call", COMMAND_CALL},   {"run", COMMAND_RUN},     {"token", COMMAND_TOKEN}};

static const struct config_entry *entry_of_option(const char *option, size_t len)
{
    for (const struct config_entry *e = config_entries; e->name != NULL; e++)
        if (e->option != NULL && strlen(e->option) == len && memcmp(e->option, option, len) == 0) return e;
    return NULL;
}

static bool unknown_option(struct reader *r, const char *option, size_t len)
{
    static const char *const others[] = {"--help", "--version", "--json"};
    char word[WORD_SIZE];
    snprintf(word, sizeof word, "%.*s", (int)len, option);
    struct nearest near = NEAREST_INIT(word);
    for (const struct config_entry *e = config_entries; e->name != NULL; e++)
        nearest_offer(&near, e->option);
    for (size_t i = 0; i < sizeof others / sizeof *others; i++)
        nearest_offer(&near, others[i]);
    buf_printf(r->error, "unknown option %.*s; did you mean %s?", (int)len, option, near.name);
    return false;
}

static const char *option_value(struct reader *r, const char *equals)
{
    if (equals != NULL) return equals + 1;
    return r->next < r->argc ? r->argv[r->next++] : NULL;
}

static bool read_option(struct reader *r, const char *argument)
{
    const char *equals = strchr(argument, '=');
    size_t len = equals != NULL ? (size_t)(equals - argument) : strlen(argument);
    const struct config_entry *entry = entry_of_option(argument, len);
    bool json = entry == NULL && len == 6 && memcmp(argument, "--json", 6) == 0;
    if (entry == NULL && !json) return unknown_option(r, argument, len);
    const char *value = option_value(r, equals);
    if (value == NULL) {
        buf_printf(r->error, "%.*s: expected a value behind it", (int)len, argument);
        return false;
    }
    if (json)
        r->config->call_json = value;
    else
        r->options[entry - config_entries] = value;
    return true;
}

static bool read_command(struct reader *r, const char *word)
{
    struct nearest near = NEAREST_INIT(word);
    for (size_t i = 0; i < sizeof commands / sizeof *commands; i++) {
        if (strcmp(commands[i].name, word) == 0) {
            r->config->command = commands[i].command;
            r->has_command = true;
            return true;
        }
        nearest_offer(&near, commands[i].name);
    }
    buf_printf(r->error, "unknown command %s; did you mean %s?", word, near.name);
    return false;
}

static bool read_argument(struct reader *r, const char *argument)
{
    struct config *c = r->config;
    if (c->command != COMMAND_CALL && c->command != COMMAND_RUN && c->command != COMMAND_TOKEN) {
        buf_printf(r->error, "unexpected argument %s", argument);
        return false;
    }
    c->args[c->arg_count++] = argument;
    if (c->command == COMMAND_RUN) r->only_args = true;
    return true;
}

/* Reads one argument; options are open until `--`, or the file of `run`. */
static bool read_next(struct reader *r)
{
    const char *argument = r->argv[r->next++];
    if (r->only_args) return read_argument(r, argument);
    if (strcmp(argument, "--") == 0)
        r->only_args = true;
    else if (strcmp(argument, "--help") == 0 || strcmp(argument, "-h") == 0)
        r->config->command = COMMAND_HELP;
    else if (strcmp(argument, "--version") == 0)
        r->config->command = COMMAND_VERSION;
    else if (argument[0] == '-' && argument[1] != '\0')
        return read_option(r, argument);
    else
        return r->has_command ? read_argument(r, argument) : read_command(r, argument);
    return true;
}

static bool wants_text(const struct config *c)
{
    return c->command == COMMAND_HELP || c->command == COMMAND_VERSION;
}

static bool check_arguments(struct reader *r)
{
    const struct config *c = r->config;
    const char *missing = NULL;
    if (c->command == COMMAND_CALL && c->arg_count == 0) missing = "call: expected the name of a tool";
    if (c->command == COMMAND_RUN && c->arg_count == 0) missing = "run: expected a Lua file";
    if (c->call_json != NULL && c->command != COMMAND_CALL) missing = "--json belongs to call";
    if (missing != NULL) buf_puts(r->error, missing);
    return missing == NULL;
}

static bool read_command_line(struct reader *r)
{
    while (r->next < r->argc) {
        if (!read_next(r)) return false;
        if (wants_text(r->config)) return true;
    }
    return check_arguments(r);
}

static const char *variable_value(const struct reader *r, const char *name)
{
    size_t len = strlen(name);
    for (char **v = r->env; *v != NULL; v++)
        if (strncmp(*v, name, len) == 0 && (*v)[len] == '=') return *v + len + 1;
    return NULL;
}

static bool is_given(const struct config_entry *e, const char *text)
{
    return text != NULL && (e->type != CONFIG_PATH || text[0] != '\0');
}

/* A command that runs once works where it is called, as other tools do, and tells only of trouble. */
static const char *fallback_of(const struct reader *r, const struct config_entry *e)
{
    if (r->config->command == COMMAND_SERVE) return e->fallback;
    if (e->offset == offsetof(struct config, workspace_root) && r->config->command != COMMAND_TOKEN)
        return ".";
    return e->offset == offsetof(struct config, log_level) ? "WARNING" : e->fallback;
}

static bool read_entry(struct reader *r, const struct config_entry *e)
{
    const char *option = r->options[e - config_entries], *variable = variable_value(r, e->variable);
    if (is_given(e, option)) return config_store(r->config, e, e->option, option, r->error);
    if (is_given(e, variable)) return config_store(r->config, e, e->variable, variable, r->error);
    const char *fallback = fallback_of(r, e);
    return fallback == NULL || config_store(r->config, e, e->variable, fallback, r->error);
}

static bool read_secret(struct reader *r, const struct config_entry *e)
{
    char **field = (char **)(void *)((char *)r->secrets + e->offset);
    const char *text = variable_value(r, e->variable);
    if (*field != NULL || text == NULL || text[0] == '\0') return true;
    *field = strdup(text);
    if (*field == NULL) buf_puts(r->error, "no memory");
    return *field != NULL;
}

/* A header line carries no blanks at its ends and, to all clients, only ASCII. */
static const char *unfit(const char *secret)
{
    size_t len = strlen(secret);
    if (secret[0] == ' ' || secret[0] == '\t' || strchr(" \t\r\n", secret[len - 1]) != NULL)
        return "has blanks around it, which no bearer header can carry";
    for (size_t i = 0; i < len; i++) {
        unsigned char c = (unsigned char)secret[i];
        if (c < 0x20 || c == 0x7f) return "holds a control character, which no header can carry";
    }
    return NULL;
}

static bool check_secret(struct reader *r, const char *variable, const char *secret)
{
    const char *reason = secret == NULL ? NULL : unfit(secret);
    if (reason != NULL) buf_printf(r->error, "%s %s", variable, reason);
    return reason == NULL;
}

static bool check_secrets(struct reader *r)
{
    const char *token = r->secrets->token;
    if (r->config->command != COMMAND_SERVE) return true;
    if (token == NULL) {
        buf_puts(r->error, "SANDSTORM_MCP_TOKEN (or MCP_AUTH_TOKEN) must be set in the environment; "
                           "it is the bearer token of /mcp");
        return false;
    }
    const char *newer = variable_value(r, "SANDSTORM_MCP_TOKEN");
    bool is_newer = newer != NULL && newer[0] != '\0';
    if (!check_secret(r, is_newer ? "SANDSTORM_MCP_TOKEN" : "MCP_AUTH_TOKEN", token)) return false;
    if (strlen(token) < SECRET_SHORT)
        buf_printf(
            r->warnings,
            "WARNING: the secret has fewer than %d characters and can be guessed; `sandstorm-mcp token "
            "secret` makes a good one\n",
            SECRET_SHORT);
    return check_secret(r, "SESSION_AUTH_TOKEN", r->secrets->session_token);
}

static void warn_of_unknown(struct reader *r)
{
    static const char *const others[] = {"SANDSTORM_DOMAIN", "SANDSTORM_BIN"}; /* installer, specs */
    for (char **v = r->env; *v != NULL; v++) {
        char word[WORD_SIZE];
        size_t len = strcspn(*v, "=");
        bool known = strncmp(*v, "SANDSTORM_", 10) != 0 || config_entry_of_variable(*v, len) != NULL;
        for (size_t i = 0; i < sizeof others / sizeof *others; i++)
            known = known || (strlen(others[i]) == len && memcmp(others[i], *v, len) == 0);
        if (known) continue;
        snprintf(word, sizeof word, "%.*s", (int)len, *v);
        struct nearest near = NEAREST_INIT(word);
        for (const struct config_entry *e = config_entries; e->name != NULL; e++)
            nearest_offer(&near, e->variable);
        buf_printf(r->warnings, "unknown variable %s is ignored; did you mean %s?\n", word, near.name);
    }
}

static bool read_entries(struct reader *r)
{
    for (const struct config_entry *e = config_entries; e->name != NULL; e++)
        if (!(config_is_secret(e) ? read_secret(r, e) : read_entry(r, e))) return false;
    struct config *c = r->config;
    if (c->state_dir == NULL && asprintf(&c->state_dir, "%s/.sandstorm-mcp", c->workspace_root) < 0) {
        c->state_dir = NULL;
        buf_puts(r->error, "no memory");
        return false;
    }
    warn_of_unknown(r);
    return check_secrets(r);
}

bool config_load(struct config *config, struct config_secrets *secrets, int argc, char **argv, char **env,
                 struct buf *warnings, struct buf *error)
{
    struct reader r = {.config = config,
                       .secrets = secrets,
                       .argv = argv,
                       .argc = argc,
                       .next = 1,
                       .env = env,
                       .warnings = warnings,
                       .error = error};
    *config = (struct config){.command = COMMAND_SERVE};
    *secrets = (struct config_secrets){NULL, NULL};
    config->args = calloc((size_t)argc + 1, sizeof *config->args);
    if (config->args == NULL)
        buf_puts(error, "no memory");
    else if (read_command_line(&r) && (wants_text(config) || read_entries(&r)))
        return true;
    config_free(config, secrets);
    return false;
}

static void free_secret(char **secret)
{
    if (*secret != NULL) explicit_bzero(*secret, strlen(*secret));
    free(*secret);
    *secret = NULL;
}

void config_free(struct config *config, struct config_secrets *secrets)
{
    for (const struct config_entry *e = config_entries; e->name != NULL; e++) {
        if (e->type != CONFIG_TEXT && e->type != CONFIG_PATH && e->type != CONFIG_CHOICE) continue;
        if (config_is_secret(e))
            free_secret((char **)(void *)((char *)secrets + e->offset));
        else
            free(*(char **)(void *)((char *)config + e->offset));
    }
    free(config->args);
    *config = (struct config){.command = COMMAND_SERVE};
}

void config_hide_secrets(char **env)
{
    char **kept = env;
    for (char **v = env; *v != NULL; v++) {
        size_t len = strcspn(*v, "=");
        const struct config_entry *e = config_entry_of_variable(*v, len);
        if (e != NULL && config_is_secret(e))
            explicit_bzero(*v, strlen(*v));
        else
            *kept++ = *v;
    }
    *kept = NULL;
}
