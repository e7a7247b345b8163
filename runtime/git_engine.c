#include <stdio.h>

#include "git_private.h"

bool repo_engine_start(char *error, size_t error_size)
{
    if (git_libgit2_init() >= 0) return true;
    const git_error *last = git_error_last();
    snprintf(error, error_size, "libgit2 does not start: %s", last != NULL ? last->message : "unknown error");
    return false;
}

void repo_engine_stop(void)
{
    git_libgit2_shutdown();
}

static const char *class_name(int class)
{
    switch (class) {
    case GIT_ERROR_OS:
        return "os";
    case GIT_ERROR_REFERENCE:
        return "reference";
    case GIT_ERROR_REPOSITORY:
        return "repository";
    case GIT_ERROR_CONFIG:
        return "config";
    case GIT_ERROR_ODB:
        return "odb";
    case GIT_ERROR_OBJECT:
        return "object";
    default:
        return "error";
    }
}

bool repo_refuse(char refusal[REPO_REFUSAL_SIZE], const char *reason)
{
    snprintf(refusal, REPO_REFUSAL_SIZE, "%s", reason);
    return false;
}

bool repo_refuse_error(char refusal[REPO_REFUSAL_SIZE], const char *what)
{
    const git_error *last = git_error_last();
    if (last == NULL) return repo_refuse(refusal, what);
    snprintf(refusal, REPO_REFUSAL_SIZE, "%s: libgit2 %s %d: %s", what, class_name(last->klass), last->klass,
             last->message);
    return false;
}
