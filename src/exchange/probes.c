/* SPDX-License-Identifier: Apache-2.0 */
/* Makes rows of probe values and their scores. A row of typical values follows a random path through
 * one of the trees, so that together the rows reach many leaves. */
#include "exchange/probes.h"

#include "base/memory.h"
#include "base/rng.h"
#include "model/predict.h"
#include "model/uses.h"

#include <float.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

typedef enum probe_kind {
    TYPICAL,
    AT_CUTS, /* every value that has cuts is one of them, */
    BELOW,   /* or the float before it, */
    ABOVE,   /* or the float after it */
    MISSING, /* three of ten values are missing */
    ALL_MISSING,
    ZEROS,
    MINUS_ZEROS,
    SOME_ZEROS, /* half of the values are 0 or -0 */
    HUGE_VALUES,
    MIXED
} probe_kind;

static const struct {
    probe_kind kind;
    size_t rows;
} plan[] = {
    { TYPICAL, 84 },   { AT_CUTS, 28 },    { BELOW, 20 }, { ABOVE, 20 },
    { MISSING, 14 },   { ALL_MISSING, 1 }, { ZEROS, 1 },  { MINUS_ZEROS, 1 },
    { SOME_ZEROS, 7 }, { HUGE_VALUES, 8 }, { MIXED, 16 },
};

typedef struct maker {
    const gradus_model *model;
    const gr_probe_limits *limits;
    gr_probes *probes;
    gr_probe_values known;
    float *low, *high; /* per column: the values of a path are in [low, high) */
    gr_rng rng;
} maker;

static double uniform(maker *m)
{
    return gr_rng_uniform(&m->rng);
}

static float limited(const maker *m, double value)
{
    const float largest = m->limits->largest > 0.0f ? m->limits->largest : FLT_MAX;

    return value > (double)largest ? largest : value < -(double)largest ? -largest : (float)value;
}

static float any_cut(maker *m, size_t column)
{
    const size_t first = m->known.starts[column], count = m->known.starts[column + 1] - first;

    return m->known.cuts[first + gr_rng_below(&m->rng, count)];
}

static bool has_cuts(const maker *m, size_t column)
{
    return m->known.starts[column + 1] > m->known.starts[column];
}

/* Between two cuts, beyond them, or if the column has none, normally distributed. */
static float typical(maker *m, size_t column)
{
    const double scale = m->known.scale[column];
    const size_t first = m->known.starts[column], end = m->known.starts[column + 1];
    const size_t i = first + (size_t)gr_rng_below(&m->rng, end - first + 1);

    if (!has_cuts(m, column))
        return limited(m, m->known.centre[column] + scale * gr_rng_normal(&m->rng));
    if (i == first)
        return limited(m, (double)m->known.cuts[first] - scale * uniform(m));
    if (i == end)
        return limited(m, (double)m->known.cuts[end - 1] + scale * uniform(m));
    const double low = (double)m->known.cuts[i - 1], high = (double)m->known.cuts[i];

    return limited(m, low + (high - low) * uniform(m));
}

static float huge_value(maker *m)
{
    static const float values[] = { FLT_MAX,     -FLT_MAX, 1e30f,   -1e30f,
                                    16777217.0f, -1e10f,   FLT_MIN, 1e-40f };

    return limited(m, (double)values[gr_rng_below(&m->rng, sizeof values / sizeof *values)]);
}

static float missing_value(maker *m, size_t column)
{
    return m->limits->no_missing ? typical(m, column) : NAN;
}

static probe_kind any_kind(maker *m)
{
    static const probe_kind kinds[] = { TYPICAL,     AT_CUTS, BELOW,       ABOVE,
                                        ALL_MISSING, ZEROS,   MINUS_ZEROS, HUGE_VALUES };

    return kinds[gr_rng_below(&m->rng, sizeof kinds / sizeof *kinds)];
}

static float value_of(maker *m, probe_kind kind, size_t column)
{
    const bool cuts = has_cuts(m, column);

    switch (kind) {
    case AT_CUTS:
        return cuts ? limited(m, (double)any_cut(m, column)) : typical(m, column);
    case BELOW:
        return cuts ? limited(m, (double)nextafterf(any_cut(m, column), -INFINITY))
                    : typical(m, column);
    case ABOVE:
        return cuts ? limited(m, (double)nextafterf(any_cut(m, column), INFINITY))
                    : typical(m, column);
    case MISSING:
        return uniform(m) < 0.3 ? missing_value(m, column) : typical(m, column);
    case ALL_MISSING:
        return missing_value(m, column);
    case ZEROS:
        return 0.0f;
    case MINUS_ZEROS:
        return -0.0f;
    case SOME_ZEROS:
        return uniform(m) < 0.5 ? typical(m, column) : uniform(m) < 0.5 ? 0.0f : -0.0f;
    case HUGE_VALUES:
        return huge_value(m);
    default:
        return typical(m, column);
    }
}

