/* The commands that run once, without a server: check, call, run. */
#ifndef SANDSTORM_LUA_CLI_H
#define SANDSTORM_LUA_CLI_H

#include "host.h"

/* Runs the command that host->config names. tools, library: absolute paths. Returns the exit status. Prints
 * results on stdout and errors on stderr. */
int lua_cli(struct host *host, const char *tools, const char *library);

#endif
