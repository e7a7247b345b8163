#include "grants.h"

#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "buf.h"
#include "clock.h"
#include "grants_file.h"
#include "json.h"
#include "json_object.h"

#define GRANTS_MAX 2048
#define USE_EVERY_S 3600
#define COMPACT_BYTES (INT64_C(1) << 20)
#define SAVE_EVERY_NS (UINT64_C(5) * 1000000000)

struct grants {
    struct grants_file file;
    struct grant *items;
    size_t count, cap;
    int64_t not_before_ms; /* families that began up to then are refused */
    bool unsaved;          /* the list says something that the file does not */
    uint64_t saved_last;   /* when that was tried; clock_ns */
};

/* ---- the list ---------------------------------------------------------------------------------------- */

static struct grant *find(struct grants *g, const char *id)
{
    for (size_t i = 0; i < g->count; i++)
        if (strcmp(g->items[i].id, id) == 0) return &g->items[i];
    return NULL;
}

static bool is_over(const struct grant *grant)
{
    return grant->finish != 0 && grant->finish <= (int64_t)time(NULL);
}

/* Makes room by dropping what has ended, or else the oldest. A revoked one that is dropped takes everything
 * that began before it along, so that nothing revoked comes back. */
static void drop_one(struct grants *g)
{
    struct grant *victim = &g->items[0];
    for (size_t i = 1; i < g->count && !is_over(victim); i++)
        if (is_over(&g->items[i]) || g->items[i].start_ms < victim->start_ms) victim = &g->items[i];
    if (victim->revoked && !is_over(victim) && victim->start_ms > g->not_before_ms)
        g->not_before_ms = victim->start_ms;
    *victim = g->items[--g->count];
}

static struct grant *make(struct grants *g, const char *id)
{
    if (g->count == GRANTS_MAX) drop_one(g);
    if (g->count == g->cap) {
        size_t cap = g->cap == 0 ? 16 : g->cap * 2;
        struct grant *items = realloc(g->items, cap * sizeof *items);
        if (items == NULL) return NULL;
        g->items = items;
        g->cap = cap;
    }
    struct grant *grant = &g->items[g->count++];
    *grant = (struct grant){.revoked = false};
    snprintf(grant->id, sizeof grant->id, "%s", id);
    return grant;
}

static struct grant *find_or_make(struct grants *g, const char *id)
{
    struct grant *grant = find(g, id);
    return grant != NULL ? grant : make(g, id);
}

/* ---- lines ------------------------------------------------------------------------------------------- */

/* One line of the file. */
struct line {
    char op[16];
    struct grant grant;
    int64_t at;
};

static void copy(const struct json_member *m, char *out, size_t size)
{
    if (m->kind == JSON_MEMBER_TEXT) snprintf(out, size, "%s", m->text);
}

static void on_member(void *data, const struct json_member *m)
{
    struct line *line = data;
    if (strcmp(m->name, "op") == 0) copy(m, line->op, sizeof line->op);
    if (strcmp(m->name, "id") == 0) copy(m, line->grant.id, sizeof line->grant.id);
    if (strcmp(m->name, "name") == 0) copy(m, line->grant.name, sizeof line->grant.name);
    if (strcmp(m->name, "where") == 0) copy(m, line->grant.where, sizeof line->grant.where);
    if (strcmp(m->name, "start_ms") == 0) line->grant.start_ms = m->integer;
    if (strcmp(m->name, "finish") == 0) line->grant.finish = m->integer;
    if (strcmp(m->name, "at") == 0) line->at = m->integer;
}

static void describe(struct grant *grant, const struct grant *from)
{
    memcpy(grant->name, from->name, sizeof grant->name);
    memcpy(grant->where, from->where, sizeof grant->where);
    grant->start_ms = from->start_ms;
    grant->finish = from->finish;
}

static void revoke_begun_by(struct grants *g, int64_t at)
{
    if (at > g->not_before_ms) g->not_before_ms = at;
    for (size_t i = 0; i < g->count; i++)
        if (g->items[i].start_ms <= at) g->items[i].revoked = true;
}

static void apply(struct grants *g, const struct line *line)
{
    const char *op = line->op, *id = line->grant.id;
    if (strcmp(op, "revoke_all") == 0) revoke_begun_by(g, line->at);
    if (id[0] == '\0') return;
    struct grant *grant = strcmp(op, "use") == 0 ? find(g, id) : find_or_make(g, id);
    if (grant == NULL) return;
    if (strcmp(op, "grant") == 0) describe(grant, &line->grant);
    if (strcmp(op, "use") == 0 && line->at > grant->used) grant->used = grant->used_written = line->at;
    if (strcmp(op, "revoke") == 0) grant->revoked = true;
    if (grant->finish == 0) grant->finish = line->grant.finish;
    if (grant->start_ms != 0 && grant->start_ms <= g->not_before_ms) grant->revoked = true;
}

/* A line that is none of ours is passed over. */
static void apply_line(void *data, const char *text, size_t len)
{
    struct line line = {.at = 0};
    if (json_object_read(text, len, on_member, &line)) apply(data, &line);
}

static void forget(void *data)
{
    struct grants *g = data;
    if (g->unsaved) return;
    g->count = 0;
    g->not_before_ms = 0;
}

static void add_member(struct buf *out, const char *name, const char *text)
{
    buf_printf(out, ",\"%s\":", name);
    json_text_quote(out, text, strlen(text));
}

