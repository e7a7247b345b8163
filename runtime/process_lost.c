#include "process_lost.h"

#include <errno.h>
#include <stdbool.h>
#include <signal.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>

struct process_lost {
    int pidfd;
    struct process_lost *next;
};

void process_lost_add(struct process_lost **list, int pidfd)
{
    struct process_lost *entry = malloc(sizeof *entry);
    if (entry == NULL) {
        close(pidfd);
        return;
    }
    *entry = (struct process_lost){pidfd, *list};
    *list = entry;
}

static struct process_lost *drop(struct process_lost *entry)
{
    struct process_lost *next = entry->next;
    close(entry->pidfd);
    free(entry);
    return next;
}

/* True once nothing is left to wait for. pidfds are non-blocking: EAGAIN means that it still lives. */
static bool is_over(const struct process_lost *entry)
{
    siginfo_t info = {.si_pid = 0};
    if (waitid(P_PIDFD, (id_t)entry->pidfd, &info, WEXITED | WNOHANG) != 0) return errno == ECHILD;
    return info.si_pid != 0;
}

void process_lost_reap(struct process_lost **list)
{
    while (*list != NULL) {
        if (is_over(*list))
            *list = drop(*list);
        else
            list = &(*list)->next;
    }
}

void process_lost_free(struct process_lost **list)
{
    while (*list != NULL)
        *list = drop(*list);
}
