#include "stream.h"

#include <stdlib.h>
#include <string.h>

#include "base64.h"
#include "clock.h"
#include "crypto.h"
#include "stream_internal.h"

#define TICK_MS 500
#define ID_BYTES 12

/* ---- life -------------------------------------------------------------------------------------------- */

static void on_tick(uv_timer_t *timer);

/* What ends a stream, or wakes who waits for it, happens from the loop: the callbacks may do anything to any
 * stream. */
static void sweep_soon(struct stream_hub *hub)
{
    uv_timer_start(&hub->timer, on_tick, 0, TICK_MS);
}

static void free_texts(struct stream *s)
{
    while (s->first != NULL)
        stream_forget_event(s);
    for (size_t i = 0; i < s->topic_count; i++)
        free(s->topics[i]);
    free(s->id);
    free(s->owner);
    free(s->tag);
}

static void uncount(struct stream *s)
{
    if (!s->uncounted) s->hub->count--;
    s->uncounted = true;
}

/* Its place is free; the loop destroys it. */
static void give_up(struct stream *s)
{
    s->kept = false;
    uncount(s);
    sweep_soon(s->hub);
}

static void destroy(struct stream *s)
{
    struct stream_hub *hub = s->hub;
    uncount(s);
    if (s->prev != NULL)
        s->prev->next = s->next;
    else
        hub->streams = s->next;
    if (s->next != NULL) s->next->prev = s->prev;
    if (s->relief != NULL) s->relief(s->relief_data);
    if (s->over != NULL) s->over(s->over_data);
    free_texts(s);
    free(s);
}

/* The response ends, whether or not somebody still reads it. */
static void release_peer(struct stream *s)
{
    s->sink = NULL;
    if (s->exchange == NULL) return;
    struct http_exchange *ex = s->exchange;
    s->exchange = NULL;
    s->pressed = false;
    s->lost_ns = clock_ns();
    http_exchange_set_data(ex, NULL);
    http_stream_end(ex);
    sweep_soon(s->hub);
}

static void on_gone(struct exchange_owner *self)
{
    release_peer((struct stream *)self);
}

void stream_end(struct stream *s)
{
    s->ended = true;
    release_peer(s);
    s->lost_ns = clock_ns();
    sweep_soon(s->hub);
}

void stream_detach(struct stream *s)
{
    if (s->kept) release_peer(s);
}

void stream_end_all(struct stream_hub *hub)
{
    for (struct stream *s = hub->streams; s != NULL; s = s->next)
        stream_end(s);
}

static bool is_over(const struct stream *s, uint64_t now)
{
    if (s->exchange != NULL || s->sink != NULL) return false;
    return !s->kept || now - s->lost_ns > STREAM_KEPT_MS * UINT64_C(1000000);
}

/* Looks after one stream; true if a callback ran, after which any stream may be gone. */
static bool look_after(struct stream *s, uint64_t now)
{
    if (s->exchange != NULL && http_stream_queued(s->exchange) > STREAM_QUEUE_BYTES) release_peer(s);
    if (is_over(s, now)) {
        destroy(s);
        return true;
    }
    if (s->relief != NULL && !s->pressed) {
        void (*relief)(void *data) = s->relief;
        s->relief = NULL;
        relief(s->relief_data);
        return true;
    }
    if (s->every_ns != 0 && now - s->idle_since_ns >= s->every_ns) stream_comment(s);
    return false;
}

static void on_tick(uv_timer_t *timer)
{
    struct stream_hub *hub = timer->data;
    uint64_t now = clock_ns();
    struct stream *s = hub->streams;
    while (s != NULL)
        s = look_after(s, now) ? hub->streams : s->next;
}

struct stream_hub *stream_hub_new(uv_loop_t *loop, size_t max)
{
    struct stream_hub *hub = calloc(1, sizeof *hub);
    if (hub == NULL) return NULL;
    hub->max = max;
    uv_timer_init(loop, &hub->timer);
    hub->timer.data = hub;
    uv_timer_start(&hub->timer, on_tick, TICK_MS, TICK_MS);
    uv_unref((uv_handle_t *)&hub->timer);
    return hub;
}

static void on_hub_closed(uv_handle_t *handle)
{
    free(handle->data);
}

void stream_hub_free(struct stream_hub *hub)
{
    if (hub == NULL) return;
    while (hub->streams != NULL) {
        release_peer(hub->streams);
        destroy(hub->streams);
    }
    uv_close((uv_handle_t *)&hub->timer, on_hub_closed);
}

size_t stream_hub_count(const struct stream_hub *hub)
{
    return hub->count;
}

/* ---- opening ----------------------------------------------------------------------------------------- */

static char *copy(const char *text, bool *failed)
{
    if (text == NULL) return NULL;
    char *made = strdup(text);
    if (made == NULL) *failed = true;
    return made;
}

static struct stream *find_id(const struct stream_hub *hub, const char *id, size_t len)
{
    for (struct stream *s = hub->streams; s != NULL; s = s->next)
        if (s->id != NULL && strlen(s->id) == len && memcmp(s->id, id, len) == 0) return s;
    return NULL;
}

