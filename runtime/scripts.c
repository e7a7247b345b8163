#include "scripts.h"

#include <limits.h>
#include <malloc.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "fiber.h"
#include "log.h"
#include "script_files.h"
#include "vm.h"

#define LOGGER "sandstorm_mcp.scripts"
#define SETTLE_MS 60 /* an editor writes in several steps: read once they are over */
#define POLL_MS 1000 /* for file systems without inotify */
#define SWEEP_MS 200 /* how often retired generations are looked at */
#define FOLDERS_MAX 64
#define ERROR_SIZE 512

struct folder {
    struct scripts *scripts;
    uv_fs_event_t event;
    char *path;
};

struct scripts {
    struct host *host;
    char root[PATH_MAX], library[PATH_MAX];
    void (*changed)(void *data, struct vm *vm);
    void *data;
    struct vm *current;
    struct vm *retired;
    uint64_t generation;       /* of the newest reading */
    struct script_files files; /* of the newest reading; after a failed one also those of the one before */
    char error[ERROR_SIZE];    /* "" when the newest reading serves */

    bool watching, closing;
    bool reading, read_again;
    uv_work_t work;
    struct vm *made; /* by the thread pool */
    struct script_files made_files;
    char made_error[ERROR_SIZE];
    uv_timer_t settle, poll, sweep;
    struct folder *folders[FOLDERS_MAX];
    unsigned folder_count;
};

/* ---- generations ------------------------------------------------------------------------------------- */

static void on_sweep(uv_timer_t *timer)
{
    struct scripts *s = timer->data;
    struct vm **at = &s->retired;
    while (*at != NULL) {
        struct vm *vm = *at;
        if (vm->holds > 0) {
            at = &vm->next;
            continue;
        }
        *at = vm->next;
        log_line(s->host->log, LOG_DEBUG, LOGGER, "generation %llu is closed",
                 (unsigned long long)vm->generation);
        vm_free(vm);
        malloc_trim(0); /* a generation is some megabytes in small pieces */
    }
    if (s->retired == NULL) uv_timer_stop(timer);
}

static void take_over(struct scripts *s, struct vm *vm)
{
    struct vm *old = s->current;
    s->current = vm;
    s->error[0] = '\0';
    if (old == NULL) return;
    old->retired = true;
    old->next = s->retired;
    s->retired = old;
    if (!uv_is_active((uv_handle_t *)&s->sweep)) uv_timer_start(&s->sweep, on_sweep, SWEEP_MS, SWEEP_MS);
    log_line(s->host->log, LOG_INFO, LOGGER, "generation %llu serves now",
             (unsigned long long)vm->generation);
    if (s->changed != NULL) s->changed(s->data, vm);
}

static void watch_folders(struct scripts *s);

static void on_read_work(uv_work_t *work)
{
    struct scripts *s = work->data;
    s->made = vm_new(s->host, s->generation, s->root, s->library, &s->made_files, s->made_error,
                     sizeof s->made_error);
}

static void start_reading(struct scripts *s);

static void settle_reading(struct scripts *s)
{
    if (s->made != NULL) {
        script_files_free(&s->files);
        take_over(s, s->made);
    } else {
        script_files_merge(&s->made_files, &s->files);
        snprintf(s->error, sizeof s->error, "%s", s->made_error);
        log_line(s->host->log, LOG_ERROR, LOGGER,
                 "the scripts have an error, generation %llu goes on serving: %s",
                 (unsigned long long)s->current->generation, s->error);
    }
    s->files = s->made_files;
    s->made_files.first = NULL;
    s->made = NULL;
    watch_folders(s);
}

static void on_read_done(uv_work_t *work, int status)
{
    struct scripts *s = work->data;
    (void)status;
    s->reading = false;
    if (s->closing) {
        vm_free(s->made);
        s->made = NULL;
        script_files_free(&s->made_files);
        return;
    }
    settle_reading(s);
    if (s->read_again) start_reading(s);
}

static void start_reading(struct scripts *s)
{
    s->read_again = s->reading;
    if (s->reading) return;
    s->reading = true;
    s->generation++;
    uv_queue_work(s->host->loop, &s->work, on_read_work, on_read_done);
}

/* ---- watching ---------------------------------------------------------------------------------------- */

static void read_if_changed(uv_timer_t *timer)
{
    struct scripts *s = timer->data;
    if (!s->reading && script_files_changed(&s->files)) start_reading(s);
}

static void on_folder_event(uv_fs_event_t *event, const char *name, int events, int status)
{
    struct folder *folder = event->data;
    struct scripts *s = folder->scripts;
    (void)name, (void)events, (void)status;
    if (!s->closing) uv_timer_start(&s->settle, read_if_changed, SETTLE_MS, 0);
}

static void on_folder_closed(uv_handle_t *handle)
{
    struct folder *folder = handle->data;
    free(folder->path);
    free(folder);
}

