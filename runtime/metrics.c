#include "metrics.h"

#include <math.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

/* clang-format off */
const struct metric_family metrics_families[] = {
    {"sandstorm_build_info", METRIC_GAUGE, {"version", NULL}, "Always 1; the version is a label."},
    {"sandstorm_tool_calls_total", METRIC_COUNTER, {"tool", "outcome", NULL}, "Tool calls by how they ended."},
    {"sandstorm_tool_call_duration_seconds", METRIC_HISTOGRAM, {"tool", NULL}, "Time from a tool call to its result."},
    {"sandstorm_tool_bytes_total", METRIC_COUNTER, {"tool", "direction", NULL}, "Bytes of tool calls (in) and of their results (out)."},
    {"sandstorm_http_responses_total", METRIC_COUNTER, {"status", NULL}, "HTTP responses that were begun."},
    {"sandstorm_http_bytes_total", METRIC_COUNTER, {"direction", NULL}, "Bytes received (in) and given to the network (out)."},
    {"sandstorm_http_connections", METRIC_GAUGE, {NULL}, "Open connections."},
    {"sandstorm_streams", METRIC_GAUGE, {NULL}, "Open event streams."},
    {"sandstorm_auth_total", METRIC_COUNTER, {"area", "outcome", NULL}, "Decisions about bearers."},
    {"sandstorm_limited_total", METRIC_COUNTER, {"what", NULL}, "Requests that were told to wait (429), by what there was too much of."},
    {"sandstorm_sessions", METRIC_GAUGE, {"status", NULL}, "Sessions in the database."},
    {"sandstorm_sessions_created_total", METRIC_COUNTER, {NULL}, "Sessions that were made."},
    {"sandstorm_sessions_cleaned_total", METRIC_COUNTER, {"by", NULL}, "Sessions that were removed, by a request or the reaper."},
    {"sandstorm_session_commands_total", METRIC_COUNTER, {"outcome", NULL}, "Commands in sessions by how they ended."},
    {"sandstorm_session_command_duration_seconds", METRIC_HISTOGRAM, {NULL}, "Time that commands in sessions took."},
    {"sandstorm_processes", METRIC_GAUGE, {NULL}, "Child processes that have not ended."},
    {"sandstorm_background_jobs", METRIC_GAUGE, {NULL}, "Background jobs that run."},
    {"sandstorm_fibers", METRIC_GAUGE, {NULL}, "Handlers that run or wait."},
    {"sandstorm_lua_memory_bytes", METRIC_GAUGE, {NULL}, "Memory of the scripts that serve."},
    {"sandstorm_loop_lag_seconds", METRIC_HISTOGRAM, {NULL}, "How late the event loop was, looked at twice a second."},
    {"sandstorm_script_generation", METRIC_GAUGE, {NULL}, "Generation of the scripts that serve."},
    {"sandstorm_script_failed", METRIC_GAUGE, {NULL}, "1 while the scripts on disk have an error."},
    {"sandstorm_audit_lines_total", METRIC_COUNTER, {"outcome", NULL}, "Lines of the audit log: written, or lost."},
    {"sandstorm_metrics_dropped_total", METRIC_COUNTER, {NULL}, "Values that found no room here."},
    {"process_start_time_seconds", METRIC_GAUGE, {NULL}, "When the server started, in seconds since 1970."},
    {"process_resident_memory_bytes", METRIC_GAUGE, {NULL}, "Memory of the process."},
    {NULL, METRIC_GAUGE, {NULL}, NULL},
};

static const double borders[] = {0.001, 0.005, 0.01, 0.05, 0.1, 0.5, 1, 5, 10, 30, 60, 300};
/* clang-format on */

#define BORDERS (sizeof borders / sizeof *borders)
#define FAMILIES (sizeof metrics_families / sizeof *metrics_families - 1)

struct metric_series {
    struct metric_series *next;
    double value;      /* of a histogram: the sum */
    uint64_t *buckets; /* of a histogram: by border, the last one counts all; else NULL */
    uint64_t mark;     /* of `labels`, which differ where it does */
    char labels[];     /* `tool="x",outcome="ok"` */
};

struct metrics {
    struct metric_series *first[FAMILIES];
    size_t count[FAMILIES];
    struct buf scratch;
};

struct metrics *metrics_new(void)
{
    return calloc(1, sizeof(struct metrics));
}

static void forget(struct metrics *m, size_t place)
{
    while (m->first[place] != NULL) {
        struct metric_series *s = m->first[place];
        m->first[place] = s->next;
        free(s->buckets);
        free(s);
    }
    m->count[place] = 0;
}

void metrics_free(struct metrics *m)
{
    if (m == NULL) return;
    for (size_t i = 0; i < FAMILIES; i++)
        forget(m, i);
    buf_free(&m->scratch);
    free(m);
}

const struct metric_family *metrics_family(const char *name)
{
    for (const struct metric_family *f = metrics_families; f->name != NULL; f++)
        if (strcmp(f->name, name) == 0) return f;
    return NULL;
}

static void add_value(struct buf *out, const char *value)
{
    for (; *value != '\0'; value++) {
        if (*value == '\n')
            buf_puts(out, "\\n");
        else if (*value == '"' || *value == '\\')
            buf_printf(out, "\\%c", *value);
        else
            buf_byte(out, *value);
    }
}

/* The text of the labels, ended by NUL; NULL without memory. */
static const char *label_text(struct metrics *m, const struct metric_family *family,
                              const char *const *values)
{
    buf_clear(&m->scratch);
    for (size_t i = 0; family->labels[i] != NULL; i++) {
        if (i > 0) buf_byte(&m->scratch, ',');
        buf_puts(&m->scratch, family->labels[i]);
        buf_puts(&m->scratch, "=\"");
        add_value(&m->scratch, values[i]);
        buf_byte(&m->scratch, '"');
    }
    return buf_byte(&m->scratch, '\0') ? m->scratch.data : NULL;
}

