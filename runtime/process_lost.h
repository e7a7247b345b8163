/* Children that were given up because they could not be reaped: each is kept as its pidfd and reaped when
 * that becomes possible, so that it does not stay a zombie. Internal to the process engine. */
#ifndef SANDSTORM_PROCESS_LOST_H
#define SANDSTORM_PROCESS_LOST_H

struct process_lost;

/* Takes the descriptor. Without memory it is closed and the child forgotten. */
void process_lost_add(struct process_lost **list, int pidfd);

/* Reaps those that can be. */
void process_lost_reap(struct process_lost **list);

void process_lost_free(struct process_lost **list);

#endif
