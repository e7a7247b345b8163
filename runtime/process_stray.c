#include "process_stray.h"

#include <signal.h>
#include <stdlib.h>
#include <string.h>

#include "process_marked.h"

#define KILL_TRIES 20 /* of processes that multiply */
#define KILL_AGAIN_MS 50

struct strays {
    struct process_set *set;
    char run_id[PROCESS_RUN_ID_SIZE];
    pid_t group;
    int signal;
    unsigned tries_left; /* of further signals */
    unsigned found;
    uv_work_t search;
    uv_timer_t timer;
};

static void search(struct strays *s);

static void on_closed(uv_handle_t *handle)
{
    struct strays *s = handle->data;
    s->set->strays--;
    free(s);
}

static void on_timer(uv_timer_t *timer)
{
    struct strays *s = timer->data;
    s->signal = SIGKILL;
    search(s);
}

static void work(uv_work_t *request)
{
    struct strays *s = request->data;
    const char *const value = s->run_id;
    const struct process_mark mark = {PROCESS_RUN_ID, &value, 1, s->group};
    s->found = process_marked_signal(&mark, s->signal);
}

static void found(uv_work_t *request, int status)
{
    struct strays *s = request->data;
    (void)status;
    if (s->found == 0 || s->tries_left == 0) {
        uv_close((uv_handle_t *)&s->timer, on_closed);
        return;
    }
    s->tries_left--;
    uv_timer_start(&s->timer, on_timer, s->signal == SIGKILL ? KILL_AGAIN_MS : PROCESS_GRACE_MS, 0);
}

static void search(struct strays *s)
{
    uv_queue_work(s->set->loop, &s->search, work, found);
}

static void begin(const struct process *p, int signal, unsigned tries)
{
    struct strays *s = calloc(1, sizeof *s);
    if (s == NULL) return;
    s->set = p->set;
    s->group = p->pid;
    s->signal = signal;
    s->tries_left = tries;
    memcpy(s->run_id, p->run_id, sizeof s->run_id);
    s->search.data = s->timer.data = s;
    uv_timer_init(s->set->loop, &s->timer);
    s->set->strays++;
    search(s);
}

void process_stray_signal(const struct process *p, int signal)
{
    begin(p, signal, 0);
}

void process_stray_end(const struct process *p)
{
    begin(p, SIGTERM, KILL_TRIES);
}
