#include "init.h"

#include <signal.h>
#include <stddef.h>
#include <sys/wait.h>
#include <unistd.h>

/* True when the child has ended. */
static bool reap(pid_t child, int *status)
{
    int how;
    for (pid_t pid; (pid = waitpid(-1, &how, WNOHANG)) > 0;) {
        if (pid != child) continue;
        *status = WIFEXITED(how) ? WEXITSTATUS(how) : 128 + WTERMSIG(how);
        return true;
    }
    return false;
}

static void hand_on(pid_t child, const siginfo_t *info)
{
    if (info->si_signo != SIGCHLD && info->si_code != SI_KERNEL) kill(child, info->si_signo);
}

bool init_split(int *status)
{
    sigset_t all, before;
    siginfo_t info;
    if (getpid() != 1) return true;
    signal(SIGCHLD, SIG_DFL);
    sigfillset(&all);
    sigprocmask(SIG_SETMASK, &all, &before);
    pid_t child = fork();
    if (child <= 0) {
        sigprocmask(SIG_SETMASK, &before, NULL);
        return true;
    }
    do
        if (sigwaitinfo(&all, &info) > 0) hand_on(child, &info);
    while (!reap(child, status));
    return false;
}