static void write_grant(struct buf *out, const struct grant *grant)
{
    buf_puts(out, "{\"op\":\"grant\"");
    add_member(out, "id", grant->id);
    add_member(out, "name", grant->name);
    add_member(out, "where", grant->where);
    buf_printf(out, ",\"start_ms\":%lld,\"finish\":%lld}\n", (long long)grant->start_ms,
               (long long)grant->finish);
}

static void write_op(struct buf *out, const char *op, const char *id, const char *number, int64_t value)
{
    buf_printf(out, "{\"op\":\"%s\"", op);
    if (id != NULL) add_member(out, "id", id);
    buf_printf(out, ",\"%s\":%lld}\n", number, (long long)value);
}

static void write_all(struct grants *g, struct buf *out)
{
    if (g->not_before_ms > 0) write_op(out, "revoke_all", NULL, "at", g->not_before_ms);
    for (size_t i = 0; i < g->count; i++) {
        struct grant *grant = &g->items[i];
        if (is_over(grant)) continue;
        write_grant(out, grant);
        if (grant->used > 0) write_op(out, "use", grant->id, "at", grant->used);
        if (grant->revoked) write_op(out, "revoke", grant->id, "finish", grant->finish);
        grant->used_written = grant->used;
    }
}

/* Appends the lines, after all that the file lacks from before. */
static bool append(struct grants *g, const struct grants_reader *reader, const struct buf *lines,
                   bool durable)
{
    struct buf all = BUF_INIT;
    if (grants_file_is_gone(&g->file)) g->unsaved = true;
    if (g->unsaved) write_all(g, &all);
    buf_add(&all, lines->data, lines->len);
    bool ok = !all.failed && !lines->failed &&
              grants_file_append(&g->file, reader, all.data, all.len, durable || g->unsaved);
    int problem = errno;
    buf_free(&all);
    errno = problem;
    return ok;
}

/* Appends and applies the lines: through the file, or only in memory where that cannot be written. */
static bool commit(struct grants *g, struct buf *lines, bool durable)
{
    const struct grants_reader reader = {.data = g, .forget = forget, .line = apply_line};
    bool ok = append(g, &reader, lines, durable);
    int problem = errno;
    if (!ok) grants_file_lines(&reader, lines->data, lines->len);
    g->unsaved = !ok;
    g->saved_last = clock_ns();
    buf_clear(lines);
    if (ok && grants_file_size(&g->file) > COMPACT_BYTES) {
        write_all(g, lines);
        grants_file_replace(&g->file, &reader, lines);
    }
    buf_free(lines);
    errno = problem;
    return ok;
}

static void look(struct grants *g)
{
    const struct grants_reader reader = {.data = g, .forget = forget, .line = apply_line};
    struct buf nothing = BUF_INIT;
    if (g->unsaved && clock_ns() - g->saved_last >= SAVE_EVERY_NS) commit(g, &nothing, true);
    grants_file_read(&g->file, &reader);
}

/* ---- for others -------------------------------------------------------------------------------------- */

struct grants *grants_new(const char *folder)
{
    struct grants *g = calloc(1, sizeof *g);
    if (g == NULL || !grants_file_init(&g->file, folder, GRANTS_FILE)) {
        free(g);
        return NULL;
    }
    look(g);
    return g;
}

void grants_free(struct grants *g)
{
    struct buf lines = BUF_INIT;
    if (g == NULL) return;
    for (size_t i = 0; i < g->count; i++) {
        const struct grant *grant = &g->items[i];
        if (grant->used > grant->used_written) write_op(&lines, "use", grant->id, "at", grant->used);
    }
    if (lines.len > 0 || g->unsaved) commit(g, &lines, false);
    grants_file_free(&g->file);
    free(g->items);
    free(g);
}

bool grants_add(struct grants *g, const struct grant *grant)
{
    struct buf lines = BUF_INIT;
    write_grant(&lines, grant);
    return commit(g, &lines, false);
}

bool grants_revoke(struct grants *g, const char *id, int64_t finish)
{
    struct buf lines = BUF_INIT;
    write_op(&lines, "revoke", id, "finish", finish);
    return commit(g, &lines, true);
}

bool grants_revoke_all(struct grants *g, int64_t now_ms)
{
    struct buf lines = BUF_INIT;
    write_op(&lines, "revoke_all", NULL, "at", now_ms);
    return commit(g, &lines, true);
}

void grants_use(struct grants *g, const char *id, int64_t now)
{
    struct buf lines = BUF_INIT;
    struct grant *grant = find(g, id);
    if (grant == NULL || now <= grant->used) return;
    grant->used = now;
    if (now - grant->used_written < USE_EVERY_S) return;
    grant->used_written = now; /* also where it cannot be written: no try for each request */
    write_op(&lines, "use", id, "at", now);
    commit(g, &lines, false);
}

int64_t grants_not_before(struct grants *g)
{
    look(g);
    return g->not_before_ms;
}

bool grants_refuse(struct grants *g, const char *id, int64_t start_ms)
{
    look(g);
    const struct grant *grant = find(g, id);
    return start_ms <= g->not_before_ms || (grant != NULL && grant->revoked);
}

const struct grant *grants_find(struct grants *g, const char *id)
{
    look(g);
    return find(g, id);
}

bool grants_readable(const struct grants *g)
{
    return grants_file_readable(&g->file);
}

const struct grant *grants_list(struct grants *g, size_t *count)
{
    look(g);
    *count = g->count;
    return g->items;
}
