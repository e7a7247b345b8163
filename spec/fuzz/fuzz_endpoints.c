/* Requests of any content to a whole server - parser, gate, bindings and scripts - over loopback: no answer
 * is a 5xx, none is missing for long, and no sanitizer has anything to say. The first byte chooses where the
 * rest goes in: as a request, a query, a body, or the value of a header. */
#include <arpa/inet.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <netinet/in.h>
#include <pthread.h>
#include <signal.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include "buf.h"
#include "config.h"
#include "host.h"
#include "log.h"
#include "worker.h"

#define TOKEN "fuzz-token-0123456789abcdef"
#define PATIENCE_S 60 /* an answer that takes longer hangs */

int LLVMFuzzerInitialize(int *argc, char ***argv);
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void must(bool condition, const char *what)
{
    if (condition) return;
    fprintf(stderr, "fuzz_endpoints: %s\n", what);
    abort();
}

/* ---- the server ---------------------------------------------------------------------------------------- */

static uint16_t *server_port(void)
{
    static uint16_t port;
    return &port;
}

static int connection(void)
{
    const struct sockaddr_in address = {
        .sin_family = AF_INET, .sin_port = htons(*server_port()), .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
    const struct timeval patience = {.tv_sec = PATIENCE_S};
    int fd = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
    setsockopt(fd, SOL_SOCKET, SO_RCVTIMEO, &patience, sizeof patience);
    setsockopt(fd, SOL_SOCKET, SO_SNDTIMEO, &patience, sizeof patience);
    if (connect(fd, (const struct sockaddr *)&address, sizeof address) == 0) return fd;
    close(fd);
    return -1;
}

/* A port that is free now. */
static uint16_t free_port(void)
{
    struct sockaddr_in address = {.sin_family = AF_INET, .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
    socklen_t len = sizeof address;
    int fd = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
    must(bind(fd, (struct sockaddr *)&address, len) == 0 &&
             getsockname(fd, (struct sockaddr *)&address, &len) == 0,
         "no free port");
    close(fd);
    return ntohs(address.sin_port);
}

static void *serve(void *data)
{
    struct host *host = data;
    char error[512] = "";
    must(worker_serve(host, host->config->tools, host->config->library, error, sizeof error), error);
    return NULL;
}

static void set_up(const char *folder)
{
    char port[8];
    snprintf(port, sizeof port, "%u", *server_port());
    setenv("SANDSTORM_MCP_TOKEN", TOKEN, 1);
    setenv("SANDSTORM_MCP_PORT", port, 1);
    setenv("SANDSTORM_WORKSPACE_ROOT", folder, 1);
    setenv("SANDSTORM_STATE_DIR", folder, 1);
    setenv("SANDSTORM_CIMD", "table", 1); /* it must not fetch what it thinks of */
    setenv("SANDSTORM_TOOLS", FUZZ_SOURCE "/spec/bench/tools.lua", 1);
    setenv("SANDSTORM_LIBRARY", FUZZ_SOURCE "/lib", 1);
    setenv("SANDSTORM_SCRIPT_CPU_MS", "30000", 1);
}

int LLVMFuzzerInitialize(int *argc, char ***argv)
{
    extern char **environ;
    static struct config config;
    static struct config_secrets secrets;
    static struct host host;
    static uv_loop_t loop;
    static char folder[PATH_MAX];
    char *words[] = {"fuzz", "serve", NULL}, error[512] = "";
    struct buf warnings = BUF_INIT, wrong = BUF_INIT;
    pthread_t thread;
    (void)argc;
    (void)argv;
    signal(SIGPIPE, SIG_IGN); /* as main.c has it */
    *server_port() = free_port();
    const char *around = getenv("TMPDIR");
    snprintf(folder, sizeof folder, "%s/sandstorm-fuzz-XXXXXX", around != NULL ? around : "/tmp");
    must(mkdtemp(folder) != NULL, "no folder");
    set_up(folder);
    must(config_load(&config, &secrets, 2, words, environ, &warnings, &wrong), "the settings are not good");
    struct log *log = log_new(open("/dev/null", O_WRONLY | O_CLOEXEC), LOG_ERROR);
    must(log != NULL && uv_loop_init(&loop) == 0, "no memory");
    must(host_open(&host, &loop, &config, &secrets, log, error, sizeof error), error);
    must(pthread_create(&thread, NULL, serve, &host) == 0, "no thread");
    int fd;
    while ((fd = connection()) < 0)
        usleep(10000);
    close(fd);
    return 0;
}

/* ---- requests ------------------------------------------------------------------------------------------ */

enum place { WHOLE, QUERY, BODY, HEADER };

struct door {
    enum place place;
    const char *start; /* method and path; in front of a query, its `?` */
    const char *type;  /* of the body */
    const char *name;  /* of the header */
    bool known;        /* with the bearer */
};

#define FORM "application/x-www-form-urlencoded"
#define JSON "application/json"

static const struct door doors[] = {
    {.place = WHOLE},
    {QUERY, "GET /oauth/authorize?", NULL, NULL, false},
    {BODY, "POST /oauth/authorize", FORM, NULL, false},
    {BODY, "POST /oauth/token", FORM, NULL, false},
    {BODY, "POST /oauth/token", JSON, NULL, false},
    {BODY, "POST /oauth/register", JSON, NULL, false},
    {BODY, "POST /oauth/revoke", FORM, NULL, false},
    {BODY, "POST /mcp", JSON, NULL, true},
    {QUERY, "GET /.well-known/oauth-authorization-server?", NULL, NULL, false},
    {QUERY, "DELETE /session/", NULL, NULL, true},
    {QUERY, "GET /health?", NULL, NULL, false},
    {HEADER, "GET /mcp", NULL, "Authorization", false},
    {HEADER, "POST /oauth/token", FORM, "Authorization", false},
    {HEADER, "GET /oauth/authorize?client_id=x", NULL, "Host", false},
    {HEADER, "GET /mcp", NULL, "X-Forwarded-Host", false},
    {HEADER, "GET /mcp", NULL, "X-Forwarded-Proto", false},
    {HEADER, "GET /metrics", NULL, "X-Forwarded-For", false},
    {HEADER, "GET /mcp", NULL, "Origin", true},
    {HEADER, "POST /mcp", JSON, "MCP-Protocol-Version", true},
    {HEADER, "POST /mcp", JSON, "Mcp-Session-Id", true},
    {HEADER, "GET /mcp", NULL, "Last-Event-ID", true},
    {HEADER, "POST /oauth/register", JSON, "Content-Type", false},
    {HEADER, "OPTIONS /mcp", NULL, "Access-Control-Request-Headers", false},
};

/* Bytes as they may stand in a request target. */
static void add_escaped(struct buf *out, const uint8_t *data, size_t size)
{
    for (size_t i = 0; i < size; i++) {
        if (data[i] > ' ' && data[i] < 0x7f && data[i] != '#')
            buf_printf(out, "%c", data[i]);
        else
            buf_printf(out, "%%%02X", data[i]);
    }
}

/* Bytes as they may stand in a header: the line must not end. */
static void add_line(struct buf *out, const uint8_t *data, size_t size)
{
    for (size_t i = 0; i < size; i++)
        if (data[i] != '\r' && data[i] != '\n' && data[i] != '\0') buf_add(out, (const char *)data + i, 1);
}

/* Failures are counted by network: each request comes from another one. */
static void add_network(struct buf *out)
{
    static uint32_t number;
    number++;
    buf_printf(out, "X-Forwarded-For: 2001:db8:%x:%x::1\r\n", number >> 16, number & 0xffff);
}

static void write_request(struct buf *out, const struct door *door, const uint8_t *data, size_t size)
{
    bool is_host = door->name != NULL && strcmp(door->name, "Host") == 0;
    bool is_network = door->name != NULL && strcmp(door->name, "X-Forwarded-For") == 0;
    buf_puts(out, door->start);
    if (door->place == QUERY) add_escaped(out, data, size);
    buf_puts(out, " HTTP/1.1\r\nConnection: close\r\n");
    if (!is_host) buf_puts(out, "Host: localhost\r\n");
    if (!is_network) add_network(out);
    if (door->known) buf_puts(out, "Authorization: Bearer " TOKEN "\r\n");
    if (door->place == HEADER) {
        buf_printf(out, "%s: ", door->name);
        add_line(out, data, size);
        buf_puts(out, "\r\n");
    }
    if (door->type != NULL && (door->name == NULL || strcmp(door->name, "Content-Type") != 0))
        buf_printf(out, "Content-Type: %s\r\n", door->type);
    size_t body = door->place == BODY ? size : 0;
    buf_printf(out, "Content-Length: %zu\r\n\r\n", body);
    if (body > 0) buf_add(out, (const char *)data, body);
}

/* One more piece of the answer; the fuzzer's own clock may interrupt. */
static ssize_t receive(int fd, char *out, size_t size)
{
    ssize_t got;
    do
        got = size > 0 ? recv(fd, out, size, 0) : 0;
    while (got < 0 && errno == EINTR);
    return got;
}

/* The status of the answer, 0 where the connection ended without one. */
static int ask(const struct buf *request)
{
    char answer[64];
    size_t len = 0;
    ssize_t got;
    int fd = connection();
    must(fd >= 0, "no connection");
    if (request->len > 0) (void)!send(fd, request->data, request->len, MSG_NOSIGNAL);
    shutdown(fd, SHUT_WR);
    while ((got = receive(fd, answer + len, sizeof answer - 1 - len)) > 0)
        len += (size_t)got;
    must(got == 0 || errno == ECONNRESET, "no answer");
    close(fd);
    answer[len] = '\0';
    return len > 9 ? atoi(answer + 9) : 0;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct buf request = BUF_INIT;
    if (size == 0) return 0;
    const struct door *door = &doors[data[0] % (sizeof doors / sizeof *doors)];
    if (door->place == WHOLE)
        buf_add(&request, (const char *)data + 1, size - 1);
    else
        write_request(&request, door, data + 1, size - 1);
    int status = ask(&request);
    bool whole =
        door->place == WHOLE; /* then methods, codings and versions may be unknown (RFC 9110, 15.6) */
    must(status < 500 || (whole && (status == 501 || status == 505)), "a 5xx");
    must(status >= 200 || (whole && status == 0), "no status");
    buf_free(&request);
    return 0;
}
