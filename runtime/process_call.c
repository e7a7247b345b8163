#include "process_call.h"

#include "clock.h"

static void on_output(void *data, int stream, const char *bytes, size_t len)
{
    struct process_call *call = data;
    capture_add(stream == 1 ? &call->output : &call->errors, bytes, len);
    ring_add(&call->news[stream - 1], bytes, len);
}

static void on_ended(void *data, const struct process_status *status)
{
    struct process_call *call = data;
    call->process = NULL;
    call->status = *status;
    call->duration_ns = clock_ns() - call->started_ns;
    capture_finish(&call->output);
    capture_finish(&call->errors);
    call->done(call);
}

bool process_call_start(struct process_set *set, struct process_call *call,
                        const struct process_request *request, size_t capture_bytes,
                        struct process_error *error)
{
    const struct process_handler handler = {call, on_output, NULL, on_ended};
    capture_init(&call->output, capture_bytes);
    capture_init(&call->errors, capture_bytes);
    for (int i = 0; i < 2; i++)
        ring_init(&call->news[i], call->news_bytes);
    call->started_ns = clock_ns();
    call->process = process_start(set, request, &handler, error);
    return call->process != NULL;
}

void process_call_cancel(struct process_call *call)
{
    if (call->process != NULL) process_terminate(call->process, PROCESS_CANCELLED);
}

void process_call_free(struct process_call *call)
{
    capture_free(&call->output);
    capture_free(&call->errors);
    for (int i = 0; i < 2; i++)
        ring_free(&call->news[i]);
}
