/* Keeps in metrics and audit log what was decided about a bearer. */
#ifndef SANDSTORM_AUTH_NOTE_H
#define SANDSTORM_AUTH_NOTE_H

#include "auth.h"

struct host;
struct http_request;

/* `area`: "mcp" or "session". Counts every decision; refusals of a bearer, or of none, go to the audit log
 * with address, method and path, never with what was offered. */
void auth_note(struct host *host, const char *area, enum auth_result result,
               const struct http_request *request);

#endif
