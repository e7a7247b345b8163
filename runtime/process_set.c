#include "process_internal.h"

#include <errno.h>
#include <inttypes.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/random.h>

static bool no_memory(struct process_error *error)
{
    return process_fail(error, ENOMEM, "cannot start a process: %s", strerror(ENOMEM));
}

static bool make_run_id(char id[PROCESS_RUN_ID_SIZE], struct process_error *error)
{
    uint64_t random;
    if (getrandom(&random, sizeof random, 0) != sizeof random)
        return process_fail(error, errno, "cannot start a process: %s", strerror(errno));
    snprintf(id, PROCESS_RUN_ID_SIZE, "%016" PRIx64, random);
    return true;
}

/* What the server has for its children, what the request adds, and the run id. One block as in environment.h.
 */
static char **environment_for(const struct process *p, const struct process_request *request)
{
    struct environment_variable *add = malloc((request->env_count + 1) * sizeof *add);
    if (add == NULL) return NULL;
    size_t count = 0;
    for (size_t i = 0; i < request->env_count; i++)
        if (strcmp(request->env[i].name, PROCESS_RUN_ID) != 0) add[count++] = request->env[i];
    add[count++] = (struct environment_variable){PROCESS_RUN_ID, p->run_id};
    char **vector = environment_vector(p->set->environment, add, count);
    free(add);
    return vector;
}

static bool spawn(struct process *p, const struct process_request *request, struct process_child *child,
                  struct process_error *error)
{
    if (!make_run_id(p->run_id, error)) return false;
    char **environment = environment_for(p, request);
    if (environment == NULL) return no_memory(error);
    bool started = process_spawn(request, environment, child, error);
    free(environment);
    return started;
}

static void enter(struct process_set *set, struct process *p)
{
    p->next = set->first;
    p->link = &set->first;
    if (p->next != NULL) p->next->link = &p->next;
    set->first = p;
    set->count++;
}

/* Takes `p`. */
static struct process *launch(struct process *p, const struct process_request *request,
                              struct process_error *error)
{
    struct process_child child;
    if (!spawn(p, request, &child, error)) {
        free(p);
        return NULL;
    }
    int rc = process_watch(p, &child, request->linger ? 0 : request->timeout_ms);
    if (rc != 0) {
        process_fail(error, -rc, "cannot watch a process: %s", uv_strerror(rc));
        return NULL;
    }
    enter(p->set, p);
    return p;
}

struct process *process_start(struct process_set *set, const struct process_request *request,
                              const struct process_handler *handler, struct process_error *error)
{
    process_lost_reap(&set->lost);
    if (set->stopping) {
        process_fail(error, ECANCELED, "the server is stopping");
        return NULL;
    }
    struct process *p = calloc(1, sizeof *p);
    if (p == NULL) {
        no_memory(error);
        return NULL;
    }
    p->set = set;
    p->handler = *handler;
    p->linger = request->linger;
    return launch(p, request, error);
}

struct process_set *process_set_new(uv_loop_t *loop)
{
    struct process_set *set = calloc(1, sizeof *set);
    if (set == NULL) return NULL;
    /* Inherited as ignored, SIGCHLD would let the kernel reap children, status and all. */
    signal(SIGCHLD, SIG_DFL);
    set->loop = loop;
    set->environment = environment_new();
    if (set->environment != NULL) return set;
    free(set);
    return NULL;
}

unsigned process_set_count(const struct process_set *set)
{
    return set->count + set->strays;
}

void process_set_stop(struct process_set *set)
{
    set->stopping = true;
    for (struct process *p = set->first, *next; p != NULL; p = next) {
        next = p->next;
        process_terminate(p, PROCESS_SHUT_DOWN);
    }
}

void process_set_kill(struct process_set *set)
{
    for (struct process *p = set->first; p != NULL; p = p->next)
        if (p->stage != STAGE_DRAINING) kill(-p->pid, SIGKILL);
}

void process_set_free(struct process_set *set)
{
    if (set == NULL) return;
    process_lost_free(&set->lost);
    environment_free(set->environment);
    free(set);
}
