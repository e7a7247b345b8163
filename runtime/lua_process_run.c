#include "lua_process_run.h"

#include <lauxlib.h>
#include <uv.h>

#include "fiber.h"
#include "lua_process_push.h"
#include "process_call.h"

#define NS_PER_MS 1000000u
#define LOOK_MS 250          /* between two looks at what came */
#define NEWS_BYTES_MAX 65536 /* of each stream, between two looks */

struct look;

struct process_run {
    struct process_call call; /* first: a `struct process_call *` is a `struct process_run *` */
    struct look *look;        /* what a watching fiber waits for, or NULL */
    int top;                  /* of its stack: up to here it holds what the run needs */
};

/* One wait of a fiber that watches: ends with its timer, or with the program. */
struct look {
    uv_timer_t timer;
    struct process_run *run;
};

static void on_timer_closed(uv_handle_t *handle)
{
    fiber_op_done(handle->data);
}

static void end_look(struct process_run *run)
{
    if (run->look == NULL) return;
    uv_close((uv_handle_t *)&run->look->timer, on_timer_closed);
    run->look = NULL;
}

static void on_timer(uv_timer_t *timer)
{
    struct look *look = timer->data;
    end_look(look->run);
}

static void look_cancel(void *op)
{
    struct process_run *run = ((struct look *)op)->run;
    end_look(run);
    process_call_cancel(&run->call);
}

static void run_release(void *op)
{
    struct process_run *run = op;
    process_call_free(&run->call);
}

static void run_done(struct process_call *call)
{
    struct process_run *run = (struct process_run *)call;
    end_look(run);
    fiber_op_done(run);
}

static void run_cancel(void *op)
{
    struct process_run *run = op;
    process_call_cancel(&run->call);
}

static void set_output(lua_State *L, const struct capture *c, const char *key, const char *total,
                       const char *truncated)
{
    lua_pushlstring(L, c->kept.len > 0 ? c->kept.data : "", c->kept.len);
    lua_setfield(L, -2, key);
    lua_process_set_integer(L, total, (lua_Integer)c->total);
    lua_process_set_boolean(L, truncated, capture_truncated(c));
}

static int run_finish(lua_State *L, void *op)
{
    struct process_call *call = &((struct process_run *)op)->call;
    lua_createtable(L, 0, 12);
    lua_process_set_status(L, call->status.exit_code, call->status.signal);
    lua_process_set_boolean(L, "timed_out", call->status.stop == PROCESS_TIMED_OUT);
    lua_process_set_integer(L, "duration_ms", (lua_Integer)(call->duration_ns / NS_PER_MS));
    set_output(L, &call->output, "stdout", "stdout_bytes", "stdout_truncated");
    set_output(L, &call->errors, "stderr", "stderr_bytes", "stderr_truncated");
    process_call_free(call);
    return 1;
}

/* ---- on_output --------------------------------------------------------------------------------------- */

static int tell(lua_State *L, struct process_run *run);

static bool has_news(const struct process_run *run)
{
    return run->call.news[0].len + run->call.news[1].len > 0;
}

static int look_finish(lua_State *L, void *op)
{
    return tell(L, ((struct look *)op)->run);
}

static int watch(lua_State *L, struct process_run *run)
{
    if (run->call.process == NULL) return has_news(run) ? tell(L, run) : run_finish(L, run);
    struct look *look = fiber_op_new(L, "process.run", sizeof *look, NULL);
    look->run = run;
    look->timer.data = look;
    uv_timer_init(vm_of(L)->host->loop, &look->timer);
    uv_timer_start(&look->timer, on_timer, LOOK_MS, 0);
    run->look = look;
    fiber_op_hold(look);
    return fiber_wait(L, look, look_finish, look_cancel);
}

/* A function that raises, or is stopped, ends the program. */
static int told(lua_State *L, int status, lua_KContext context)
{
    struct process_run *run = (struct process_run *)context;
    if (status == LUA_OK || status == LUA_YIELD) return watch(L, run);
    process_call_cancel(&run->call);
    return lua_error(L);
}

static void push_news(lua_State *L, struct ring *news)
{
    struct ring_view view = ring_content(news);
    luaL_Buffer b;
    luaL_buffinitsize(L, &b, view.len[0] + view.len[1]);
    luaL_addlstring(&b, view.part[0], view.len[0]);
    luaL_addlstring(&b, view.part[1], view.len[1]);
    luaL_pushresult(&b);
    ring_free(news);
}

static int tell(lua_State *L, struct process_run *run)
{
    lua_settop(L, run->top); /* the guard of a look that is over goes */
    if (!has_news(run)) return watch(L, run);
    lua_getfield(L, PROCESS_ANCHOR, PROCESS_ON_OUTPUT);
    push_news(L, &run->call.news[0]);
    push_news(L, &run->call.news[1]);
    lua_KContext context = (lua_KContext)run;
    return told(L, lua_pcallk(L, 2, 0, 0, context, told), context);
}

/* ---- both -------------------------------------------------------------------------------------------- */

struct process_run *lua_process_run_start(lua_State *L, struct process_set *set,
                                          const struct process_options *options, struct process_error *error)
{
    struct process_run *run = fiber_op_new(L, "process.run", sizeof *run, run_release);
    run->call.done = run_done;
    if (options->watched) run->call.news_bytes = NEWS_BYTES_MAX;
    if (!process_call_start(set, &run->call, &options->request, options->capture_bytes, error)) return NULL;
    fiber_op_hold(run);
    fiber_op_if_lost(run, run_cancel);
    run->top = lua_gettop(L);
    return run;
}

int lua_process_run_wait(lua_State *L, struct process_run *run)
{
    if (run->call.news_bytes > 0) return watch(L, run);
    return fiber_wait(L, run, run_finish, run_cancel);
}
