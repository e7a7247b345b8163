#include "shipped.h"

#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include <uv.h>

#include "config.h"

/* Fills the folder that holds tools.lua and lib/. */
static bool find_share(char *share, size_t size)
{
    static const char *const places[] = {"..", "../share/sandstorm-mcp"};
    char program[PATH_MAX], probe[PATH_MAX + 64], found[PATH_MAX];
    size_t len = sizeof program;
    if (uv_exepath(program, &len) != 0) return false;
    char *slash = strrchr(program, '/');
    if (slash == NULL) return false;
    *slash = '\0';
    for (size_t i = 0; i < sizeof places / sizeof places[0]; i++) {
        snprintf(probe, sizeof probe, "%s/%s/lib/app.lua", program, places[i]);
        if (realpath(probe, found) == NULL) continue;
        found[strlen(found) - strlen("/lib/app.lua")] = '\0';
        return snprintf(share, size, "%s", found) < (int)size;
    }
    return false;
}

static bool choose(char *out, size_t size, const char *named, const char *share, const char *shipped)
{
    int n = named != NULL ? snprintf(out, size, "%s", named) : snprintf(out, size, "%s%s", share, shipped);
    return n < (int)size;
}

bool shipped_find(const struct config *config, char *tools, size_t tools_size, char *library,
                  size_t library_size, char *error, size_t error_size)
{
    char share[PATH_MAX] = "";
    bool needed = config->tools == NULL || config->library == NULL;
    if (needed && !find_share(share, sizeof share)) {
        snprintf(error, error_size,
                 "the shipped scripts are not beside the program: name them with "
                 "--tools FILE and --library FOLDER");
        return false;
    }
    bool fits = choose(library, library_size, config->library, share, "/lib") &&
                choose(tools, tools_size, config->tools, share, "/tools.lua");
    if (fits && access(tools, R_OK) == 0) return true;
    snprintf(error, error_size, "%.400s: cannot be read (the root script file, --tools)", tools);
    return false;
}