/* One that nobody can guess. */
static char *new_id(bool *failed)
{
    unsigned char bytes[ID_BYTES];
    size_t size = base64_size(BASE64_URL, sizeof bytes);
    char *id = *failed || !crypto_random(bytes, sizeof bytes) ? NULL : malloc(size + 1);
    *failed = id == NULL;
    if (*failed) return NULL;
    base64_write(BASE64_URL, bytes, sizeof bytes, id);
    id[size] = '\0';
    return id;
}

static struct stream *make(struct stream_hub *hub, const struct stream_options *options)
{
    struct stream *s = calloc(1, sizeof *s);
    bool failed = s == NULL;
    if (failed) return NULL;
    s->owner_of_exchange.gone = on_gone;
    s->hub = hub;
    s->id = options->kept && options->id == NULL ? new_id(&failed) : copy(options->id, &failed);
    s->owner = copy(options->owner, &failed);
    s->tag = copy(options->tag, &failed);
    for (size_t i = 0; i < options->topic_count && i < STREAM_TOPICS_MAX && !failed; i++)
        s->topics[s->topic_count++] = copy(options->topics[i], &failed);
    s->kept = options->kept;
    s->every_ns = options->every_ms * 1000000;
    if (!failed) return s;
    free_texts(s);
    free(s);
    return NULL;
}

static void on_drained(void *data)
{
    struct stream *s = data;
    s->pressed = false;
    sweep_soon(s->hub);
}

static void attach(struct stream *s, struct http_exchange *ex, const struct http_header *headers,
                   size_t count)
{
    const struct http_response head = {
        .status = 200, .content_type = "text/event-stream", .headers = headers, .header_count = count};
    s->exchange = ex;
    s->idle_since_ns = clock_ns();
    http_exchange_set_data(ex, s);
    http_stream_begin(ex, &head);
    http_stream_on_drained(ex, on_drained, s);
}

static void link_stream(struct stream *s)
{
    s->next = s->hub->streams;
    if (s->next != NULL) s->next->prev = s;
    s->hub->streams = s;
    s->hub->count++;
}

/* False when every stream has a peer; else the one that lost it first makes room. */
static bool has_room(struct stream_hub *hub)
{
    if (hub->count < hub->max) return true;
    struct stream *lost = NULL;
    for (struct stream *s = hub->streams; s != NULL; s = s->next)
        if (!stream_has_peer(s) && !s->uncounted && (lost == NULL || s->lost_ns < lost->lost_ns)) lost = s;
    if (lost != NULL) give_up(lost);
    return lost != NULL;
}

struct stream *stream_open(struct stream_hub *hub, struct http_exchange *ex,
                           const struct stream_options *options, const struct http_header *headers,
                           size_t header_count)
{
    if (options->id != NULL && find_id(hub, options->id, strlen(options->id)) != NULL) return NULL;
    if (!has_room(hub)) return NULL;
    struct stream *s = make(hub, options);
    if (s == NULL) return NULL;
    link_stream(s);
    attach(s, ex, headers, header_count);
    return s;
}

struct stream *stream_open_sink(struct stream_hub *hub, const struct stream_options *options,
                                void (*sink)(void *data, const char *text, size_t len), void *data)
{
    struct stream *s = has_room(hub) ? make(hub, options) : NULL;
    if (s == NULL) return NULL;
    s->kept = false;
    s->sink = sink;
    s->sink_data = data;
    link_stream(s);
    return s;
}

bool stream_pressed(const struct stream *s)
{
    return s->pressed;
}

void stream_on_relief(struct stream *s, void (*relief)(void *data), void *data)
{
    s->relief = relief;
    s->relief_data = data;
}

void stream_on_over(struct stream *s, stream_over_cb over, void *data)
{
    s->over = over;
    s->over_data = data;
}

bool stream_has_peer(const struct stream *s)
{
    return s->exchange != NULL || s->sink != NULL;
}

/* ---- resuming ---------------------------------------------------------------------------------------- */

static struct stream *find_event(const struct stream_hub *hub, const char *event_id, uint64_t *number)
{
    const char *dot = strrchr(event_id, '.');
    if (dot == NULL || dot[1] < '0' || dot[1] > '9') return NULL;
    char *end;
    *number = strtoull(dot + 1, &end, 10);
    return *end == '\0' ? find_id(hub, event_id, (size_t)(dot - event_id)) : NULL;
}

const char *stream_owner(const struct stream_hub *hub, const char *event_id)
{
    uint64_t number;
    const struct stream *s = find_event(hub, event_id, &number);
    return s != NULL ? s->owner : NULL;
}

bool stream_resume(struct stream_hub *hub, const char *event_id, struct http_exchange *ex,
                   const struct http_header *headers, size_t header_count)
{
    uint64_t number;
    struct stream *s = find_event(hub, event_id, &number);
    if (s == NULL || !s->kept || number > s->number) return false;
    release_peer(s);
    attach(s, ex, headers, header_count);
    stream_replay(s, number);
    if (s->ended) release_peer(s);
    return true;
}
