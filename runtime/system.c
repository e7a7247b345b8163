#include "system.h"

#include <inttypes.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/statvfs.h>
#include <unistd.h>
#include <uv.h>

#define MEMORY_FILE "/proc/meminfo"
#define UPTIME_FILE "/proc/uptime"

static int64_t memory_available(void)
{
    char line[128];
    int64_t kib = 0;
    FILE *f = fopen(MEMORY_FILE, "re");
    if (f == NULL) return 0;
    while (fgets(line, sizeof line, f) != NULL)
        if (sscanf(line, "MemAvailable: %" SCNd64, &kib) == 1) break;
    fclose(f);
    return kib * 1024;
}

static int64_t uptime(void)
{
    int64_t seconds = 0;
    FILE *f = fopen(UPTIME_FILE, "re");
    if (f == NULL) return 0;
    if (fscanf(f, "%" SCNd64, &seconds) != 1) seconds = 0;
    fclose(f);
    return seconds;
}

static int64_t disk_available(const char *folder)
{
    struct statvfs s;
    if (statvfs(folder, &s) != 0) return 0;
    return (int64_t)s.f_bavail * (int64_t)s.f_frsize;
}

void system_figures(const char *folder, struct system_figures *out)
{
    out->cores = uv_available_parallelism();
    out->memory_available = memory_available();
    out->disk_available = disk_available(folder);
    out->uptime_s = uptime();
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