static void watch_folder(struct scripts *s, const char *path, size_t len)
{
    for (unsigned i = 0; i < s->folder_count; i++)
        if (strncmp(s->folders[i]->path, path, len) == 0 && s->folders[i]->path[len] == '\0') return;
    if (s->folder_count == FOLDERS_MAX) return;
    struct folder *folder = calloc(1, sizeof *folder);
    if (folder == NULL) return;
    folder->scripts = s;
    folder->path = strndup(path, len);
    uv_fs_event_init(s->host->loop, &folder->event);
    folder->event.data = folder;
    uv_unref((uv_handle_t *)&folder->event);
    if (folder->path == NULL || uv_fs_event_start(&folder->event, on_folder_event, folder->path, 0) != 0) {
        uv_close((uv_handle_t *)&folder->event, on_folder_closed);
        return;
    }
    s->folders[s->folder_count++] = folder;
}

static void close_folders(struct scripts *s)
{
    while (s->folder_count > 0)
        uv_close((uv_handle_t *)&s->folders[--s->folder_count]->event, on_folder_closed);
}

/* A folder may have been replaced as a whole: watch anew what is there now. */
static void watch_folders(struct scripts *s)
{
    if (!s->watching) return;
    close_folders(s);
    for (const struct script_file *f = s->files.first; f != NULL; f = f->next) {
        const char *slash = strrchr(f->path, '/');
        if (slash != NULL) watch_folder(s, f->path, slash > f->path ? (size_t)(slash - f->path) : 1);
    }
}

void scripts_watch(struct scripts *s)
{
    s->watching = true;
    watch_folders(s);
    uv_timer_start(&s->poll, read_if_changed, POLL_MS, POLL_MS);
}

/* ---- life -------------------------------------------------------------------------------------------- */

static void timer_init(struct scripts *s, uv_timer_t *timer)
{
    uv_timer_init(s->host->loop, timer);
    timer->data = s;
    uv_unref((uv_handle_t *)timer);
}

struct scripts *scripts_new(struct host *host, const char *root, const char *library,
                            void (*changed)(void *data, struct vm *vm), void *data, char *error,
                            size_t error_size)
{
    struct scripts *s = calloc(1, sizeof *s);
    snprintf(error, error_size, "not enough memory");
    if (s == NULL) return NULL;
    s->host = host;
    s->changed = changed;
    s->data = data;
    s->work.data = s;
    snprintf(s->root, sizeof s->root, "%s", root);
    snprintf(s->library, sizeof s->library, "%s", library);
    s->generation = 1;
    s->current = vm_new(host, 1, s->root, s->library, &s->files, error, error_size);
    if (s->current == NULL) {
        script_files_free(&s->files);
        free(s);
        return NULL;
    }
    timer_init(s, &s->settle);
    timer_init(s, &s->poll);
    timer_init(s, &s->sweep);
    return s;
}

struct vm *scripts_vm(struct scripts *s)
{
    return s->current;
}

void scripts_reload(struct scripts *s)
{
    start_reading(s);
}

const char *scripts_error(const struct scripts *s)
{
    return s->error[0] != '\0' ? s->error : NULL;
}

void scripts_stop_fibers(struct scripts *s, const char *reason)
{
    fiber_stop_all(s->current, reason);
    for (struct vm *vm = s->retired; vm != NULL; vm = vm->next)
        fiber_stop_all(vm, reason);
}

unsigned scripts_stop_tagged(struct scripts *s, const char *tag, const char *reason)
{
    unsigned stopped = fiber_stop_tagged(s->current, tag, reason);
    for (struct vm *vm = s->retired; vm != NULL; vm = vm->next)
        stopped += fiber_stop_tagged(vm, tag, reason);
    return stopped;
}

unsigned scripts_count_tagged(const struct scripts *s, const char *tag)
{
    unsigned count = fiber_count_tagged(s->current, tag);
    for (const struct vm *vm = s->retired; vm != NULL; vm = vm->next)
        count += fiber_count_tagged(vm, tag);
    return count;
}

unsigned scripts_live(const struct scripts *s)
{
    unsigned live = fiber_live_count(s->current);
    for (const struct vm *vm = s->retired; vm != NULL; vm = vm->next)
        live += fiber_live_count(vm);
    return live;
}

void scripts_close(struct scripts *s)
{
    s->closing = true;
    close_folders(s);
    uv_close((uv_handle_t *)&s->settle, NULL);
    uv_close((uv_handle_t *)&s->poll, NULL);
    uv_close((uv_handle_t *)&s->sweep, NULL);
    fiber_teardown(s->current);
}

void scripts_free(struct scripts *s)
{
    if (s == NULL) return;
    vm_free(s->current);
    while (s->retired != NULL) {
        struct vm *next = s->retired->next;
        vm_free(s->retired);
        s->retired = next;
    }
    script_files_free(&s->files);
    free(s);
}
