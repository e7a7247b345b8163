/* What fiber.c (the life of a fiber), fiber_schedule.c (when it runs) and fiber_stop.c (how it is stopped)
 * share. */
#ifndef SANDSTORM_FIBER_INTERNAL_H
#define SANDSTORM_FIBER_INTERNAL_H

#include <uv.h>

#include "fiber.h"

#define FIBER_REASON_SIZE 192

struct fiber {
    struct vm *vm;
    lua_State *L;
    int thread; /* registry reference of L */
    enum fiber_state state;
    bool stopped;
    bool located;                  /* `reason` starts with the place where the handler stood */
    bool slice_over;               /* the hook has given the loop a turn */
    int start_args;                /* of a fiber that has not run yet */
    bool failed, wrapped;          /* the handler raised; the error is wrapped with its traceback */
    uint64_t deadline_ns;          /* 0: none */
    uint64_t cpu_ms, cpu_limit_ms; /* counted in slices (fiber_slice.h) */
    unsigned slices_seen;          /* slice_timer_count up to which cpu_ms counts */
    unsigned slices_at_resume;
    struct fiber_op *waiting;
    fiber_done_cb done;
    void *data;
    char *tag; /* owned; NULL: none */
    char trace[FIBER_TRACE_SIZE];
    char reason[FIBER_REASON_SIZE];
    struct fiber *next, *prev; /* live list; `next` also links the records kept for later */
    struct fiber *next_ready;
};

struct fiber_scheduler {
    uv_idle_t idle;   /* active while a fiber is ready */
    uv_timer_t timer; /* the earliest deadline */
    uint64_t timer_ns;
    unsigned handles; /* open libuv handles; the memory goes with the last */
    struct fiber *live, *kept, *ready, *ready_tail;
    unsigned live_count, kept_count;
};

/* The VM's scheduler, made at the first call; NULL without memory. */
struct fiber_scheduler *fiber_scheduler_of(struct vm *vm);

/* Puts a fiber into, or takes it out of, the list of live ones. */
void fiber_link(struct fiber *f);
void fiber_unlink(struct fiber *f);

/* Lets the loop resume the fiber. */
void fiber_make_ready(struct fiber *f);

/* Sees to it that the fiber's deadline, if it has one, is kept. */
void fiber_watch_deadline(struct fiber *f);

/* Adds the slices that have passed since the last look to the CPU time of the fiber that runs. */
void fiber_count_cpu(struct fiber *f);

/* Runs the fiber, with `args` values on its stack, until it waits, is preempted or ends. */
void fiber_resume(struct fiber *f, int args);

#endif
