/* A call: runs one program to its end and keeps the beginning of what it printed. Belongs to the loop's
 * thread. */
#ifndef SANDSTORM_PROCESS_CALL_H
#define SANDSTORM_PROCESS_CALL_H

#include "capture.h"
#include "process.h"

#define PROCESS_CAPTURE_BYTES 10485760 /* default for each stream */

/* Embedded in the caller's memory, which must stay in place until `done`. */
struct process_call {
    struct process *process; /* NULL unless it runs */
    struct capture output;
    struct capture errors;
    size_t news_bytes;   /* 0, or how much of the newest output of each stream `news` keeps */
    struct ring news[2]; /* stdout's and stderr's; the caller empties them with ring_free */
    struct process_status status;
    uint64_t started_ns;
    uint64_t duration_ns;
    void (*done)(struct process_call *call);
};

/* `call` is zeroed memory with `done` and perhaps `news_bytes` set; process_call_free is due in any case.
 * `done` is called once, later, if this returns true. */
bool process_call_start(struct process_set *set, struct process_call *call,
                        const struct process_request *request, size_t capture_bytes,
                        struct process_error *error);

/* Terminates the program, as for a time limit; `done` follows. Without effect on a call that is done. */
void process_call_cancel(struct process_call *call);

void process_call_free(struct process_call *call);

#endif
