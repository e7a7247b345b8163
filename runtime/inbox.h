/* Inboxes: messages from one request for a handler that waits in another, such as a client's reply to a
 * question.
 *
 * An inbox listens to keys; what is delivered to a key is queued in the inbox that listens to it, until it is
 * taken. A key has one inbox at a time. Everything belongs to the loop's thread. */
#ifndef SANDSTORM_INBOX_H
#define SANDSTORM_INBOX_H

#include <stdbool.h>
#include <stddef.h>

#define INBOX_KEYS_MAX 64
#define INBOX_MESSAGES_MAX 64

struct inbox;
struct inbox_table;

struct inbox_message {
    char *key; /* ends in NUL */
    size_t len;
    struct inbox_message *next;
    char data[];
};

struct inbox_table *inbox_table_new(void);

/* All inboxes must be closed. NULL is allowed. */
void inbox_table_free(struct inbox_table *table);

/* NULL without memory. The caller closes it. */
struct inbox *inbox_open(struct inbox_table *table);

/* Frees the inbox, its keys and messages; nobody may wait for it. */
void inbox_close(struct inbox *inbox);

/* False when the key is taken, the inbox has INBOX_KEYS_MAX keys, or memory is short. */
bool inbox_listen(struct inbox *inbox, const char *key);

/* The next message, which the caller frees with free(), or NULL. */
struct inbox_message *inbox_take(struct inbox *inbox);

/* Calls back once, when a message is delivered; NULL cancels. */
void inbox_on_message(struct inbox *inbox, void (*arrived)(void *data), void *data);

/* Queues a copy. False when nobody listens to the key, the queue is full or memory is short. */
bool inbox_deliver(struct inbox_table *table, const char *key, const char *data, size_t len);

#endif
