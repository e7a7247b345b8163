#include "system.h"

#include <fcntl.h>
#include <inttypes.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/statvfs.h>
#include <unistd.h>
#include <uv.h>

enum { MEMORY, UPTIME, OWN, FILES };

struct system {
    int files[FILES]; /* -1: not open */
};

/* Reads one of the files from its start into `text`, "" where that cannot be done. */
static void read_file(struct system *s, int file, char *text, size_t size)
{
    static const char *const names[FILES] = {"/proc/meminfo", "/proc/uptime", "/proc/self/statm"};
    if (s->files[file] < 0) s->files[file] = open(names[file], O_RDONLY | O_CLOEXEC);
    ssize_t n = s->files[file] < 0 ? -1 : pread(s->files[file], text, size - 1, 0);
    text[n > 0 ? n : 0] = '\0';
}

struct system *system_new(void)
{
    char text[256];
    struct system *s = malloc(sizeof *s);
    for (int i = 0; s != NULL && i < FILES; i++) {
        s->files[i] = -1;
        read_file(s, i, text, sizeof text);
    }
    return s;
}

void system_free(struct system *s)
{
    for (int i = 0; s != NULL && i < FILES; i++)
        if (s->files[i] >= 0) close(s->files[i]);
    free(s);
}

static int64_t memory_available(struct system *s)
{
    char text[4096];
    int64_t kib = 0;
    read_file(s, MEMORY, text, sizeof text);
    const char *line = strstr(text, "MemAvailable:");
    return line != NULL && sscanf(line, "MemAvailable: %" SCNd64, &kib) == 1 ? kib * 1024 : 0;
}

static int64_t uptime(struct system *s)
{
    char text[256];
    int64_t seconds = 0;
    read_file(s, UPTIME, text, sizeof text);
    return sscanf(text, "%" SCNd64, &seconds) == 1 ? seconds : 0;
}

static int64_t resident(struct system *s)
{
    char text[256];
    int64_t pages = 0;
    read_file(s, OWN, text, sizeof text);
    return sscanf(text, "%*s %" SCNd64, &pages) == 1 ? pages * sysconf(_SC_PAGESIZE) : 0;
}

static int64_t disk_available(const char *folder)
{
    struct statvfs s;
    if (statvfs(folder, &s) != 0) return 0;
    return (int64_t)s.f_bavail * (int64_t)s.f_frsize;
}

void system_figures(struct system *s, const char *folder, struct system_figures *out)
{
    out->cores = uv_available_parallelism();
    out->memory_available = memory_available(s);
    out->disk_available = disk_available(folder);
    out->uptime_s = uptime(s);
    out->resident = resident(s);
}

static bool is_program(const char *path)
{
    struct stat s;
    return stat(path, &s) == 0 && S_ISREG(s.st_mode) && access(path, X_OK) == 0;
}

bool system_has_program(const char *name)
{
    char path[PATH_MAX];
    const char *folders = getenv("PATH");
    if (folders == NULL || name[0] == '\0' || strchr(name, '/') != NULL) return false;
    for (const char *folder = folders;; folder++) {
        size_t len = strcspn(folder, ":");
        int n = snprintf(path, sizeof path, "%.*s/%s", len > 0 ? (int)len : 1, len > 0 ? folder : ".", name);
        if (n > 0 && (size_t)n < sizeof path && is_program(path)) return true;
        folder += len;
        if (*folder == '\0') return false;
    }
}
