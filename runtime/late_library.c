#include "late_library.h"

#include <dlfcn.h>
#include <stdio.h>
#include <string.h>

static bool fail(char *error, size_t size)
{
    const char *why = dlerror();
    snprintf(error, size, "cannot load a library: %s", why != NULL ? why : "unknown error");
    return false;
}

bool late_library_load(const char *library, const char *const *names, void *functions, char *error,
                       size_t size)
{
    void *handle = dlopen(library, RTLD_NOW | RTLD_LOCAL);
    if (handle == NULL) return fail(error, size);
    for (char *to = functions; *names != NULL; names++, to += sizeof(void *)) {
        void *address = dlsym(handle, *names);
        if (address == NULL) return fail(error, size);
        memcpy(to, &address, sizeof address);
    }
    return true;
}
