/* SPDX-License-Identifier: Apache-2.0 */
/* Feature importance. Lists the features that a model uses without an array of all features, since
 * a file may claim any number of them. For an ensemble, each member's gains are normalised to sum
 * to 1 and averaged with the absolute weights of the members. */
#include "model/model.h"

#include <math.h>
#include <stdlib.h>

/* Upper bound on the entries a node lists, before entries of the same feature are merged. */
static size_t most_of_node(const gradus_model *model, const gr_node *node)
{
    if (node->kind->uses)
        return node->kind->uses(node->state, NULL);
    return node->kind->importance ? gr_node_features(model, node) : 0;
}

size_t gr_model_max_uses(const gradus_model *model)
{
    const gr_node *core = gr_model_core(model);
    size_t most = 0;

    if (!core)
        return 0;
    if (!core->kind->members)
        return most_of_node(model, core);
    for (size_t n = 0; n < model->node_count; n++)
        most += most_of_node(model, &model->nodes[n]);
    return most;
}

static gradus_status list_dense(const gradus_model *model, const gr_node *node,
                                gradus_feature_use *uses, gradus_error *err)
{
    const size_t features = gr_node_features(model, node);
    double *sizes = gr_new_array(features, sizeof *sizes);
    uint64_t *places = gr_new_array(features, sizeof *places);

    if (sizes && places) {
        node->kind->importance(node->state, sizes, places);
        for (size_t f = 0; f < features; f++)
            uses[f] = (gradus_feature_use){ f, sizes[f], places[f] };
    }
    free(sizes);
    free(places);
    return sizes && places ? GRADUS_OK : gr_fail_memory(err, "the uses of features");
}

/* Fills at most most_of_node entries. */
static gradus_status list_node(const gradus_model *model, const gr_node *node,
                               gradus_feature_use *uses, size_t *count, gradus_error *err)
{
    *count = 0;
    if (node->kind->uses)
        *count = node->kind->uses(node->state, uses);
    else if (node->kind->importance) {
        GR_TRY(list_dense(model, node, uses, err));
        *count = gr_node_features(model, node);
    }
    for (size_t i = 0; node->columns && i < *count; i++)
        uses[i].feature = node->columns[uses[i].feature];
    return GRADUS_OK;
}

/* An entry with its index: entries of a feature are summed in list order, so that sums are
 * bit-identical to gradus_model_importance. */
typedef struct listed {
    gradus_feature_use use;
    size_t number;
} listed;

static int by_feature(const void *left, const void *right)
{
    const listed *a = left, *b = right;

    if (a->use.feature != b->use.feature)
        return a->use.feature < b->use.feature ? -1 : 1;
    return a->number < b->number ? -1 : a->number > b->number;
}

/* Merges the entries of each feature. */
static gradus_status merge(gradus_feature_use *uses, size_t *count, gradus_error *err)
{
    listed *all = gr_new_array(*count, sizeof *all);
    size_t used = 0;

    if (!all)
        return gr_fail_memory(err, "the uses of features");
    for (size_t i = 0; i < *count; i++)
        all[i] = (listed){ uses[i], i };
    qsort(all, *count, sizeof *all, by_feature);
    for (size_t i = 0; i < *count; i++) {
        const gradus_feature_use *use = &all[i].use;

        if (use->splits == 0)
            continue;
        if (used == 0 || uses[used - 1].feature != use->feature)
            uses[used++] = (gradus_feature_use){ use->feature, 0.0, 0 };
        uses[used - 1].gain += use->gain;
        uses[used - 1].splits += use->splits;
    }
    free(all);
    *count = used;
    return GRADUS_OK;
}

/* A node of an ensemble. */
typedef struct part {
    size_t first, count; /* its entries in the list */
    double sum;          /* of their gains, or the largest sum of its inputs; <= 0: unknown */
    double weight;       /* in the whole ensemble */
} part;

