/* A VM: one Lua state, made from one reading of the scripts ("generation").
 *
 * Words used here
 *   generation  a number that grows by one with every reading of the scripts, the first being 1
 *   root file   the operator's script, by default the shipped tools.lua
 *   library     the folder with the protocol's own Lua modules (lib/)
 *
 * A state sees the Lua standard library less what would reach around the host: no io, no debug but
 * traceback, no os but clock, date, difftime, getenv and time, no C modules, no precompiled chunks, no
 * __gc metamethods. pcall, xpcall and coroutine.* are as usual except that they do not catch the stop of a
 * runaway handler (see fiber.h). Assigning a global after loading raises: nothing in a state outlives a
 * request.
 *
 * Threads: vm_new may run on any thread, everything else on the loop's thread. A VM is used by one thread at
 * a time. */
#ifndef SANDSTORM_VM_H
#define SANDSTORM_VM_H

#include <lua.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "host.h"

struct fiber;

/* A file that the generation was made from, for the watcher. */
struct vm_file {
    char *path; /* absolute */
    struct vm_file *next;
};

struct vm {
    lua_State *L; /* the main thread: only loading and plain calls run on it, handlers run in fibers */
    struct host *host;
    uint64_t generation;
    size_t memory_used; /* bytes held by the state */
    size_t memory_limit;
    bool loading;                /* scripts are being read: nothing may wait */
    uint64_t load_deadline;      /* clock_ns value after which reading is stopped */
    struct vm_file *files;       /* owned */
    struct fiber *running;       /* the fiber whose code runs now, or NULL */
    struct fiber *live;          /* doubly linked: started and not done */
    struct fiber *idle;          /* singly linked: done, their coroutines are used again */
    struct fiber *ready;         /* FIFO of fibers that were preempted */
    struct fiber *ready_tail;
    unsigned live_count;
    int app;                     /* registry reference of what app.load returned */
};

/* Reads the scripts into a new state and validates them.
 * root: the root script file. library: the folder of the library. Both absolute; not kept.
 * Returns NULL on failure and then fills `error` with one line, `file:line: what is wrong`. The caller owns
 * the VM and gives it to vm_free. */
struct vm *vm_new(struct host *host, uint64_t generation, const char *root, const char *library, char *error,
                  size_t error_size);

/* Frees a VM whose live_count is 0. NULL is allowed. */
void vm_free(struct vm *vm);

/* The VM that a state, or any coroutine of it, belongs to. Never NULL. */
struct vm *vm_of(lua_State *L);

/* Pushes the table that `app.load` returned (see lib/_meta/app.lua). */
void vm_push_app(lua_State *L);

#endif
