/* SPDX-License-Identifier: Apache-2.0 */
/* Finds typical values of the features of a model: the thresholds of its trees, the means and
 * standard deviations of its equations and transforms. */
#include "exchange/probes.h"

#include "base/memory.h"
#include "learners/adaboost/votes.h"
#include "learners/gaussians/gaussians.h"
#include "learners/m5/m5.h"
#include "model/forest_node.h"

#include <float.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

size_t gr_probe_column(const gr_probe_values *values, size_t feature)
{
    size_t low = 0, high = values->columns;

    while (low < high) {
        const size_t middle = low + (high - low) / 2;

        if (values->features[middle] < feature)
            low = middle + 1;
        else
            high = middle;
    }
    return low < values->columns && values->features[low] == feature ? low : SIZE_MAX;
}

const gr_fitted_transform *gr_probe_transform(const gradus_model *model, const gr_node *node)
{
    const gr_fitted_transform *fitted = node->transform ? node->transform : &model->transform;

    return fitted->transform && !fitted->transform->by_query ? fitted : NULL;
}

/* Integers in the order of floats; -0 comes before 0. */
static int64_t position_of(float number)
{
    int32_t bits;

    memcpy(&bits, &number, sizeof bits);
    return bits < 0 ? (int64_t)INT32_MIN - bits - 1 : bits;
}

static float float_at(int64_t position)
{
    const int32_t bits = (int32_t)(position < 0 ? (int64_t)INT32_MIN - position - 1 : position);
    float number;

    memcpy(&number, &bits, sizeof number);
    return number;
}

float gr_probe_cut(const gr_fitted_transform *transform, size_t feature, float threshold)
{
    const double shift = transform ? transform->shift[feature] : 0.0;
    const double unit = transform ? transform->unit[feature] : 1.0;
    int64_t low = position_of(-FLT_MAX), high = position_of(FLT_MAX);

    if (!transform || !(unit > 0.0))
        return threshold;
    while (low < high) {
        const int64_t middle = low + (high - low) / 2;

        if ((float)(((double)float_at(middle) - shift) / unit) < threshold)
            low = middle + 1;
        else
            high = middle;
    }
    return float_at(low);
}

/* A cut of a column, or what is known of its values. */
typedef struct search {
    const gradus_model *model;
    gr_probe_values *values;
    bool
        counting; /* starts[c + 1] counts the cuts of column c; else starts[c] is their next index */
} search;

static size_t feature_of(const gr_node *node, size_t feature)
{
    return node->columns ? node->columns[feature] : feature;
}

static void add_cut(const search *s, const gr_node *node, size_t feature, float threshold)
{
    const size_t column = gr_probe_column(s->values, feature_of(node, feature));

    if (column == SIZE_MAX || !isfinite(threshold))
        return;
    if (s->counting)
        s->values->starts[column + 1]++;
    else
        s->values->cuts[s->values->starts[column]++] =
            gr_probe_cut(gr_probe_transform(s->model, node), feature, threshold);
}

static gr_probe_trees trees_of_forest(const gr_forest *forest)
{
    return (gr_probe_trees){ forest->trees, forest->starts, forest->splits };
}

gr_probe_trees gr_probe_trees_of(const gr_node *node)
{
    if (node->kind == &gr_node_forest)
        return trees_of_forest(gr_forest_node_forest(node));
    if (node->kind == &gr_node_m5)
        return trees_of_forest(&((const gr_m5 *)node->state)->forest);
    if (node->kind == &gr_node_votes) {
        const gr_votes *votes = node->state;

        return (gr_probe_trees){ votes->rounds, votes->starts, votes->splits };
    }
    return (gr_probe_trees){ .count = 0 };
}

static void add_trees(const search *s, const gr_node *node)
{
    const gr_probe_trees trees = gr_probe_trees_of(node);

    for (size_t i = 0; trees.count > 0 && i < trees.starts[trees.count]; i++)
        add_cut(s, node, trees.splits[i].feature, trees.splits[i].threshold);
}

static void add_gaussians(const search *s, const gr_node *node)
{
    const gr_gaussians *g = node->state;

    for (size_t i = 0; i < g->terms; i++) {
        add_cut(s, node, (size_t)g->term[i].feature, (float)g->term[i].centre);
        add_cut(s, node, (size_t)g->term[i].feature,
                (float)(g->term[i].centre + g->term[i].bandwidth));
    }
}