/* Narrows the range of a column to one side of a split. */
static void narrow(maker *m, const gr_node *node, const gr_split *at, bool left)
{
    const size_t feature = node->columns ? node->columns[at->feature] : at->feature;
    const size_t column = gr_probe_column(&m->known, feature);
    float cut;

    if (column == SIZE_MAX)
        return;
    cut = gr_probe_cut(gr_probe_transform(m->model, node), at->feature, at->threshold);
    if (left && cut < m->high[column])
        m->high[column] = cut;
    if (!left && cut > m->low[column])
        m->low[column] = cut;
}

/* A value in [low, high), which is not empty. */
static float between(maker *m, size_t column)
{
    const float low = m->low[column], high = m->high[column];
    const double step = m->known.scale[column] * uniform(m);
    float value;

    if (low > -INFINITY && high < INFINITY)
        value = (float)((double)low + ((double)high - (double)low) * uniform(m));
    else
        value = low > -INFINITY ? limited(m, (double)low + step) : limited(m, (double)high - step);
    return value < high && value >= low ? value : low > -INFINITY ? low : nextafterf(high, low);
}

/* Changes a row so that it takes a random path through a tree, as far as that is possible. */
static void follow_path(maker *m, const gr_node *node, const gr_split *splits, float *row)
{
    int32_t next = 0;

    for (size_t c = 0; c < m->known.columns; c++) {
        m->low[c] = -INFINITY;
        m->high[c] = INFINITY;
    }
    while (next >= 0) {
        const gr_split *at = &splits[next];
        const bool left = gr_rng_word(&m->rng) & 1;

        narrow(m, node, at, left);
        next = left ? at->left : at->right;
    }
    for (size_t c = 0; c < m->known.columns; c++)
        if ((m->low[c] > -INFINITY || m->high[c] < INFINITY) && m->low[c] < m->high[c])
            row[c] = limited(m, (double)between(m, c));
}

/* The splits of a random tree of the model; NULL: it has no tree, or the tree has no split. */
static const gr_split *any_tree(maker *m, const gr_node **node)
{
    const gradus_model *model = m->model;
    uint64_t trees = 0, chosen;

    for (size_t n = 0; n < model->node_count; n++)
        trees += gr_probe_trees_of(&model->nodes[n]).count;
    if (trees == 0)
        return NULL;
    chosen = gr_rng_below(&m->rng, trees);
    for (size_t n = 0; n < model->node_count; n++) {
        const gr_probe_trees of = gr_probe_trees_of(&model->nodes[n]);

        if (chosen < of.count) {
            *node = &model->nodes[n];
            return of.starts[chosen] < of.starts[chosen + 1] ? of.splits + of.starts[chosen] : NULL;
        }
        chosen -= of.count;
    }
    return NULL;
}

static void fill_row(maker *m, probe_kind kind, float *row)
{
    const gr_node *node = NULL;
    const gr_split *splits = kind == TYPICAL ? any_tree(m, &node) : NULL;

    for (size_t c = 0; c < m->probes->columns; c++)
        row[c] = value_of(m, kind == MIXED ? any_kind(m) : kind, c);
    if (splits)
        follow_path(m, node, splits, row);
}

/* All features, or those with the largest gains. */
static int by_gain(const void *a, const void *b)
{
    const gradus_feature_use *left = a, *right = b;

    if (left->gain != right->gain)
        return left->gain < right->gain ? 1 : -1;
    return left->feature > right->feature ? 1 : -1;
}

static int by_number(const void *a, const void *b)
{
    const uint32_t left = *(const uint32_t *)a, right = *(const uint32_t *)b;

    return (left > right) - (left < right);
}

static gradus_status list_used(const gradus_model *model, gr_probes *probes, gradus_error *err)
{
    gradus_feature_use *uses = gr_new_array(gr_model_max_uses(model) + 1, sizeof *uses);
    gradus_status status = uses ? GRADUS_OK : gr_fail_memory(err, "a parity file");
    size_t count = 0;

    if (status == GRADUS_OK)
        status = gr_model_uses(model, uses, &count, err);
    if (status == GRADUS_OK) {
        qsort(uses, count, sizeof *uses, by_gain);
        probes->columns = count < GR_PROBE_FEATURES ? count : GR_PROBE_FEATURES;
        for (size_t c = 0; c < probes->columns; c++)
            probes->features[c] = (uint32_t)uses[c].feature;
        if (probes->columns == 0)
            probes->columns = 1; /* feature 0 */
        qsort(probes->features, probes->columns, sizeof *probes->features, by_number);
    }
    free(uses);
    return status;
}

