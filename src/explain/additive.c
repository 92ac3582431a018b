/* SPDX-License-Identifier: Apache-2.0 */
/* Targets of explanations as sums over nodes, and nodes that are sums over features. */
#include "explain/additive.h"

#include "learners/gaussians/gaussians.h"
#include "learners/linear/linear.h"
#include "learners/sgd/hashed.h"
#include "model/forest_node.h"
#include "model/members.h"
#include "model/scored_node.h"

#include <math.h>
#include <string.h>

double gr_explain_value(const gradus_model *model, const gr_explain_target *target,
                        const double *outputs, size_t stride)
{
    const gr_node *last = &model->nodes[model->node_count - 1];

    if (!target->is_score)
        return outputs[(gr_model_core(model)->column + target->output) * stride];
    return gr_scorer_score(&model->scorer, outputs + last->column * stride, stride);
}

bool gr_node_is_separable(const gr_node *node)
{
    return node->kind == &gr_node_linear || node->kind == &gr_node_hash ||
           node->kind == &gr_node_gaussians;
}

bool gr_node_is_exact(const gr_node *node)
{
    return node->kind == &gr_node_forest || gr_node_is_separable(node);
}

/* Adds `weight` times the score to the weights of its outputs; false if it is not linear in them.
 */
static bool add_scorer(const gr_scorer *scorer, double weight, double *weights)
{
    if (scorer->rule == GR_SCORE_OUTPUT) {
        weights[0] += weight;
        return true;
    }
    for (size_t k = 0; scorer->rule == GR_SCORE_SUM && k < scorer->outputs; k++)
        weights[k] += weight * (scorer->level_labels[k + 1] - scorer->level_labels[k]);
    return scorer->rule == GR_SCORE_SUM;
}

/* Moves the weights of a node to the nodes it lists; false if it is not linear in them. */
static bool expand(const gradus_model *model, const gr_node *node, double *weights)
{
    const size_t columns = node->kind->columns(node->state);
    double *own = weights + node->column;
    bool some = false, linear = true;

    for (size_t c = 0; c < columns; c++)
        some = some || own[c] != 0.0;
    if (!some)
        return true;
    if (node->kind == &gr_node_mix) {
        for (size_t m = 0; m < node->input_count; m++)
            for (size_t c = 0; c < columns; c++)
                weights[model->nodes[node->inputs[m]].column + c] +=
                    own[c] * node->kind->weight(node->state, m);
    } else {
        const gr_scorer *scorer = gr_scored_node_scorer(node);

        /* A node with probabilities has at least two columns. */
        linear = scorer && columns == 1 &&
                 add_scorer(scorer, own[0], weights + model->nodes[node->inputs[0]].column);
    }
    memset(own, 0, columns * sizeof *own);
    return linear;
}

bool gr_explain_weights(const gradus_model *model, const gr_explain_target *target, size_t columns,
                        double *weights)
{
    memset(weights, 0, columns * sizeof *weights);
    if (!target->is_score)
        weights[gr_model_core(model)->column + target->output] = 1.0;
    else if (!add_scorer(&model->scorer, 1.0, weights + model->nodes[model->node_count - 1].column))
        return false;
    for (size_t n = model->node_count; n-- > 0;) {
        const gr_node *node = &model->nodes[n];

        if (gr_node_takes_rows(node)) {
            for (size_t c = 0; c < node->kind->columns(node->state); c++)
                if (weights[node->column + c] != 0.0 && !gr_node_is_exact(node))
                    return false;
        } else if (node->input_count > 0 && !expand(model, node, weights)) {
            return false;
        }
    }
    return true;
}

static void add_linear(const gr_linear *linear, size_t output, const float *row, double factor,
                       double *sums)
{
    const double *own = linear->coefficients + output * linear->features;

    for (size_t f = 0; f < linear->features; f++)
        if (own[f] != 0.0 && isfinite(row[f]))
            sums[f] += factor * own[f] * ((double)row[f] - linear->means[f]);
}

static void add_hashed(const gr_hashed *hashed, size_t output, const float *row, double factor,
                       double *sums)
{
    const double *own = hashed->linear.coefficients + output * hashed->linear.features;

    for (size_t f = 0; f < hashed->features; f++) {
        float sign;
        const size_t bucket = gr_hash_bucket(f, hashed->bits, &sign);

        if (row[f] != 0.0f && isfinite(row[f]))
            sums[f] += factor * own[bucket] * (double)sign * (double)row[f];
    }
}

static void add_gaussians(const gr_gaussians *g, size_t output, const float *row, double factor,
                          double *sums)
{
    for (size_t t = output; t < g->terms; t += g->outputs) {
        const gr_gaussian *term = &g->term[t];
        double kernel;

        gr_gaussian_kernel(term, row + term->feature, 1, 1, &kernel);
        sums[term->feature] += factor * term->weight * (kernel - term->offset);
    }
}

void gr_separable_add(const gr_node *node, size_t output, const float *row, double factor,
                      double *sums)
{
    if (node->kind == &gr_node_linear)
        add_linear(node->state, output, row, factor, sums);
    else if (node->kind == &gr_node_hash)
        add_hashed(node->state, output, row, factor, sums);
    else
        add_gaussians(node->state, output, row, factor, sums);
}

double gr_separable_base(const gr_node *node, size_t output)
{
    if (node->kind == &gr_node_linear)
        return ((const gr_linear *)node->state)->bases[output];
    if (node->kind == &gr_node_hash)
        return ((const gr_hashed *)node->state)->linear.bases[output];
    return ((const gr_gaussians *)node->state)->bases[output];
}

bool gr_separable_has_means(const gradus_model *model, const gr_node *node)
{
    const gr_fitted_transform *transform = node->transform ? node->transform : &model->transform;
    const gr_linear *linear = node->state;

    if (node->kind != &gr_node_linear)
        return node->kind != &gr_node_hash;
    for (size_t f = 0; f < linear->features; f++)
        if (linear->means[f] != 0.0)
            return true;
    return transform->transform == &gr_transform_standardise && !transform->keep_zeros;
}

void gr_node_mark_used(const gradus_model *model, const gr_node *node, bool *used)
{
    const size_t features = gr_node_features(model, node);

    if (node->kind == &gr_node_forest) {
        const gr_forest *forest = node->state;

        for (size_t i = 0; i < forest->starts[forest->trees]; i++)
            used[forest->splits[i].feature] = true;
    } else if (node->kind == &gr_node_gaussians) {
        const gr_gaussians *g = node->state;

        for (size_t t = 0; t < g->terms; t++)
            used[g->term[t].feature] = true;
    } else if (node->kind == &gr_node_linear) {
        const gr_linear *linear = node->state;

        for (size_t i = 0; i < linear->outputs * linear->features; i++)
            if (linear->coefficients[i] != 0.0)
                used[i % linear->features] = true;
    } else {
        memset(used, true, features * sizeof *used);
    }
}
