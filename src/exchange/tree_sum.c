/* SPDX-License-Identifier: Apache-2.0 */
/* Builds tree sums. Transforms move into the thresholds: they are monotone functions of a float, so
 * that a bisection over all floats finds the smallest one whose transformed value does not go
 * left. */
#include "exchange/tree_sum.h"

#include "exchange/score_terms.h"
#include "model/forest_node.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const char *const holds = "sums of trees";

/* What happens to a feature before it is compared: the transforms of the model and of the node;
 * NULL: none. */
typedef struct scaling {
    const gr_fitted_transform *first, *second;
    const uint32_t *columns; /* of the node; NULL: all features */
} scaling;

static bool is_fitted(const gr_fitted_transform *fitted)
{
    return fitted && fitted->transform;
}

/* The value of feature f of a node, given that of its feature in the rows. */
static float scaled(const scaling *s, size_t f, float value)
{
    if (is_fitted(s->first))
        value = gr_transform_value(s->first, s->columns ? s->columns[f] : f, value);
    return is_fitted(s->second) ? gr_transform_value(s->second, f, value) : value;
}

/* Floats other than NaN in ascending order are numbered from 0 (-INFINITY). */
enum { INFINITE_BITS = 0x7f800000 };

static float float_number(uint32_t number)
{
    const bool negative = number <= INFINITE_BITS;
    const uint32_t bits =
        negative ? (uint32_t)INFINITE_BITS - number : number - (uint32_t)INFINITE_BITS - 1;
    float value;

    memcpy(&value, &bits, sizeof value);
    return negative ? -value : value;
}

/* The threshold for values of the rows: the smallest float whose scaled value is not below the
 * threshold. That of INFINITY never is. */
static float unscaled(const scaling *s, size_t f, float threshold)
{
    uint32_t low = 0, high = 2 * (uint32_t)INFINITE_BITS + 1;

    if (!is_fitted(s->first) && !is_fitted(s->second))
        return threshold;
    while (low < high) {
        const uint32_t middle = low + (high - low) / 2;

        if (scaled(s, f, float_number(middle)) < threshold)
            low = middle + 1;
        else
            high = middle;
    }
    const float found = float_number(low);

    return found == 0.0f ? 0.0f : found;
}

/* Adds a tree of a forest. */
static gradus_status add_tree(gr_tree_sum *sum, const gr_forest *from, size_t t, const scaling *s,
                              gradus_error *err)
{
    const size_t start = (size_t)from->starts[t], splits = (size_t)from->starts[t + 1] - start;
    gr_split *added;

    GR_TRY(gr_forest_add(&sum->forest, from->splits + start, splits + 1, from->leaves + start + t,
                         from->covers + start + t, err));
    added = sum->forest.splits + sum->forest.starts[sum->forest.trees - 1];
    for (size_t i = 0; i < splits; i++) {
        const size_t f = added[i].feature;

        added[i].threshold = unscaled(s, f, added[i].threshold);
        added[i].feature = s->columns ? s->columns[f] : (uint32_t)f;
    }
    return GRADUS_OK;
}

static gradus_status check_transform(const gr_fitted_transform *fitted, const char *format,
                                     gradus_error *err)
{
    if (!is_fitted(fitted))
        return GRADUS_OK;
    if (fitted->transform->by_query)
        return gr_fail(err, GRADUS_BAD_ARGUMENT,
                       "the transform '%s' depends on the other documents of the query, which "
                       "'%s' does not see",
                       fitted->transform->about.name, format);
    for (size_t f = 0; f < fitted->features; f++)
        if (!(fitted->unit[f] >= 0.0))
            return gr_fail(err, GRADUS_BAD_ARGUMENT,
                           "the transform '%s' reverses feature %zu (unit %g), which '%s' cannot "
                           "express for infinite values",
                           fitted->transform->about.name, f + 1, fitted->unit[f], format);
    return GRADUS_OK;
}

/* The trees of a model's terms. */
typedef struct gathering {
    const gradus_model *model;
    const char *format;
    const gr_score_terms *terms;
    gr_tree_sum *sum;
    size_t trees; /* weights filled in */
} gathering;

static gradus_status add_forest(gathering *g, const gr_node *node, gradus_error *err)
{
    const gr_forest *forest = gr_forest_node_forest(node);
    const double *weights = g->terms->weights + node->column;
    const scaling s = { &g->model->transform, node->transform, node->columns };

    GR_TRY(check_transform(s.first, g->format, err));
    GR_TRY(check_transform(s.second, g->format, err));
    for (size_t k = 0; k < forest->outputs; k++) {
        if (weights[k] == 0.0)
            continue;
        g->sum->base += weights[k] * forest->bases[k];
        for (size_t t = k; t < forest->trees; t += forest->outputs) {
            GR_TRY(add_tree(g->sum, forest, t, &s, err));
            g->sum->weights[g->trees++] = weights[k];
            g->sum->weighted = g->sum->weighted || weights[k] != 1.0;
        }
    }
    return GRADUS_OK;
}

