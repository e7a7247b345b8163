/* Operations: the memory that a parked coroutine and the loop share (fiber.h). */
#include <lauxlib.h>
#include <stddef.h>
#include <stdlib.h>
#include <uv.h>

#include "fiber.h"

#define GUARD_METATABLE "sandstorm.operation"

struct fiber_op {
    unsigned shares;
    bool over;
    struct fiber *fiber; /* who waits, or NULL; such a fiber holds a share through the guard */
    int (*finish)(lua_State *L, void *op);
    void (*cancel)(void *op);
    void (*lost)(void *op);
    void (*release)(void *op);
    max_align_t body[];
};

static struct fiber_op *header_of(void *body)
{
    return (struct fiber_op *)(void *)((char *)body - offsetof(struct fiber_op, body));
}

static void drop_share(struct fiber_op *op)
{
    if (--op->shares > 0) return;
    if (op->release != NULL) op->release(op->body);
    free(op);
}

static int guard_gc(lua_State *L)
{
    struct fiber_op **guard = lua_touserdata(L, 1);
    if (*guard == NULL) return 0;
    (*guard)->fiber = NULL;
    if (!(*guard)->over && (*guard)->lost != NULL) (*guard)->lost((*guard)->body);
    drop_share(*guard);
    *guard = NULL;
    return 0;
}

void fiber_setup(lua_State *L)
{
    luaL_newmetatable(L, GUARD_METATABLE);
    lua_pushcfunction(L, guard_gc);
    lua_setfield(L, -2, "__gc");
    lua_pop(L, 1);
}

void *fiber_op_new(lua_State *L, const char *function, size_t size, void (*release)(void *op))
{
    struct fiber *f = fiber_running(L);
    if (f == NULL)
        luaL_error(L, "%s: cannot wait while the scripts are loaded; call it in a handler", function);
    fiber_raise_if_stopped(L);
    struct fiber_op **guard = lua_newuserdatauv(L, sizeof *guard, 0);
    *guard = NULL;
    luaL_setmetatable(L, GUARD_METATABLE);
    struct fiber_op *op = calloc(1, offsetof(struct fiber_op, body) + size);
    if (op == NULL) luaL_error(L, "%s: not enough memory", function);
    op->shares = 1;
    op->release = release;
    *guard = op;
    return op->body;
}

void fiber_op_if_lost(void *body, void (*lost)(void *op))
{
    header_of(body)->lost = lost;
}

void fiber_op_hold(void *body)
{
    header_of(body)->shares++;
}

void fiber_op_done(void *body)
{
    struct fiber_op *op = header_of(body);
    struct fiber *f = op->fiber;
    op->over = true;
    op->fiber = NULL;
    if (f != NULL) fiber_wake(f, op);
    drop_share(op);
}

void fiber_op_cancel(struct fiber_op *op)
{
    op->fiber = NULL;
    if (op->cancel != NULL && !op->over) op->cancel(op->body);
}

static int cannot_wait(lua_State *L)
{
    return luaL_error(L,
                      "cannot wait inside a function that C calls back, such as the metamethod __tostring");
}

static int wait_finish(lua_State *L, int status, lua_KContext context)
{
    (void)status;
    struct fiber_op *op = (struct fiber_op *)context;
    fiber_raise_if_stopped(L);
    return op->finish(L, op->body);
}

int fiber_wait(lua_State *L, void *body, int (*finish)(lua_State *L, void *op), void (*cancel)(void *op))
{
    struct fiber_op *op = header_of(body);
    op->finish = finish;
    op->cancel = cancel;
    if (op->over) return finish(L, body);
    if (!fiber_can_pause(L)) {
        if (cancel != NULL) cancel(body);
        return cannot_wait(L);
    }
    op->fiber = fiber_running(L);
    fiber_park(op->fiber, op);
    return lua_yieldk(L, 0, (lua_KContext)op, wait_finish);
}

/* ---- thread pool ------------------------------------------------------------------------------------- */

struct pool_job {
    uv_work_t request;
    void *body;
    void (*work)(void *op);
};

static void pool_work(uv_work_t *request)
{
    struct pool_job *job = request->data;
    job->work(job->body);
}

static void pool_done(uv_work_t *request, int status)
{
    (void)status;
    struct pool_job *job = request->data;
    void *body = job->body;
    free(job);
    fiber_op_done(body);
}

int fiber_work(lua_State *L, void *body, void (*work)(void *op), int (*finish)(lua_State *L, void *op))
{
    if (!fiber_can_pause(L)) return cannot_wait(L);
    struct pool_job *job = malloc(sizeof *job);
    if (job == NULL) return luaL_error(L, "not enough memory");
    *job = (struct pool_job){.body = body, .work = work};
    job->request.data = job;
    fiber_op_hold(body);
    uv_queue_work(vm_of(L)->host->loop, &job->request, pool_work, pool_done);
    return fiber_wait(L, body, finish, NULL);
}
