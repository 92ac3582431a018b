/* SPDX-License-Identifier: Apache-2.0 */
/* SGD steps, compiled from sgd_walk_body.h and adagrad_body.h for float and for double weights. */
#include "learners/sgd/sgd_state.h"

#include "base/math.h"

#include <math.h>
#include <string.h>

enum { LINE = 64, MAX_LINES = 16 };

/* Prefetches a row of an upcoming step into the second-level cache. Each step prefetches one row
 * before it reads its own rows and the other before it writes, which spreads the memory
 * requests. */
static inline void ask_for(const gradus_arrays *arrays, uint32_t r)
{
    const gr_row_values row = gr_sgd_row(arrays, r);
    const size_t bytes = row.count * sizeof(float);

    for (size_t at = 0; at < bytes && at < LINE * MAX_LINES; at += LINE) {
        __builtin_prefetch((const char *)row.values + at, 0, 2);
        if (row.columns)
            __builtin_prefetch((const char *)row.columns + at, 0, 2);
    }
}

static inline void ask_for_first(const gradus_arrays *arrays, const gr_draw *draw)
{
    if (draw->b != GR_LIST)
        ask_for(arrays, draw->a);
}

static inline void ask_for_second(const gradus_arrays *arrays, const gr_draw *draw)
{
    if (draw->b != GR_LIST && draw->b != GR_NO_ROW)
        ask_for(arrays, draw->b);
}

/* The negative derivative of the loss at margin z; the step adds it times the row. */
static double pull_of(gr_sgd_loss loss, double target, double z)
{
    if (loss == GR_SGD_SQUARED)
        return target - z;
    if (loss == GR_SGD_LOGISTIC)
        return target - 1.0 / (1.0 + gr_exp(-z));
    return target * z < 1.0 ? target : 0.0;
}

static double finite_or_0(float value)
{
    return isfinite(value) ? (double)value : 0.0;
}

/* Whether rows must be processed entry by entry (hashed, or sparse with values that are not
 * finite). */
static inline bool is_slow(const gr_sgd *sgd)
{
    return sgd->bits || (sgd->careful && sgd->arrays->row_starts);
}

/* Entry i of a row, and the index of its weight. */
static inline float entry_of(const gr_sgd *sgd, const gr_row_values *row, size_t i, size_t *at)
{
    const size_t feature = row->columns ? row->columns[i] : i;
    const float value = isfinite(row->values[i]) ? row->values[i] : 0.0f;
    float sign = 1.0f;

    *at = sgd->bits ? gr_hash_bucket(feature, sgd->bits, &sign) : feature;
    return sign * value;
}

static double eta_of(const gr_sgd *sgd, double lambda, uint64_t step)
{
    const double size = sgd->task.options->step_size;

    switch (sgd->task.options->rule) {
    case GR_STEPS_PEGASOS:
        return 1.0 / (lambda * (double)step);
    case GR_STEPS_SQRT:
        return size / sqrt((double)step);
    case GR_STEPS_INVERSE:
        return size / (size + (double)step);
    default:
        return size;
    }
}

/* Replaces the scores z of a list by the negative gradient of its loss: softmax(targets) -
 * softmax(z). */
static void pull_list(const gr_sgd *sgd, const gr_equation *equation, const uint32_t *rows,
                      size_t count, double *z)
{
    double most = z[0], highest = gr_sgd_target(sgd, equation, rows[count - 1]);
    double sum = 0.0, targets = 0.0;

    for (size_t i = 0; i < count; i++) {
        const double target = gr_sgd_target(sgd, equation, rows[i]);

        most = z[i] > most ? z[i] : most;
        highest = target > highest ? target : highest;
    }
    for (size_t i = 0; i < count; i++) {
        targets += gr_exp(gr_sgd_target(sgd, equation, rows[i]) - highest);
        sum += z[i] = gr_exp(z[i] - most);
    }
    for (size_t i = 0; i < count; i++)
        z[i] = gr_exp(gr_sgd_target(sgd, equation, rows[i]) - highest) / targets - z[i] / sum;
}

#define REAL float
#define SMALLEST_SCALE 1e-9
#define TABLE gr_float_rows
#define VERSIONS gr_float_rows_versions
#define NAMED(name) name##_float
#include "learners/sgd/sgd_walk_body.h"
#include "learners/sgd/adagrad_body.h"
#undef REAL
#undef SMALLEST_SCALE
#undef TABLE
#undef VERSIONS
#undef NAMED

#define REAL double
#define SMALLEST_SCALE 1e-60
#define TABLE gr_double_rows
#define VERSIONS gr_double_rows_versions
#define NAMED(name) name##_double
#include "learners/sgd/sgd_walk_body.h"
#include "learners/sgd/adagrad_body.h"

gr_sgd_walker *gr_sgd_walker_of(const gr_sgd_options *options)
{
    if (options->rule == GR_STEPS_ADAGRAD)
        return options->precision == GR_SGD_FLOAT ? adagrad_float : adagrad_double;
    return options->precision == GR_SGD_FLOAT ? walk_float : walk_double;
}

void gr_walk_apply_decay(const gr_sgd *sgd, gr_walk *walk, double lambda)
{
    if (sgd->task.options->precision == GR_SGD_FLOAT)
        apply_decay_float(sgd, walk, lambda);
    else
        apply_decay_double(sgd, walk, lambda);
}

void gr_walks_join(const gr_sgd *sgd, gr_walk *walks)
{
    if (sgd->shards == 1)
        return;
    if (sgd->task.options->precision == GR_SGD_FLOAT)
        join_float(sgd, walks);
    else
        join_double(sgd, walks);
}

double gr_walk_weight(const gr_sgd *sgd, const gr_walk *walk, size_t f)
{
    if (walk->averaged)
        return walk->sums[f] / (double)walk->averaged;
    return sgd->task.options->precision == GR_SGD_FLOAT ? (double)((const float *)walk->v)[f]
                                                        : ((const double *)walk->v)[f];
}
