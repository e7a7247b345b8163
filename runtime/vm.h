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
 * runaway handler (see fiber.h), and none of it holds the loop for long (see lua_sandbox.h).
 *
 * Nothing in a state outlives a request: globals, the standard library, the modules of the host and of the
 * library are read-only for scripts once these are loaded (see lua_seal.c). One thing cannot be held off:
 * what the operator's files keep in locals and tables of their own. A handler that changes those changes them
 * for every later call of this generation.
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
#include "vm_memory.h"

struct fiber;
struct fiber_scheduler;
struct route_table;
struct script_files;
struct tick_list;

struct vm {
    lua_State *L; /* the main thread: only loading and plain calls run on it, handlers run in fibers */
    struct host *host;
    uint64_t generation;
    uint64_t scripts_id; /* of the files that it was read from; see script_files_id */
    struct vm_memory memory;
    size_t memory_settled;             /* bytes in use when vm_tidy was last at work */
    bool by_generations;               /* how the collector works; see vm_pace */
    bool loading;                      /* scripts are being read: nothing may wait */
    bool load_stopped;                 /* reading took too long; see lua_sandbox.h */
    uint64_t load_deadline;            /* clock_ns value after which reading is stopped */
    bool late_require;                 /* modules may also be read by a handler: one-shot commands only */
    char *root;                        /* owned */
    char *library;                     /* owned */
    struct script_files *files;        /* valid while loading; collects what is read */
    struct route_table *routes;        /* owned; what app.load returned as routes */
    struct tick_list *ticks;           /* owned; what it returned as ticks, or NULL */
    struct fiber_scheduler *scheduler; /* owned by fiber.c; NULL until the first fiber */
    struct fiber *running;             /* the fiber whose code runs now, or NULL */
    bool pinned;                       /* what runs cannot let the loop have a turn; lua_coroutine.c */
    lua_State *closing;                /* the coroutine that coroutine.close closes now, or NULL */
    int app;                           /* registry reference of what app.load returned */
    unsigned holds;                    /* vm_hold less vm_release */
    bool retired;                      /* a newer generation serves; freed by scripts.c when holds is 0 */
    struct vm *next;                   /* scripts.c: list of retired generations */
};

/* Reads the scripts into a new state and validates them.
 * root: the root script file. library: the folder of the library. Both absolute; copied.
 * files: receives the files that were read or looked for, also on failure.
 * Returns NULL on failure and then fills `error` with one line, `file:line: what is wrong`. The caller owns
 * the VM and gives it to vm_free. */
struct vm *vm_new(struct host *host, uint64_t generation, const char *root, const char *library,
                  struct script_files *files, char *error, size_t error_size);

/* Frees a VM that nobody holds and no fiber runs in. NULL is allowed. */
void vm_free(struct vm *vm);

/* To be called between two pieces of Lua code, `L` being the coroutine that comes next or goes on: chooses
 * how the collector works. By generations (manual 2.5.2) what requests leave behind is found again in the
 * cache; but that stops for a whole collection at times, so a state with much in it is collected in steps. */
void vm_pace(struct vm *vm, lua_State *L);

/* To be called now and then: where no handler runs, memory that one needed much of goes back to the system.
 */
void vm_tidy(struct vm *vm);

/* Keeps the VM from being freed until the matching vm_release. */
void vm_hold(struct vm *vm);
void vm_release(struct vm *vm);

/* The VM that a state, or any coroutine of it, belongs to. Never NULL. */
struct vm *vm_of(lua_State *L);

/* True while the code that runs is being stopped: whoever catches errors must pass this one on. */
bool vm_stopping(lua_State *L);

/* Raises while the scripts are read, for that happens on another thread: what lives below Lua and belongs to
 * the loop's thread must not be touched there. */
void vm_check_serving(lua_State *L, const char *function);

/* Pushes the table that `app.load` returned (see lib/_meta/app.lua). */
void vm_push_app(lua_State *L);

/* Reads a text chunk from `path` (absolute) and pushes its function; `name` is what error messages call the
 * file. The file is remembered for the watcher while loading. False: pushes an error message instead; errno
 * says why the file could not be opened, or is 0. */
bool vm_load_file(lua_State *L, const char *path, const char *name);

#endif
