/* Who was given access and whose access ended: a short list in memory, and in one file of lines that other
 * processes append to as well (the command line, while the server runs).
 *
 *   grant   what came of one consent: a family of tokens. A family that the list does not know is as good as
 *           its signature; only what was revoked is refused.
 *
 * Lines are JSON objects: {"op":"grant"|"use"|"revoke"|"revoke_all", ...}. Every write happens under a lock
 * of the file; when it has grown it is written anew with what still counts. Where it cannot be written the
 * list lives in memory, whatever becomes of the file, and is written as soon as that can be done. Reading
 * looks at the file each time, so what another process revoked counts at once.
 *
 * Everything belongs to the loop's thread. */
#ifndef SANDSTORM_GRANTS_H
#define SANDSTORM_GRANTS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define GRANTS_FILE "grants"
#define GRANT_ID_SIZE 40
#define GRANT_TEXT_SIZE 264

struct grants;

struct grant {
    char id[GRANT_ID_SIZE];
    char name[GRANT_TEXT_SIZE];  /* of the client, by its own word */
    char where[GRANT_TEXT_SIZE]; /* where its code went */
    int64_t start_ms;            /* milliseconds since 1970 */
    int64_t finish;              /* seconds since 1970; 0: not known */
    int64_t used;                /* last use, seconds since 1970; 0: never */
    int64_t used_written;        /* the same as the file knows it */
    bool revoked;
};

/* Reads `folder`/grants where it is there. NULL without memory. */
struct grants *grants_new(const char *folder);

/* Writes last uses down and frees. NULL is allowed. */
void grants_free(struct grants *g);

/* These change the list and the file. False: the file could not be written and errno says why; the list in
 * memory is changed all the same. */
bool grants_add(struct grants *g, const struct grant *grant);
bool grants_revoke(struct grants *g, const char *id, int64_t finish);
bool grants_revoke_all(struct grants *g, int64_t now_ms);

/* A token of the grant was used. The file is told at the first use and then once an hour. */
void grants_use(struct grants *g, const char *id, int64_t now);

/* Families that began up to this time, milliseconds since 1970, are refused; 0 where nothing ever was. */
int64_t grants_not_before(struct grants *g);

/* Is the family of that id, begun at that time, refused? */
bool grants_refuse(struct grants *g, const char *id, int64_t start_ms);

/* The grant of that id, or NULL; valid until the next call. */
const struct grant *grants_find(struct grants *g, const char *id);

/* False with errno set where the file is there and cannot be read: what it says is not known then. */
bool grants_readable(const struct grants *g);

/* The list as it is now, `*count` long; valid until the next call. */
const struct grant *grants_list(struct grants *g, size_t *count);

#endif