static double sum_gains(const gradus_feature_use *uses, size_t count)
{
    double sum = 0.0;

    for (size_t i = 0; i < count; i++)
        sum += fmax(uses[i].gain, 0.0);
    return isfinite(sum) ? sum : 0.0;
}

static gradus_status list_parts(const gradus_model *model, part *parts, gradus_feature_use *uses,
                                size_t *count, gradus_error *err)
{
    for (size_t n = 0; n < model->node_count; n++) {
        const gr_node *node = &model->nodes[n];
        part *p = &parts[n];

        p->first = *count;
        GR_TRY(list_node(model, node, uses + *count, &p->count, err));
        *count += p->count;
        p->sum = sum_gains(uses + p->first, p->count);
        for (size_t i = 0; i < node->input_count; i++)
            p->sum = fmax(p->sum, parts[node->inputs[i]].sum);
    }
    return GRADUS_OK;
}

/* Divides the weight of a node among its inputs with known gains, by their absolute weights. */
static void divide_weight(const gr_node *node, part *parts, double weight)
{
    const bool combines = node->kind->members;
    double sum = 0.0;
    size_t known = 0;

    for (size_t i = 0; i < node->input_count; i++)
        if (parts[node->inputs[i]].sum > 0.0) {
            sum += combines ? fabs(gr_member_weight(node, i)) : 0.0;
            known++;
        }
    for (size_t i = 0; i < node->input_count; i++)
        if (parts[node->inputs[i]].sum > 0.0)
            parts[node->inputs[i]].weight +=
                weight * (sum > 0.0 ? fabs(gr_member_weight(node, i)) / sum : 1.0 / (double)known);
}

static void weight_gains(const gradus_model *model, part *parts, gradus_feature_use *uses)
{
    parts[model->node_count - 1].weight = 1.0;
    for (size_t n = model->node_count; n-- > 0;) {
        const part *p = &parts[n];

        if (model->nodes[n].input_count) {
            divide_weight(&model->nodes[n], parts, p->weight);
            continue;
        }
        for (size_t i = p->first; i < p->first + p->count; i++)
            uses[i].gain = p->sum > 0.0 ? p->weight * fmax(uses[i].gain, 0.0) / p->sum : 0.0;
    }
}

static gradus_status list_members(const gradus_model *model, gradus_feature_use *uses,
                                  size_t *count, gradus_error *err)
{
    part *parts = gr_new_array(model->node_count, sizeof *parts);
    gradus_status status = parts ? list_parts(model, parts, uses, count, err)
                                 : gr_fail_memory(err, "the uses of features");

    if (status == GRADUS_OK)
        weight_gains(model, parts, uses);
    free(parts);
    return status;
}

gradus_status gr_model_uses(const gradus_model *model, gradus_feature_use *uses, size_t *count,
                            gradus_error *err)
{
    const gr_node *core = gr_model_core(model);

    *count = 0;
    if (!core)
        return gr_fail(err, GRADUS_BAD_ARGUMENT, "the model has no nodes");
    if (core->kind->members)
        GR_TRY(list_members(model, uses, count, err));
    else
        GR_TRY(list_node(model, core, uses, count, err));
    return merge(uses, count, err);
}

gradus_status gr_model_importance(const gradus_model *model, double *gains, uint64_t *places,
                                  gradus_error *err)
{
    const size_t most = gr_model_max_uses(model);
    gradus_feature_use *uses = gr_new_array(most ? most : 1, sizeof *uses);
    size_t count = 0;
    gradus_status status = uses ? gr_model_uses(model, uses, &count, err)
                                : gr_fail_memory(err, "the uses of features");

    for (size_t f = 0; f < model->features; f++) { /* 0: not used, or unknown */
        if (gains)
            gains[f] = 0.0;
        if (places)
            places[f] = 0;
    }
    for (size_t i = 0; status == GRADUS_OK && i < count; i++) {
        if (gains)
            gains[uses[i].feature] = uses[i].gain;
        if (places)
            places[uses[i].feature] = uses[i].splits;
    }
    free(uses);
    return status;
}
