/* The command line, the wiring, and the unwinding in reverse. */
#include <fcntl.h>
#include <limits.h>
#include <malloc.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <unistd.h>

#include "config.h"
#include "host.h"
#include "init.h"
#include "log.h"
#include "lua_cli.h"
#include "shipped.h"
#include "worker.h"

extern char **environ;

static int fail(const char *message)
{
    fprintf(stderr, "sandstorm-mcp: %s\n", message);
    return 1;
}

/* A child of the same user must not read the secrets out of this process's memory (proc(5), ptrace(2)). */
static void shield(void)
{
#ifndef __SANITIZE_ADDRESS__ /* its leak check has to trace the process */
    prctl(PR_SET_DUMPABLE, 0);
#endif
}

/* A descriptor of ours must never become 0, 1 or 2: children and the log would write into it. */
static void fill_standard_descriptors(void)
{
    int fd;
    do
        fd = open("/dev/null", O_RDWR);
    while (fd >= 0 && fd <= STDERR_FILENO);
    if (fd >= 0) close(fd);
}

static int run_command(const struct config *config, const struct config_secrets *secrets, struct log *log)
{
    char error[512], tools[PATH_MAX], library[PATH_MAX];
    if (!shipped_find(config, tools, sizeof tools, library, sizeof library, error, sizeof error))
        return fail(error);
    uv_loop_t loop;
    struct host host;
    if (uv_loop_init(&loop) != 0) return fail("cannot make an event loop");
    if (!host_open(&host, &loop, config, secrets, log, error, sizeof error)) {
        uv_loop_close(&loop);
        return fail(error);
    }
    int status = 0;
    if (config->command != COMMAND_SERVE && config->command != COMMAND_STDIO)
        status = lua_cli(&host, tools, library);
    else if (!worker_serve(&host, tools, library, error, sizeof error))
        status = fail(error);
    host_close(&host);
    uv_loop_close(&loop);
    return status;
}

static int start(const struct config *config, const struct config_secrets *secrets,
                 const struct buf *warnings)
{
    if (warnings->len > 0) fwrite(warnings->data, 1, warnings->len, stderr);
    config_hide_secrets(environ);
    shield();
    signal(SIGPIPE, SIG_IGN);
    signal(SIGXFSZ, SIG_IGN); /* a write beyond RLIMIT_FSIZE fails with EFBIG */
    int status;
    if (!init_split(&status)) return status;
    struct log *log =
        log_new(config->command == COMMAND_SERVE ? STDOUT_FILENO : STDERR_FILENO, config->log_level);
    if (log == NULL) return fail("not enough memory");
    status = run_command(config, secrets, log);
    log_free(log);
    return status;
}

static int show_help(void)
{
    struct buf help = BUF_INIT;
    config_help(&help);
    fwrite(help.data, 1, help.len, stdout);
    buf_free(&help);
    return 0;
}

int main(int argc, char **argv)
{
    struct config config;
    struct config_secrets secrets;
    struct buf warnings = BUF_INIT, error = BUF_INIT;
    int status;
    mallopt(M_ARENA_MAX, 1); /* generations are made on one thread and freed on another: keep one heap */
    fill_standard_descriptors();
    if (!config_load(&config, &secrets, argc, argv, environ, &warnings, &error)) {
        fprintf(stderr, "sandstorm-mcp: %.*s\n", (int)error.len, error.data);
        status = 1;
    } else {
        if (config.command == COMMAND_HELP)
            status = show_help();
        else if (config.command == COMMAND_VERSION)
            status = puts("sandstorm-mcp " SANDSTORM_VERSION) < 0;
        else
            status = start(&config, &secrets, &warnings);
        config_free(&config, &secrets);
    }
    if (fflush(stdout) != 0 || ferror(stdout)) status = fail("cannot write to stdout");
    buf_free(&warnings);
    buf_free(&error);
    return status;
}
