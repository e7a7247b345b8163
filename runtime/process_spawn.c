#include "process_spawn.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <spawn.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/pidfd.h>
#include <sys/wait.h>
#include <unistd.h>

#define SHELL "/bin/bash"
#define ARGUMENT_MAX (128 * 1024 - 1) /* Linux: one argument or variable, without its NUL */
#define SCRIPT_FD 3

/* Runs the text in SCRIPT_FD as if it had followed -c: same $0, same line numbers, stdin untouched, and
 * the descriptor gone before the text begins. */
#define LONG_SCRIPT "eval \"exec 3<&-;$(</dev/fd/3)\""

/* Descriptors of the parent's side of one start. -1: not open. */
struct plumbing {
    int read[2];
    int write[2];
    int script;
    int input;
};

bool process_fail(struct process_error *error, int code, const char *format, ...)
{
    va_list args;
    va_start(args, format);
    vsnprintf(error->message, sizeof error->message, format, args);
    va_end(args);
    error->code = code;
    return false;
}

static void close_fd(int *fd)
{
    if (*fd >= 0) close(*fd);
    *fd = -1;
}

static void close_child_ends(struct plumbing *p)
{
    close_fd(&p->write[0]);
    close_fd(&p->write[1]);
    close_fd(&p->script);
    close_fd(&p->input);
}

static void close_plumbing(struct plumbing *p)
{
    close_child_ends(p);
    close_fd(&p->read[0]);
    close_fd(&p->read[1]);
}

static bool open_pipe(struct plumbing *p, int i)
{
    int ends[2];
    if (pipe2(ends, O_CLOEXEC) != 0) return false;
    p->read[i] = ends[0];
    p->write[i] = ends[1];
    return true;
}

static bool write_all(int fd, const char *bytes, size_t len)
{
    while (len > 0) {
        ssize_t n = write(fd, bytes, len);
        if (n < 0 && errno == EINTR) continue;
        if (n < 0) return false;
        bytes += n;
        len -= (size_t)n;
    }
    return lseek(fd, 0, SEEK_SET) == 0;
}

/* A file in memory, at its start. */
static bool open_text(int *fd, const char *name, const char *bytes, size_t len)
{
    *fd = memfd_create(name, MFD_CLOEXEC);
    return *fd >= 0 && write_all(*fd, bytes, len);
}

static bool is_long(const struct process_request *r)
{
    return r->command != NULL && r->command_len > ARGUMENT_MAX;
}

static bool open_plumbing(const struct process_request *r, struct plumbing *p)
{
    *p = (struct plumbing){{-1, -1}, {-1, -1}, -1, -1};
    if (!open_pipe(p, 0)) return false;
    if (!r->merge && !open_pipe(p, 1)) return false;
    if (is_long(r) && !open_text(&p->script, "command", r->command, r->command_len)) return false;
    return r->input == NULL || open_text(&p->input, "input", r->input, r->input_len);
}

static int add_actions(const struct process_request *r, const struct plumbing *p,
                       posix_spawn_file_actions_t *a)
{
    int first_unused = 3;
    int rc = posix_spawn_file_actions_addfchdir_np(a, r->cwd);
    if (rc == 0 && p->input < 0) rc = posix_spawn_file_actions_addopen(a, 0, "/dev/null", O_RDONLY, 0);
    if (rc == 0 && p->input >= 0) rc = posix_spawn_file_actions_adddup2(a, p->input, 0);
    if (rc == 0) rc = posix_spawn_file_actions_adddup2(a, p->write[0], 1);
    if (rc == 0) rc = posix_spawn_file_actions_adddup2(a, p->write[r->merge ? 0 : 1], 2);
    if (rc == 0 && p->script >= 0) {
        rc = posix_spawn_file_actions_adddup2(a, p->script, SCRIPT_FD);
        first_unused = SCRIPT_FD + 1;
    }
    return rc == 0 ? posix_spawn_file_actions_addclosefrom_np(a, first_unused) : rc;
}

