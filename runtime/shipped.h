/* Where the shipped scripts lie: beside the build folder in a source tree, in share/sandstorm-mcp of an
 * installation. */
#ifndef SANDSTORM_SHIPPED_H
#define SANDSTORM_SHIPPED_H

#include <stdbool.h>
#include <stddef.h>

struct config;

/* Fills the absolute paths of the root script file and of the library folder: what the settings name, else
 * what belongs to this program file. False: one line in `error` says what is missing. */
bool shipped_find(const struct config *config, char *tools, size_t tools_size, char *library,
                  size_t library_size, char *error, size_t error_size);

#endif
