/* Reading one setting's text. Thread-safe. */
#ifndef SANDSTORM_CONFIG_VALUE_H
#define SANDSTORM_CONFIG_VALUE_H

#include "config.h"

/* A whole number in decimal digits: blanks around and single `_` between digits are fine; with `unit` also
 * one K, M or G (powers of 1024) behind it. False for anything else and beyond 64 bits. */
bool config_read_number(const char *text, bool unit, int64_t *out);

/* A copy of `path`, put behind the working directory if it is relative. The caller frees; NULL when there is
 * no memory or no working directory. */
char *config_absolute(const char *path);

/* Stores `text` in the entry's field. False: one line in `error`, which names `source` (an option or a
 * variable) and what is expected. The entry must not be a secret. */
bool config_store(struct config *config, const struct config_entry *entry, const char *source,
                  const char *text, struct buf *error);

#endif
