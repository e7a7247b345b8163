#include "stream.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "clock.h"
#include "stream_internal.h"

static void write_data(struct buf *out, const char *text, size_t len)
{
    do {
        const char *end = memchr(text, '\n', len);
        size_t line = end != NULL ? (size_t)(end - text) : len;
        buf_puts(out, "data: ");
        buf_add(out, text, line);
        buf_byte(out, '\n');
        size_t used = end != NULL ? line + 1 : line;
        text += used;
        len -= used;
    } while (len > 0);
}

static size_t size_of(const struct event *e)
{
    return sizeof *e + e->len;
}

void stream_forget_event(struct stream *s)
{
    struct event *e = s->first;
    s->first = e->next;
    if (s->first == NULL) s->last = NULL;
    s->event_count--;
    s->event_bytes -= size_of(e);
    s->hub->event_bytes -= size_of(e);
    free(e);
}

static struct stream *largest(const struct stream_hub *hub)
{
    struct stream *found = hub->streams;
    for (struct stream *s = hub->streams; s != NULL; s = s->next)
        if (s->event_bytes > found->event_bytes) found = s;
    return found;
}

static void forget_what_is_too_much(struct stream *s)
{
    while (s->event_count > STREAM_KEPT_EVENTS || (s->event_bytes > STREAM_KEPT_BYTES && s->event_count > 1))
        stream_forget_event(s);
    while (s->hub->event_bytes > STREAM_KEPT_BYTES_OF_ALL)
        stream_forget_event(largest(s->hub));
}

static void keep_event(struct stream *s, const struct buf *wire)
{
    struct event *e = malloc(sizeof *e + wire->len);
    if (e == NULL) return;
    *e = (struct event){.number = s->number, .len = wire->len};
    memcpy(e->bytes, wire->data, wire->len);
    if (s->last != NULL)
        s->last->next = e;
    else
        s->first = e;
    s->last = e;
    s->event_count++;
    s->event_bytes += size_of(e);
    s->hub->event_bytes += size_of(e);
    forget_what_is_too_much(s);
}

static void write_wire(struct stream *s, const char *bytes, size_t len)
{
    s->idle_since_ns = clock_ns();
    if (s->exchange != NULL && !http_stream_send(s->exchange, bytes, len)) s->pressed = s->exchange != NULL;
}

/* `prefix`: lines before the data. */
static bool send_event(struct stream *s, const char *prefix, const char *text, size_t len)
{
    if (s->sink != NULL && !s->ended) s->sink(s->sink_data, text, len);
    if (s->sink != NULL) return !s->ended;
    if (s->ended || (s->exchange == NULL && !s->kept)) return false;
    struct buf wire = BUF_INIT;
    s->number++;
    buf_puts(&wire, prefix);
    if (s->id != NULL) buf_printf(&wire, "id: %s.%llu\n", s->id, (unsigned long long)s->number);
    write_data(&wire, text, len);
    buf_byte(&wire, '\n');
    if (!wire.failed) {
        if (s->kept) keep_event(s, &wire);
        write_wire(s, wire.data, wire.len);
    }
    buf_free(&wire);
    return true;
}

static void tell_lost(struct stream *s, uint64_t count)
{
    char comment[64];
    int len = snprintf(comment, sizeof comment, ": %llu events are lost\n\n", (unsigned long long)count);
    write_wire(s, comment, (size_t)len);
}

void stream_replay(struct stream *s, uint64_t number)
{
    for (const struct event *e = s->first; e != NULL; e = e->next) {
        if (e->number <= number) continue;
        if (e->number > number + 1) tell_lost(s, e->number - number - 1);
        write_wire(s, e->bytes, e->len);
        number = e->number;
    }
    if (number < s->number) tell_lost(s, s->number - number);
}

bool stream_send(struct stream *s, const char *text, size_t len)
{
    return send_event(s, "event: message\n", text, len);
}

void stream_prime(struct stream *s, unsigned retry_ms)
{
    char retry[32] = "";
    if (retry_ms != 0) snprintf(retry, sizeof retry, "retry: %u\n", retry_ms);
    send_event(s, retry, "", 0);
}

void stream_comment(struct stream *s)
{
    static const char comment[] = ": working\n\n";
    s->idle_since_ns = clock_ns();
    if (s->exchange != NULL) http_stream_send(s->exchange, comment, sizeof comment - 1);
}

static bool has_topic(const struct stream *s, const char *topic)
{
    for (size_t i = 0; i < s->topic_count; i++)
        if (strcmp(s->topics[i], topic) == 0) return true;
    return false;
}

static void send_tagged(struct stream *s, const char *text)
{
    struct buf out = BUF_INIT;
    for (const char *mark; (mark = strchr(text, STREAM_TAG_MARK)) != NULL; text = mark + 1) {
        buf_add(&out, text, (size_t)(mark - text));
        if (s->tag != NULL) buf_puts(&out, s->tag);
    }
    buf_puts(&out, text);
    if (!out.failed) stream_send(s, out.len > 0 ? out.data : "", out.len);
    buf_free(&out);
}

/* Of several streams with one owner and topic the one that hears of it: the newest that has a peer, else the
 * newest. */
static bool is_heard(const struct stream *s, const char *topic)
{
    if (s->owner == NULL) return true;
    bool older = false;
    for (const struct stream *t = s->hub->streams; t != NULL; t = t->next) {
        if (t == s) {
            older = true;
        } else if (!t->ended && t->owner != NULL && strcmp(t->owner, s->owner) == 0 && has_topic(t, topic)) {
            bool better = t->exchange != NULL && s->exchange == NULL;
            bool as_good = (t->exchange != NULL) == (s->exchange != NULL);
            if (better || (as_good && !older)) return false;
        }
    }
    return true;
}

size_t stream_publish(struct stream_hub *hub, const char *topic, const char *text)
{
    size_t sent = 0;
    for (struct stream *s = hub->streams; s != NULL; s = s->next) {
        if (s->ended || !has_topic(s, topic) || !is_heard(s, topic)) continue;
        send_tagged(s, text);
        sent++;
    }
    return sent;
}

bool stream_send_one(struct stream_hub *hub, const char *topic, const char *text, size_t len)
{
    struct stream *kept = NULL;
    for (struct stream *s = hub->streams; s != NULL; s = s->next) {
        if (s->ended || !has_topic(s, topic)) continue;
        if (stream_has_peer(s)) return stream_send(s, text, len);
        if (kept == NULL && s->kept) kept = s;
    }
    return kept != NULL && stream_send(kept, text, len);
}

size_t stream_end_topic(struct stream_hub *hub, const char *topic, const char *text)
{
    size_t ended = 0;
    for (struct stream *s = hub->streams; s != NULL; s = s->next) {
        if (s->ended || !has_topic(s, topic)) continue;
        if (text != NULL) send_tagged(s, text);
        s->kept = false;
        stream_end(s);
        ended++;
    }
    return ended;
}
