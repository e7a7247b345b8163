/* The Lua face of the process engine; documented in lib/_meta/process.lua. */
#include <errno.h>
#include <lauxlib.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "fiber.h"
#include "fs.h"
#include "jobs.h"
#include "lua_modules.h"
#include "lua_process_marked.h"
#include "lua_process_options.h"
#include "lua_process_push.h"
#include "lua_process_run.h"

/* ---- the working directory, found on the thread pool, and what follows ------------------------------- */

struct launch {
    struct process_options options;
    struct fs_root *workspace;
    struct fs_error error;
    char *cwd_name;
    int cwd; /* -1: not open */
};

static void launch_release(void *op)
{
    struct launch *launch = op;
    if (launch->cwd >= 0) close(launch->cwd);
    fs_error_free(&launch->error);
    free(launch->cwd_name);
    free(launch->options.cwd);
}

static void launch_work(void *op)
{
    struct launch *launch = op;
    const char *path = launch->options.cwd == NULL ? "" : launch->options.cwd;
    launch->cwd_name = fs_resolve(launch->workspace, path, launch->options.cwd_len, &launch->error);
    if (launch->cwd_name != NULL)
        launch->cwd = fs_open_dir(launch->workspace, path, launch->options.cwd_len, &launch->error);
}

static int begin(lua_State *L, enum process_face face, int (*go_on)(lua_State *L, void *op))
{
    lua_settop(L, 1);
    lua_newtable(L); /* PROCESS_ANCHOR */
    struct launch *launch = fiber_op_new(L, face == PROCESS_FACE_RUN ? "process.run" : "process.start",
                                         sizeof *launch, launch_release);
    launch->cwd = -1;
    launch->error = (struct fs_error)FS_ERROR_INIT;
    launch->workspace = vm_of(L)->host->workspace;
    process_options_read(L, face, &launch->options);
    if (launch->options.refusal.code != 0) return lua_process_fail(L, &launch->options.refusal);
    return fiber_work(L, launch, launch_work, go_on);
}

/* The request, complete; NULL after pushing the three results of a failure. */
static const struct process_request *complete(lua_State *L, struct launch *launch)
{
    if (launch->cwd < 0) {
        luaL_pushfail(L);
        lua_pushstring(L, fs_error_text(&launch->error));
        lua_pushstring(L, launch->error.code != NULL ? launch->error.code : "ENOMEM");
        return NULL;
    }
    launch->options.request.cwd = launch->cwd;
    launch->options.request.cwd_name = launch->cwd_name;
    return &launch->options.request;
}

/* A descriptor must not wait for the collector. */
static void close_cwd(struct launch *launch)
{
    close(launch->cwd);
    launch->cwd = -1;
}

/* ---- run --------------------------------------------------------------------------------------------- */

static int run_go_on(lua_State *L, void *op)
{
    struct launch *launch = op;
    if (complete(L, launch) == NULL) return 3;
    struct process_error error;
    struct process_run *run =
        lua_process_run_start(L, job_table_processes(vm_of(L)->host->jobs), &launch->options, &error);
    close_cwd(launch);
    return run != NULL ? lua_process_run_wait(L, run) : lua_process_fail(L, &error);
}

static int l_run(lua_State *L)
{
    return begin(L, PROCESS_FACE_RUN, run_go_on);
}

/* ---- background jobs --------------------------------------------------------------------------------- */

static int start_go_on(lua_State *L, void *op)
{
    struct launch *launch = op;
    const struct process_request *request = complete(L, launch);
    if (request == NULL) return 3;
    struct process_error error;
    const struct job *job = job_start(vm_of(L)->host->jobs, request, &error);
    close_cwd(launch);
    if (job == NULL) return lua_process_fail(L, &error);
    lua_pushinteger(L, job->pid);
    return 1;
}

static int l_start(lua_State *L)
{
    return begin(L, PROCESS_FACE_START, start_go_on);
}

