#include "turns.h"

#include <stdlib.h>
#include <string.h>

#include "clock.h"

/* All turns stand in one list, in the order of joining: those with one key are its line. */
struct turn {
    struct turn_table *table;
    struct turn *next, *prev;
    uint64_t since_ns; /* when the turn came */
    void (*come)(void *data);
    void *data;
    const char *work; /* behind the key */
    size_t key_len;
    char key[];
};

struct turn_table {
    struct turn *first, *last;
};

struct turn_table *turn_table_new(void)
{
    return calloc(1, sizeof(struct turn_table));
}

void turn_table_free(struct turn_table *table)
{
    free(table);
}

static bool same_line(const struct turn *a, const struct turn *b)
{
    return a->key_len == b->key_len && memcmp(a->key, b->key, a->key_len) == 0;
}

static struct turn *head_of_line(const struct turn *turn)
{
    struct turn *head = turn->table->first;
    while (!same_line(head, turn))
        head = head->next;
    return head;
}

static void append(struct turn_table *table, struct turn *turn)
{
    turn->table = table;
    turn->prev = table->last;
    if (turn->prev != NULL)
        turn->prev->next = turn;
    else
        table->first = turn;
    table->last = turn;
}

struct turn *turn_join(struct turn_table *table, const char *key, size_t len, const char *work)
{
    size_t work_size = strlen(work) + 1;
    struct turn *turn = calloc(1, sizeof *turn + len + work_size);
    if (turn == NULL) return NULL;
    memcpy(turn->key, key, len);
    turn->key_len = len;
    turn->work = memcpy(turn->key + len, work, work_size);
    append(table, turn);
    turn->since_ns = clock_ns();
    return turn;
}

bool turn_has_come(const struct turn *turn)
{
    return head_of_line(turn) == turn;
}

void turn_on_come(struct turn *turn, void (*come)(void *data), void *data)
{
    turn->come = come;
    turn->data = data;
}

struct turn_holder turn_holder(const struct turn *turn)
{
    const struct turn *head = head_of_line(turn);
    return (struct turn_holder){head->work, (clock_ns() - head->since_ns) / 1000000};
}

static void unlink_turn(struct turn *turn)
{
    if (turn->prev != NULL)
        turn->prev->next = turn->next;
    else
        turn->table->first = turn->next;
    if (turn->next != NULL)
        turn->next->prev = turn->prev;
    else
        turn->table->last = turn->prev;
}

static void give_turn(struct turn *turn)
{
    void (*come)(void *data) = turn->come;
    turn->come = NULL;
    turn->since_ns = clock_ns();
    if (come != NULL) come(turn->data);
}

void turn_leave(struct turn *turn)
{
    bool was_first = turn_has_come(turn);
    struct turn *next = turn->next;
    while (next != NULL && !same_line(next, turn))
        next = next->next;
    unlink_turn(turn);
    free(turn);
    if (was_first && next != NULL) give_turn(next);
}
