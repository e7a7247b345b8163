/* Reading one setting's text. Thread-safe. */
#ifndef SANDSTORM_CONFIG_VALUE_H
#define SANDSTORM_CONFIG_VALUE_H

#include "config.h"

/* Stores `text` in the entry's field. False: one line in `error`, which names `source` (an option or a
 * variable) and what is expected. The entry must not be a secret. */
bool config_store(struct config *config, const struct config_entry *entry, const char *source,
                  const char *text, struct buf *error);

#endif
