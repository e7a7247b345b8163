#include "process_marked.h"

#include <dirent.h>
#include <fcntl.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "buf.h"

#define ENVIRONMENT_MAX ((size_t)4 << 20)
#define BLOCK 65536

static bool is_marked(const char *entry, const struct process_mark *m)
{
    size_t len = strlen(m->name);
    if (strncmp(entry, m->name, len) != 0 || entry[len] != '=') return false;
    for (size_t i = 0; i < m->count; i++)
        if (strcmp(entry + len + 1, m->values[i]) == 0) return true;
    return false;
}

/* Reads /proc/PID/environ; false if this user may not, or the process is gone. */
static bool read_environment(const char *pid, struct buf *out)
{
    char path[64];
    snprintf(path, sizeof path, "/proc/%.20s/environ", pid);
    int fd = open(path, O_RDONLY | O_CLOEXEC);
    if (fd < 0) return false;
    buf_clear(out);
    ssize_t n = 1;
    while (n > 0 && out->len < ENVIRONMENT_MAX && buf_reserve(out, BLOCK)) {
        n = read(fd, out->data + out->len, BLOCK);
        if (n > 0) out->len += (size_t)n;
    }
    close(fd);
    return buf_byte(out, '\0');
}

static bool has_mark(const char *pid, const struct process_mark *m, struct buf *scratch)
{
    if (m->but_group != 0 && getpgid(atoi(pid)) == m->but_group) return false;
    if (!read_environment(pid, scratch)) return false;
    for (size_t at = 0; at < scratch->len; at += strlen(scratch->data + at) + 1)
        if (is_marked(scratch->data + at, m)) return true;
    return false;
}

/* The descriptor is taken first: whatever has the number later, it means the process that was looked at. A
 * zombie has no environment. */
static bool signal_if_marked(const char *pid, const struct process_mark *m, int signal, struct buf *scratch)
{
    if (atoi(pid) == getpid()) return false;
    int fd = (int)syscall(SYS_pidfd_open, atoi(pid), 0);
    if (fd < 0) return false;
    bool marked = has_mark(pid, m, scratch) && syscall(SYS_pidfd_send_signal, fd, signal, NULL, 0) == 0;
    close(fd);
    return marked;
}

unsigned process_marked_signal(const struct process_mark *mark, int signal)
{
    struct buf scratch = BUF_INIT;
    unsigned found = 0;
    DIR *proc = opendir("/proc");
    if (proc == NULL) return 0;
    for (struct dirent *e; (e = readdir(proc)) != NULL;)
        if (e->d_name[0] >= '1' && e->d_name[0] <= '9' && signal_if_marked(e->d_name, mark, signal, &scratch))
            found++;
    closedir(proc);
    buf_free(&scratch);
    return found;
}