static gradus_status list_features(const gradus_model *model, gr_probes *probes, gradus_error *err)
{
    probes->features = gr_new_array(GR_PROBE_FEATURES, sizeof *probes->features);
    if (!probes->features)
        return gr_fail_memory(err, "a parity file");
    if (model->features > GR_PROBE_FEATURES)
        return list_used(model, probes, err);
    probes->columns = model->features;
    for (size_t c = 0; c < probes->columns; c++)
        probes->features[c] = (uint32_t)c;
    return GRADUS_OK;
}

/* Scores the rows as sparse data. *finite: all scores are. */
static gradus_status score_rows(const gradus_model *model, gr_probes *probes,
                                const gradus_arrays *arrays, bool *finite, gradus_error *err)
{
    gradus_error found = { GRADUS_OK, "" };
    gradus_dataset *data = gradus_dataset_borrow(arrays, &found);
    const gradus_status status =
        data ? gr_model_run(model, data, NULL, probes->scores, NULL, &found) : found.status;

    gradus_dataset_free(data);
    *finite = status == GRADUS_OK;
    if (status == GRADUS_OK || status == GRADUS_BAD_NUMBER)
        return GRADUS_OK;
    return gr_fail(err, status, "%s", found.message);
}

/* Replaces rows whose score is not finite by typical ones, or if that is no use by zeros. */
static void replace_rows(maker *m, size_t trial)
{
    enum { TRIALS = 3 };

    for (size_t r = 0; r < m->probes->rows; r++)
        if (!isfinite(m->probes->scores[r]))
            fill_row(m, trial < TRIALS ? TYPICAL : ZEROS,
                     m->probes->values + r * m->probes->columns);
}

static gradus_status score(maker *m, gradus_error *err)
{
    enum { TRIALS = 5 };
    gr_probes *probes = m->probes;
    const size_t rows = probes->rows, columns = probes->columns;
    uint64_t *starts = gr_new_array(rows + 1, sizeof *starts);
    uint32_t *features = gr_new_array(rows * columns, sizeof *features);
    float *labels = gr_new_array(rows, sizeof *labels);
    const gradus_arrays arrays = { .rows = rows,
                                   .features = m->model->features,
                                   .row_starts = starts,
                                   .columns = features,
                                   .entries = probes->values,
                                   .labels = labels };
    gradus_status status = GRADUS_OK;
    bool finite = false;

    if (!starts || !features || !labels)
        status = gr_fail_memory(err, "a parity file");
    for (size_t r = 0; status == GRADUS_OK && r < rows; r++) {
        starts[r + 1] = (r + 1) * columns;
        memcpy(features + r * columns, probes->features, columns * sizeof *features);
    }
    for (size_t trial = 0; status == GRADUS_OK && !finite && trial < TRIALS; trial++) {
        if (trial > 0)
            replace_rows(m, trial);
        status = score_rows(m->model, probes, &arrays, &finite, err);
    }
    if (status == GRADUS_OK && !finite)
        status = gr_fail(err, GRADUS_BAD_NUMBER,
                         "the model has no finite scores to write a parity file with");
    free(starts);
    free(features);
    free(labels);
    return status;
}

static gradus_status make_rows(maker *m, gradus_error *err)
{
    gr_probes *probes = m->probes;
    size_t row = 0;

    probes->rows = GRADUS_PARITY_ROWS;
    probes->values = gr_new_array(probes->rows * probes->columns, sizeof *probes->values);
    probes->scores = gr_new_array(probes->rows, sizeof *probes->scores);
    m->low = gr_new_array(probes->columns, sizeof *m->low);
    m->high = gr_new_array(probes->columns, sizeof *m->high);
    if (!probes->values || !probes->scores || !m->low || !m->high)
        return gr_fail_memory(err, "a parity file");
    for (size_t p = 0; p < sizeof plan / sizeof *plan; p++)
        for (size_t i = 0; i < plan[p].rows; i++)
            fill_row(m, plan[p].kind, probes->values + row++ * probes->columns);
    return score(m, err);
}

gradus_status gr_probes_make(const gradus_model *model, const gr_probe_limits *limits,
                             gr_probes *probes, gradus_error *err)
{
    maker m = { .model = model,
                .limits = limits,
                .probes = probes,
                .rng = gr_rng_for(model->fingerprint, "parity", model->features) };
    gradus_status status;

    *probes = (gr_probes){ .rows = 0 };
    status = list_features(model, probes, err);
    if (status == GRADUS_OK)
        status = gr_probe_values_find(model, probes, &m.known, err);
    if (status == GRADUS_OK)
        status = make_rows(&m, err);
    gr_probe_values_free(&m.known);
    free(m.low);
    free(m.high);
    return status;
}

void gr_probes_free(gr_probes *probes)
{
    free(probes->features);
    free(probes->values);
    free(probes->scores);
    *probes = (gr_probes){ .rows = 0 };
}
