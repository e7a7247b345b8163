#include "inbox.h"

#include <stdlib.h>
#include <string.h>

struct inbox {
    struct inbox_table *table;
    struct inbox *next, *prev;
    char *keys[INBOX_KEYS_MAX];
    size_t key_count, message_count;
    struct inbox_message *first, **last;
    void (*arrived)(void *data);
    void *data;
};

struct inbox_table {
    struct inbox *first;
};

struct inbox_table *inbox_table_new(void)
{
    return calloc(1, sizeof(struct inbox_table));
}

void inbox_table_free(struct inbox_table *table)
{
    free(table);
}

struct inbox *inbox_open(struct inbox_table *table)
{
    struct inbox *inbox = calloc(1, sizeof *inbox);
    if (inbox == NULL) return NULL;
    inbox->table = table;
    inbox->last = &inbox->first;
    inbox->next = table->first;
    if (inbox->next != NULL) inbox->next->prev = inbox;
    table->first = inbox;
    return inbox;
}

void inbox_close(struct inbox *inbox)
{
    if (inbox->prev != NULL)
        inbox->prev->next = inbox->next;
    else
        inbox->table->first = inbox->next;
    if (inbox->next != NULL) inbox->next->prev = inbox->prev;
    for (size_t i = 0; i < inbox->key_count; i++)
        free(inbox->keys[i]);
    for (struct inbox_message *m; (m = inbox_take(inbox)) != NULL;)
        free(m);
    free(inbox);
}

static struct inbox *find(const struct inbox_table *table, const char *key)
{
    for (struct inbox *inbox = table->first; inbox != NULL; inbox = inbox->next)
        for (size_t i = 0; i < inbox->key_count; i++)
            if (strcmp(inbox->keys[i], key) == 0) return inbox;
    return NULL;
}

bool inbox_listen(struct inbox *inbox, const char *key)
{
    if (inbox->key_count == INBOX_KEYS_MAX || find(inbox->table, key) != NULL) return false;
    char *copy = strdup(key);
    if (copy == NULL) return false;
    inbox->keys[inbox->key_count++] = copy;
    return true;
}

struct inbox_message *inbox_take(struct inbox *inbox)
{
    struct inbox_message *m = inbox->first;
    if (m == NULL) return NULL;
    inbox->first = m->next;
    if (inbox->first == NULL) inbox->last = &inbox->first;
    inbox->message_count--;
    return m;
}

void inbox_on_message(struct inbox *inbox, void (*arrived)(void *data), void *data)
{
    inbox->arrived = arrived;
    inbox->data = data;
}

bool inbox_deliver(struct inbox_table *table, const char *key, const char *data, size_t len)
{
    struct inbox *inbox = find(table, key);
    size_t key_size = strlen(key) + 1;
    if (inbox == NULL || inbox->message_count == INBOX_MESSAGES_MAX) return false;
    struct inbox_message *m = malloc(sizeof *m + len + key_size);
    if (m == NULL) return false;
    *m = (struct inbox_message){.key = m->data + len, .len = len};
    if (len > 0) memcpy(m->data, data, len);
    memcpy(m->key, key, key_size);
    *inbox->last = m;
    inbox->last = &m->next;
    inbox->message_count++;
    void (*arrived)(void *data) = inbox->arrived;
    inbox->arrived = NULL;
    if (arrived != NULL) arrived(inbox->data);
    return true;
}
