/* Figures about what the server did, for monitoring: counters, gauges and histograms in the text format of
 * Prometheus. They live below the scripts and outlive their generations. Knows no Lua.
 *
 * Words used here
 *   family  what is measured: name, type, label names; the table in metrics.c has all of them
 *   series  a family with certain values of its labels; made when it is first touched
 *
 * A family has at most METRICS_SERIES_MAX series: whoever can choose a label's value cannot fill the memory;
 * what does not fit is counted in sandstorm_metrics_dropped_total. Everything belongs to the loop's thread.
 */
#ifndef SANDSTORM_METRICS_H
#define SANDSTORM_METRICS_H

#include <stdbool.h>
#include <stddef.h>

#include "buf.h"

#define METRICS_SERIES_MAX 1000
#define METRICS_LABELS_MAX 3

enum metric_type { METRIC_COUNTER, METRIC_GAUGE, METRIC_HISTOGRAM };

struct metric_family {
    const char *name;
    enum metric_type type;
    const char *labels[METRICS_LABELS_MAX + 1]; /* names, ended by NULL */
    const char *help;
};

struct metrics;

/* NULL without memory. */
struct metrics *metrics_new(void);

/* NULL is allowed. */
void metrics_free(struct metrics *m);

/* The families, ended by one whose name is NULL. */
extern const struct metric_family metrics_families[];

/* NULL for an unknown name. */
const struct metric_family *metrics_family(const char *name);

/* Adds to a counter or gauge, sets a gauge, or puts a value into a histogram. `values` are those of the
 * labels, in the family's order. */
void metrics_add(struct metrics *m, const struct metric_family *family, const char *const *values,
                 double amount);
void metrics_set(struct metrics *m, const struct metric_family *family, const char *const *values,
                 double value);
void metrics_observe(struct metrics *m, const struct metric_family *family, const char *const *values,
                     double value);

/* A series of a counter or histogram at hand, for what is counted with every call; good until metrics_free.
 * NULL where there is no room for it: what is counted there counts as dropped. */
struct metric_series *metrics_series(struct metrics *m, const struct metric_family *family,
                                     const char *const *values);
void metrics_series_add(struct metrics *m, struct metric_series *series, double amount);
void metrics_series_observe(struct metrics *m, struct metric_series *series, double value);

/* The same as above for names that are known to be right, with one or no label. */
void metrics_count(struct metrics *m, const char *name, const char *value);

/* Forgets the series of a gauge, before those that exist now are set. */
void metrics_clear(struct metrics *m, const struct metric_family *family);

/* Appends everything as text. */
void metrics_write(const struct metrics *m, struct buf *out);

#endif