/* Visits the nodes with a weight and adds their trees. count: only counts them, as an upper bound. */
static gradus_status gather(gathering *g, bool count, gradus_error *err)
{
    char found[80];

    for (size_t n = 0; n < g->model->node_count; n++) {
        const gr_node *node = &g->model->nodes[n];
        bool used = false;

        for (size_t k = 0; k < node->kind->columns(node->state); k++)
            used = used || g->terms->weights[node->column + k] != 0.0;
        if (!used)
            continue;
        if (node->kind != &gr_node_forest) {
            snprintf(found, sizeof found, "a %.60s", node->kind->noun);
            return gr_fail_format(g->format, holds, found, err);
        }
        if (count)
            g->trees += gr_forest_node_forest(node)->trees;
        else
            GR_TRY(add_forest(g, node, err));
    }
    return GRADUS_OK;
}

static gradus_status build(gathering *g, gradus_error *err)
{
    GR_TRY(gather(g, true, err));
    g->sum->weights = gr_new_array(g->trees + GR_BASE_TREES, sizeof *g->sum->weights);
    if (!g->sum->weights)
        return gr_fail_memory(err, "trees");
    GR_TRY(gr_forest_start(&g->sum->forest, g->model->features, 1, (double[]){ 0.0 }, err));
    g->trees = 0;
    GR_TRY(gather(g, false, err));
    return isfinite(g->sum->base)
               ? GRADUS_OK
               : gr_fail(err, GRADUS_BAD_NUMBER, "the sum of the model's base scores overflows");
}

gradus_status gr_tree_sum_build(const gradus_model *model, const char *format, gr_tree_sum *sum,
                                gradus_error *err)
{
    gr_score_terms terms;
    gradus_status status;

    *sum = (gr_tree_sum){ 0 };
    status = gr_score_terms_build(model, format, holds, &terms, err);
    sum->base = terms.constant;
    if (status == GRADUS_OK)
        status = build(&(gathering){ model, format, &terms, sum, 0 }, err);
    gr_score_terms_free(&terms);
    return status;
}

/* Adds a tree of one leaf, reached by all training rows. */
static gradus_status add_leaf(gr_forest *forest, const gradus_model *model, float value,
                              gradus_error *err)
{
    const uint32_t rows = model->rows < UINT32_MAX ? (uint32_t)model->rows : UINT32_MAX;

    if (!isfinite(value))
        return gr_fail(err, GRADUS_BAD_NUMBER, "the base score is too large for a float");
    return gr_forest_add(forest, NULL, 1, &value, &rows, err);
}

/* Adds the base as trees of one leaf: floats whose sum it is, or the leaf 1, to be weighted by it. */
static gradus_status add_base(gr_forest *forest, const gradus_model *model, double base,
                              bool floats, gradus_error *err)
{
    double rest = base;

    if (!floats)
        return add_leaf(forest, model, 1.0f, err);
    do {
        const float part = (float)rest;

        GR_TRY(add_leaf(forest, model, part, err));
        rest -= (double)part;
    } while ((float)rest != 0.0f && forest->trees < GR_BASE_TREES);
    return GRADUS_OK;
}

static gradus_status add_all(gr_forest *forest, const gr_forest *from, gradus_error *err)
{
    for (size_t t = 0; t < from->trees; t++) {
        const size_t first = (size_t)from->starts[t];

        GR_TRY(gr_forest_add(forest, from->splits + first, (size_t)from->starts[t + 1] - first + 1,
                             from->leaves + first + t, from->covers + first + t, err));
    }
    return GRADUS_OK;
}

gradus_status gr_tree_sum_fold_base(gr_tree_sum *sum, const gradus_model *model, bool floats,
                                    gradus_error *err)
{
    gr_forest folded;
    gradus_status status;

    if (sum->base == 0.0 && sum->forest.trees)
        return GRADUS_OK;
    GR_TRY(gr_forest_start(&folded, sum->forest.features, 1, (double[]){ 0.0 }, err));
    status = add_base(&folded, model, sum->base, floats, err);
    const size_t added = folded.trees;

    if (status == GRADUS_OK)
        status = add_all(&folded, &sum->forest, err);
    if (status != GRADUS_OK) {
        gr_forest_free(&folded);
        return status;
    }
    memmove(sum->weights + added, sum->weights, sum->forest.trees * sizeof *sum->weights);
    for (size_t t = 0; t < added; t++)
        sum->weights[t] = floats ? 1.0 : sum->base;
    sum->weighted = sum->weighted || !floats;
    gr_forest_free(&sum->forest);
    sum->forest = folded;
    sum->base = 0.0;
    return GRADUS_OK;
}

void gr_tree_sum_free(gr_tree_sum *sum)
{
    gr_forest_free(&sum->forest);
    free(sum->weights);
    *sum = (gr_tree_sum){ 0 };
}