/* FNV-1a */
static uint64_t mark_of(const char *labels)
{
    uint64_t mark = 14695981039346656037u;
    for (; *labels != '\0'; labels++)
        mark = (mark ^ (unsigned char)*labels) * 1099511628211u;
    return mark;
}

static struct metric_series *series_new(const struct metric_family *family, const char *labels)
{
    struct metric_series *s = calloc(1, sizeof *s + strlen(labels) + 1);
    if (s == NULL) return NULL;
    strcpy(s->labels, labels);
    s->mark = mark_of(labels);
    if (family->type != METRIC_HISTOGRAM) return s;
    s->buckets = calloc(BORDERS + 1, sizeof *s->buckets);
    if (s->buckets != NULL) return s;
    free(s);
    return NULL;
}

static struct metric_series *series_of(struct metrics *m, const struct metric_family *family,
                                       const char *const *values)
{
    size_t place = (size_t)(family - metrics_families);
    const char *labels = label_text(m, family, values);
    if (labels == NULL) return NULL;
    uint64_t mark = mark_of(labels);
    struct metric_series **at = &m->first[place];
    while (*at != NULL && ((*at)->mark != mark || strcmp((*at)->labels, labels) != 0))
        at = &(*at)->next;
    if (*at != NULL) return *at;
    *at = m->count[place] < METRICS_SERIES_MAX ? series_new(family, labels) : NULL;
    if (*at != NULL) m->count[place]++;
    return *at;
}

static bool is_there(struct metrics *m, const struct metric_series *series)
{
    if (series == NULL) metrics_count(m, "sandstorm_metrics_dropped_total", NULL);
    return series != NULL;
}

struct metric_series *metrics_series(struct metrics *m, const struct metric_family *family,
                                     const char *const *values)
{
    return series_of(m, family, values);
}

void metrics_series_add(struct metrics *m, struct metric_series *series, double amount)
{
    if (is_there(m, series)) series->value += amount;
}

void metrics_series_observe(struct metrics *m, struct metric_series *series, double value)
{
    if (!is_there(m, series)) return;
    series->value += value;
    series->buckets[BORDERS]++;
    for (size_t i = 0; i < BORDERS; i++)
        if (value <= borders[i]) series->buckets[i]++;
}

void metrics_add(struct metrics *m, const struct metric_family *family, const char *const *values,
                 double amount)
{
    metrics_series_add(m, series_of(m, family, values), amount);
}

void metrics_set(struct metrics *m, const struct metric_family *family, const char *const *values,
                 double value)
{
    struct metric_series *series = series_of(m, family, values);
    if (is_there(m, series)) series->value = value;
}

void metrics_observe(struct metrics *m, const struct metric_family *family, const char *const *values,
                     double value)
{
    metrics_series_observe(m, series_of(m, family, values), value);
}

void metrics_count(struct metrics *m, const char *name, const char *value)
{
    const char *values[] = {value};
    const struct metric_family *family = metrics_family(name);
    size_t place = (size_t)(family - metrics_families);
    if (family->labels[0] == NULL && m->count[place] == 0) {
        m->first[place] = series_new(family, "");
        if (m->first[place] == NULL) return;
        m->count[place] = 1;
    }
    metrics_add(m, family, values, 1);
}

void metrics_clear(struct metrics *m, const struct metric_family *family)
{
    forget(m, (size_t)(family - metrics_families));
}

/* ---- text -------------------------------------------------------------------------------------------- */

static void write_number(struct buf *out, double value)
{
    if (value == floor(value) && fabs(value) < 1e15)
        buf_printf(out, " %.0f\n", value);
    else
        buf_printf(out, " %.17g\n", value);
}

static void write_sample(struct buf *out, const char *name, const char *suffix, const char *labels,
                         double value)
{
    buf_printf(out, "%s%s", name, suffix);
    if (labels[0] != '\0') {
        buf_byte(out, '{');
        buf_puts(out, labels);
        buf_byte(out, '}');
    }
    write_number(out, value);
}

static void write_bucket(struct buf *out, const char *name, const struct metric_series *s, size_t i)
{
    buf_printf(out, "%s_bucket{", name);
    buf_puts(out, s->labels);
    if (s->labels[0] != '\0') buf_byte(out, ',');
    if (i < BORDERS)
        buf_printf(out, "le=\"%g\"}", borders[i]);
    else
        buf_puts(out, "le=\"+Inf\"}");
    write_number(out, (double)s->buckets[i]);
}

static void write_series(struct buf *out, const struct metric_family *family, const struct metric_series *s)
{
    if (s->buckets == NULL) {
        write_sample(out, family->name, "", s->labels, s->value);
        return;
    }
    for (size_t i = 0; i <= BORDERS; i++)
        write_bucket(out, family->name, s, i);
    write_sample(out, family->name, "_sum", s->labels, s->value);
    write_sample(out, family->name, "_count", s->labels, (double)s->buckets[BORDERS]);
}

void metrics_write(const struct metrics *m, struct buf *out)
{
    static const char *const types[] = {"counter", "gauge", "histogram"};
    for (size_t i = 0; i < FAMILIES; i++) {
        const struct metric_family *family = &metrics_families[i];
        if (m->first[i] == NULL) continue;
        buf_printf(out, "# HELP %s %s\n# TYPE %s %s\n", family->name, family->help, family->name,
                   types[family->type]);
        for (const struct metric_series *s = m->first[i]; s != NULL; s = s->next)
            write_series(out, family, s);
    }
}