static void add_cuts(const search *s)
{
    for (size_t n = 0; n < s->model->node_count; n++) {
        const gr_node *node = &s->model->nodes[n];

        add_trees(s, node);
        if (node->kind == &gr_node_gaussians)
            add_gaussians(s, node);
    }
}

static int compare_floats(const void *a, const void *b)
{
    const float left = *(const float *)a, right = *(const float *)b;

    return (left > right) - (left < right);
}

/* Sorts the cuts of each column and removes duplicates. */
static void sort_cuts(gr_probe_values *values)
{
    size_t kept = 0, first = 0;

    for (size_t c = 0; c < values->columns; c++) {
        const size_t end = values->starts[c + 1], begin = kept;

        qsort(values->cuts + first, end - first, sizeof *values->cuts, compare_floats);
        for (size_t i = first; i < end; i++)
            if (kept == begin || values->cuts[i] != values->cuts[kept - 1])
                values->cuts[kept++] = values->cuts[i];
        first = end;
        values->starts[c] = begin;
    }
    values->starts[values->columns] = kept;
}

static gradus_status find_cuts(search *s, gradus_error *err)
{
    gr_probe_values *values = s->values;

    s->counting = true;
    add_cuts(s);
    for (size_t c = 0; c < values->columns; c++)
        values->starts[c + 1] += values->starts[c];
    values->cuts = gr_new_array(values->starts[values->columns], sizeof *values->cuts);
    if (!values->cuts)
        return gr_fail_memory(err, "a parity file");
    s->counting = false;
    add_cuts(s); /* moves the start of each column to its end */
    for (size_t c = values->columns; c > 0; c--)
        values->starts[c] = values->starts[c - 1];
    values->starts[0] = 0;
    sort_cuts(values);
    return GRADUS_OK;
}

/* Means and deviations of the rows that a node takes, in terms of the raw values. */
static void add_equation(const search *s, const gr_node *node)
{
    const gr_fitted_transform *transform = gr_probe_transform(s->model, node);
    const size_t features = gr_node_features(s->model, node);
    const double *means = NULL, *spreads = NULL;
    bool known =
        node->kind->equation && node->kind->equation(node->state, 0, NULL, NULL, &means, &spreads);

    known = known && means && spreads;
    for (size_t f = 0; (known || transform) && f < features; f++) {
        const size_t column = gr_probe_column(s->values, feature_of(node, f));
        const double shift = transform ? transform->shift[f] : 0.0;
        const double unit = transform ? transform->unit[f] : 1.0;

        if (column == SIZE_MAX)
            continue;
        s->values->centre[column] = shift + unit * (known ? means[f] : 0.0);
        s->values->scale[column] = unit * (known ? spreads[f] : 1.0);
    }
}

static void find_scales(const search *s)
{
    gr_probe_values *values = s->values;

    for (size_t c = 0; c < values->columns; c++) {
        const size_t count = values->starts[c + 1] - values->starts[c];
        const float *cuts = values->cuts + values->starts[c];

        if (count > 0) {
            const double low = (double)cuts[0], high = (double)cuts[count - 1];

            values->centre[c] = low / 2 + high / 2;
            values->scale[c] = high > low ? high / 2 - low / 2 : fabs(low) / 8;
        }
        if (!(values->scale[c] > 0.0) || !isfinite(values->scale[c]))
            values->scale[c] = 1.0;
        if (!isfinite(values->centre[c]))
            values->centre[c] = 0.0;
    }
}

gradus_status gr_probe_values_find(const gradus_model *model, const gr_probes *probes,
                                   gr_probe_values *values, gradus_error *err)
{
    search s = { .model = model, .values = values };

    *values = (gr_probe_values){ .features = probes->features, .columns = probes->columns };
    values->starts = calloc(probes->columns + 1, sizeof *values->starts);
    values->centre = calloc(probes->columns + 1, sizeof *values->centre);
    values->scale = calloc(probes->columns + 1, sizeof *values->scale);
    if (!values->starts || !values->centre || !values->scale)
        return gr_fail_memory(err, "a parity file");
    for (size_t n = 0; n < model->node_count; n++)
        if (gr_node_takes_rows(&model->nodes[n]))
            add_equation(&s, &model->nodes[n]);
    GR_TRY(find_cuts(&s, err));
    find_scales(&s);
    return GRADUS_OK;
}

void gr_probe_values_free(gr_probe_values *values)
{
    free(values->starts);
    free(values->cuts);
    free(values->centre);
    free(values->scale);
    *values = (gr_probe_values){ .columns = 0 };
}