static int64_t check_pid(lua_State *L, const char *function)
{
    int whole = 0;
    lua_Integer pid = lua_type(L, 1) == LUA_TNUMBER ? lua_tointegerx(L, 1, &whole) : 0;
    if (!whole)
        luaL_error(L, "process.%s: expected a process id, got %s", function, luaL_tolstring(L, 1, NULL));
    return pid;
}

/* By name, with or without SIG. */
static int check_signal(lua_State *L)
{
    const char *name = lua_isnoneornil(L, 2)           ? "TERM"
                       : lua_type(L, 2) == LUA_TSTRING ? lua_tostring(L, 2)
                                                       : "";
    if (strncmp(name, "SIG", 3) == 0) name += 3;
    for (int signal = 1; signal < NSIG; signal++) {
        const char *known = sigabbrev_np(signal);
        if (known != NULL && strcmp(known, name) == 0) return signal;
    }
    return luaL_error(L, "process.signal: expected the name of a signal, got %s", luaL_tolstring(L, 2, NULL));
}

static int l_signal(lua_State *L)
{
    vm_check_serving(L, "process.signal");
    struct process_error error;
    lua_settop(L, 2);
    int64_t pid = check_pid(L, "signal");
    int signal = check_signal(L);
    if (!job_signal(vm_of(L)->host->jobs, pid, signal, &error)) return lua_process_fail(L, &error);
    lua_pushboolean(L, true);
    return 1;
}

static void push_job(lua_State *L, const struct job *job)
{
    static const char *const states[] = {"running", "exited", "killed", "lost"};
    lua_createtable(L, 0, 12);
    lua_process_set_integer(L, "pid", job->pid);
    lua_pushlstring(L, job->command, job->command_len);
    lua_setfield(L, -2, "command");
    lua_pushstring(L, job->cwd);
    lua_setfield(L, -2, "cwd");
    lua_pushstring(L, states[job->state]);
    lua_setfield(L, -2, "state");
    if (job->state != JOB_RUNNING) lua_process_set_status(L, job->exit_code, job->signal);
    lua_process_set_integer(L, "started_ms", job->started_ms);
    if (job->state != JOB_RUNNING) lua_process_set_integer(L, "ended_ms", job->ended_ms);
    lua_process_set_integer(L, "output_bytes", (lua_Integer)job->output.total);
}

static void set_job_output(lua_State *L, const struct job *job)
{
    struct ring_view view = ring_content(&job->output);
    luaL_Buffer b;
    luaL_buffinitsize(L, &b, view.len[0] + view.len[1]);
    luaL_addlstring(&b, view.part[0], view.len[0]);
    luaL_addlstring(&b, view.part[1], view.len[1]);
    luaL_pushresult(&b);
    lua_setfield(L, -2, "output");
    lua_process_set_integer(L, "output_dropped", (lua_Integer)view.dropped);
}

static int l_job(lua_State *L)
{
    vm_check_serving(L, "process.job");
    struct process_error error = {.code = ESRCH};
    lua_settop(L, 1);
    int64_t pid = check_pid(L, "job");
    const struct job *job = job_find(vm_of(L)->host->jobs, pid);
    if (job == NULL) {
        snprintf(error.message, sizeof error.message, "No such process %lld", (long long)pid);
        return lua_process_fail(L, &error);
    }
    push_job(L, job);
    set_job_output(L, job);
    return 1;
}

static int l_jobs(lua_State *L)
{
    vm_check_serving(L, "process.jobs");
    struct job_table *jobs = vm_of(L)->host->jobs;
    lua_newtable(L);
    lua_Integer n = 0;
    for (const struct job *job = job_next(jobs, NULL); job != NULL; job = job_next(jobs, job)) {
        push_job(L, job);
        lua_rawseti(L, -2, ++n);
    }
    return 1;
}

int luaopen_process(lua_State *L)
{
    static const luaL_Reg functions[] = {{"run", l_run},       {"start", l_start},
                                         {"signal", l_signal}, {"job", l_job},
                                         {"jobs", l_jobs},     {"signal_marked", lua_process_signal_marked},
                                         {NULL, NULL}};
    luaL_newlib(L, functions);
    return 1;
}