static int set_attributes(posix_spawnattr_t *attributes)
{
    sigset_t all, none;
    memset(&all, 0xff, sizeof all); /* sigfillset leaves out what libc would then set to be ignored */
    sigemptyset(&none);
    int rc = posix_spawnattr_setsigdefault(attributes, &all);
    if (rc == 0) rc = posix_spawnattr_setsigmask(attributes, &none);
    if (rc != 0) return rc;
    return posix_spawnattr_setflags(attributes,
                                    POSIX_SPAWN_SETSID | POSIX_SPAWN_SETSIGDEF | POSIX_SPAWN_SETSIGMASK);
}

static int exec_child(const struct process_request *r, char *const *environment,
                      const posix_spawn_file_actions_t *actions, const posix_spawnattr_t *attributes,
                      pid_t *pid)
{
    const char *const shell[] = {SHELL, "-c", is_long(r) ? LONG_SCRIPT : r->command, NULL};
    const char *const *argv = r->command != NULL ? shell : r->argv;
    return posix_spawnp(pid, argv[0], actions, attributes, (char *const *)argv, environment);
}

/* Returns an errno value. */
static int spawn_child(const struct process_request *r, char *const *environment, const struct plumbing *p,
                       pid_t *pid)
{
    posix_spawnattr_t attributes;
    posix_spawn_file_actions_t actions;
    int rc = posix_spawnattr_init(&attributes);
    if (rc != 0) return rc;
    rc = posix_spawn_file_actions_init(&actions);
    if (rc == 0) {
        rc = set_attributes(&attributes);
        if (rc == 0) rc = add_actions(r, p, &actions);
        if (rc == 0) rc = exec_child(r, environment, &actions, &attributes, pid);
        posix_spawn_file_actions_destroy(&actions);
    }
    posix_spawnattr_destroy(&attributes);
    return rc;
}

static bool check_request(const struct process_request *r, struct process_error *error)
{
    if (r->command != NULL && memchr(r->command, 0, r->command_len) != NULL)
        return process_fail(error, EINVAL, "the command contains a NUL byte");
    if (r->command == NULL && (r->argv == NULL || r->argv[0] == NULL || r->argv[0][0] == 0))
        return process_fail(error, EINVAL, "no program is named");
    if (faccessat(r->cwd, ".", X_OK, AT_EACCESS) != 0)
        return process_fail(error, errno, "%s: %s", r->cwd_name, strerror(errno));
    return true;
}

static bool fail_to_exec(const struct process_request *r, int code, struct process_error *error)
{
    const char *program = r->command != NULL ? SHELL : r->argv[0];
    if (code == E2BIG)
        return process_fail(error, code,
                            "%s: an argument or variable is over %d bytes, or all together are too many",
                            program, ARGUMENT_MAX);
    return process_fail(error, code, "%s: %s", program, strerror(code));
}

/* Without a watch on its exit a child cannot be kept. */
static bool discard_child(pid_t pid, int code, struct process_error *error)
{
    kill(-pid, SIGKILL);
    while (waitpid(pid, NULL, 0) < 0 && errno == EINTR) {
    }
    return process_fail(error, code, "cannot watch a process: %s", strerror(code));
}

bool process_spawn(const struct process_request *request, char *const *environment,
                   struct process_child *child, struct process_error *error)
{
    struct plumbing p;
    if (!check_request(request, error)) return false;
    if (!open_plumbing(request, &p)) {
        process_fail(error, errno, "cannot start a process: %s", strerror(errno));
        close_plumbing(&p);
        return false;
    }
    int rc = spawn_child(request, environment, &p, &child->pid);
    close_child_ends(&p); /* also frees the descriptor that pidfd_open takes */
    child->pidfd = rc == 0 ? pidfd_open(child->pid, 0) : -1;
    child->output[0] = p.read[0];
    child->output[1] = p.read[1];
    if (child->pidfd >= 0) return true;
    if (rc == 0) discard_child(child->pid, errno, error);
    if (rc != 0) fail_to_exec(request, rc, error);
    close_plumbing(&p);
    return false;
}
