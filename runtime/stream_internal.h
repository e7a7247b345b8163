/* What stream.c (the life of streams) and stream_events.c (what is sent on them) share. */
#ifndef SANDSTORM_STREAM_INTERNAL_H
#define SANDSTORM_STREAM_INTERNAL_H

#include "stream.h"

struct event {
    struct event *next;
    uint64_t number;
    size_t len;
    char bytes[]; /* as on the wire */
};

struct stream {
    struct exchange_owner owner_of_exchange; /* first member */
    struct stream_hub *hub;
    struct stream *next, *prev; /* newest first */
    char *id, *owner, *tag;
    char *topics[STREAM_TOPICS_MAX];
    size_t topic_count;
    struct http_exchange *exchange;                         /* NULL without a peer */
    void (*sink)(void *data, const char *text, size_t len); /* in place of an exchange */
    void *sink_data;
    bool kept, ended, pressed;
    bool uncounted;  /* its place is free: it goes with the next turn of the loop */
    uint64_t number; /* of the newest event */
    uint64_t every_ns, idle_since_ns;
    uint64_t lost_ns; /* when the peer went or the stream ended */
    struct event *first, *last;
    size_t event_count, event_bytes;
    stream_over_cb over;
    void *over_data;
    void (*relief)(void *data);
    void *relief_data;
};

struct stream_hub {
    uv_timer_t timer;
    struct stream *streams;
    size_t count, max;
    size_t event_bytes; /* what all streams remember */
};

/* Drops the oldest remembered event. */
void stream_forget_event(struct stream *s);

/* Sends the events after `number` that are remembered to the peer, which has just been attached. */
void stream_replay(struct stream *s, uint64_t number);

#endif
