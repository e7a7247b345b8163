/* The scripts: which generation of the VM serves, and how the next one takes over.
 *
 * A change of any file that the current generation was made from, of the folders they lie in, or SIGHUP
 * starts a reading on the thread pool; the loop goes on serving. If it succeeds the new VM takes over in one
 * step: calls that run finish on the old VM, which is freed with its last fiber. If it fails the current VM
 * stays and the failure is kept for /health and the log. Watching: inotify on the folders (an editor's rename
 * replaces the inode, not the folder) and behind it a slow poll of the modification times, for file systems
 * without inotify.
 *
 * Everything here belongs to the loop's thread. */
#ifndef SANDSTORM_SCRIPTS_H
#define SANDSTORM_SCRIPTS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "host.h"

struct scripts;
struct vm;

/* root, library: absolute paths, copied. `changed` (may be NULL) is called after each takeover with the VM
 * that serves now. Reads the first generation at once, on this thread; NULL and `error` on failure. */
struct scripts *scripts_new(struct host *host, const char *root, const char *library,
                            void (*changed)(void *data, struct vm *vm), void *data, char *error,
                            size_t error_size);

/* Starts to watch the files. */
void scripts_watch(struct scripts *s);

/* The VM for new work; never NULL. */
struct vm *scripts_vm(struct scripts *s);

/* Reads again now, whether or not a file changed (SIGHUP). */
void scripts_reload(struct scripts *s);

/* Why the newest reading failed, one line; NULL when the newest reading serves. Valid until the loop turns.
 */
const char *scripts_error(const struct scripts *s);

/* Stops every fiber of every generation with `reason`. */
void scripts_stop_fibers(struct scripts *s, const char *reason);

/* Stops the fibers with that tag (fiber_set_tag) in every generation; returns how many. */
unsigned scripts_stop_tagged(struct scripts *s, const char *tag, const char *reason);

/* How many fibers with that tag there are in all generations. */
unsigned scripts_count_tagged(const struct scripts *s, const char *tag);

/* Fibers that run in any generation. */
unsigned scripts_live(const struct scripts *s);

/* Closes the watchers and timers, and what fibers keep in the current VM: none may be live. The loop must be
 * run until it has no active handle before scripts_free. */
void scripts_close(struct scripts *s);

/* Frees all VMs; no fiber may be live. NULL is allowed. */
void scripts_free(struct scripts *s);

#endif
