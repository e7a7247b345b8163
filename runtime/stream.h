/* Event streams (WHATWG HTML, server-sent events): responses that go on, some of them beyond the handler that
 * opened them and across generations of the scripts.
 *
 * Words used here
 *   stream    a numbered sequence of events; attached to one HTTP response at a time, or to none
 *   topic     what a stream listens to; publishing to a topic reaches streams by it
 *   tag       text that belongs to a stream and is put into what is published to it
 *   kept      a stream that remembers its newest events, so that a client which lost the connection can go
 *             on where it was; each event then has the id `<stream id>.<number>`
 *
 * Life: opened on an exchange; ended by stream_end, or, when its peer goes, at once unless it is kept. A kept
 * one lives on without a peer for STREAM_KEPT_MS after its end or the loss. All memory is bounded: what is
 * remembered per stream; what all streams remember, beyond which the one that remembers most forgets its
 * oldest events; and what waits for a slow peer, which is cut off beyond STREAM_QUEUE_BYTES.
 *
 * Everything belongs to the loop's thread. No callback runs inside a function of this header but
 * stream_hub_free: a pointer to a stream is valid until `over` is called, from the loop. */
#ifndef SANDSTORM_STREAM_H
#define SANDSTORM_STREAM_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "http.h"

#define STREAM_KEPT_MS 300000
#define STREAM_KEPT_EVENTS 256
#define STREAM_KEPT_BYTES ((size_t)4 << 20)
#define STREAM_KEPT_BYTES_OF_ALL ((size_t)64 << 20)
#define STREAM_QUEUE_BYTES ((size_t)8 << 20)
#define STREAM_TOPICS_MAX 64

struct stream;
struct stream_hub;

/* Called once, when the stream is over; it is freed afterwards. */
typedef void (*stream_over_cb)(void *data);

struct stream_options {
    const char *id;    /* unique, letters, digits, `-` and `_`; NULL: a random one if kept, else none */
    const char *owner; /* who may resume it; NULL: nobody */
    const char *tag;   /* NULL: none */
    const char *const *topics;
    size_t topic_count;
    bool kept;
    uint64_t every_ms; /* a comment line after that long without an event; 0: none */
};

/* `max` streams at most: beyond, a new one takes the place of the one that has been without a peer for
 * longest. NULL without memory. */
struct stream_hub *stream_hub_new(uv_loop_t *loop, size_t max);

/* Ends every stream and frees the hub once the loop has turned. NULL is allowed. */
void stream_hub_free(struct stream_hub *hub);

size_t stream_hub_count(const struct stream_hub *hub);

/* Begins the response on `ex` with more headers, copied. The exchange belongs to the stream from now on,
 * which also replaces the exchange's data by itself (see exchange_owner). NULL, with the exchange untouched,
 * when so many streams have a peer, the id is taken or memory is short. */
struct stream *stream_open(struct stream_hub *hub, struct http_exchange *ex,
                           const struct stream_options *options, const struct http_header *headers,
                           size_t header_count);

/* Opens a stream that has no HTTP response: the text of each event goes to `sink`, which must not call back.
 * It is never kept. NULL as for stream_open. */
struct stream *stream_open_sink(struct stream_hub *hub, const struct stream_options *options,
                                void (*sink)(void *data, const char *text, size_t len), void *data);

/* Sends an event whose data is `text`, in one `data:` line for each line of it. False when the stream has no
 * peer and is not kept. */
bool stream_send(struct stream *s, const char *text, size_t len);

/* Sends an event with an id and empty data, and the reconnection time if it is not 0: a client may reconnect
 * from here on. */
void stream_prime(struct stream *s, unsigned retry_ms);

/* Sends a comment line: a sign of life that is no event. */
void stream_comment(struct stream *s);

/* Lets the peer go while the stream, which is kept, goes on without one. */
void stream_detach(struct stream *s);

/* True while more than the connection's high-water mark waits to be sent. */
bool stream_pressed(const struct stream *s);

/* Calls back once, from the loop, when stream_pressed is false or the stream is over; replaces an earlier
 * request; NULL cancels. */
void stream_on_relief(struct stream *s, void (*relief)(void *data), void *data);

/* Ends the stream: its peer sees the end of the response. */
void stream_end(struct stream *s);

/* Tells the holder of the pointer when it becomes invalid; one holder at a time; NULL for none. */
void stream_on_over(struct stream *s, stream_over_cb over, void *data);

/* True while a peer is attached. */
bool stream_has_peer(const struct stream *s);

/* The owner given at the opening of the stream that an event id belongs to, or NULL. */
const char *stream_owner(const struct stream_hub *hub, const char *event_id);

/* Attaches a new response to the stream of that event id and sends what came after it; where some of that is
 * forgotten, a comment line says how much, and what is left follows. False, with the exchange untouched, when
 * the stream is not known any more, or never was that far. */
bool stream_resume(struct stream_hub *hub, const char *event_id, struct http_exchange *ex,
                   const struct http_header *headers, size_t header_count);

/* Sends a text, in which each STREAM_TAG_MARK becomes the stream's tag, to every stream with that topic; of
 * several with the same owner only the newest that has a peer, else the newest, gets it. Returns how many. */
size_t stream_publish(struct stream_hub *hub, const char *topic, const char *text);
#define STREAM_TAG_MARK '\1'

/* Sends to one stream with that topic: the newest one that has a peer, else the newest kept one. */
bool stream_send_one(struct stream_hub *hub, const char *topic, const char *text, size_t len);

/* Ends every stream with that topic, after sending `text` as in stream_publish unless it is NULL. Returns how
 * many. */
size_t stream_end_topic(struct stream_hub *hub, const char *topic, const char *text);

/* Ends every stream: the peers see the end of their responses. */
void stream_end_all(struct stream_hub *hub);

/* What the data pointer of an exchange points to, as its first member. */
struct exchange_owner {
    void (*gone)(struct exchange_owner *self); /* the peer has vanished */
};

#endif
