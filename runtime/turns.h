/* Turns: work on one thing that must not run side by side, such as two commits in one repository, is done in
 * the order in which it was asked for.
 *
 * Whoever joins a line, named by a key, has the turn at once when nobody is before it, or when all who were
 * have left. Lines outlive a request and a generation of the scripts, but not the server. Everything belongs
 * to the loop's thread. */
#ifndef SANDSTORM_TURNS_H
#define SANDSTORM_TURNS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct turn; /* one place in a line */
struct turn_table;

struct turn_table *turn_table_new(void);

/* All turns must have been left. NULL is allowed. */
void turn_table_free(struct turn_table *table);

/* Joins at the end of the line of `key` (bytes). `work` is the name under which those behind see it; both are
 * copied. NULL without memory. The caller leaves. */
struct turn *turn_join(struct turn_table *table, const char *key, size_t len, const char *work);

/* Is nobody before it? */
bool turn_has_come(const struct turn *turn);

/* Calls back once, from turn_leave of another, when the turn has come; NULL cancels. */
void turn_on_come(struct turn *turn, void (*come)(void *data), void *data);

/* Who stands at the head of its line: `work` as joined (valid until that leaves), and for how many
 * milliseconds it has had the turn. */
struct turn_holder {
    const char *work;
    uint64_t held_ms;
};
struct turn_holder turn_holder(const struct turn *turn);

/* Leaves the line, from any place in it, and frees the turn; the next one's has come if it was the first. */
void turn_leave(struct turn *turn);

#endif
