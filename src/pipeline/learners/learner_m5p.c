/* SPDX-License-Identifier: Apache-2.0 */
/* The learner "m5p": model trees (Quinlan, 1992; Wang and Witten, 1997), one per output, grown in a
 * single step; and what bagged-m5p shares with it. */
#include "pipeline/learners/learner_m5p.h"

#include "base/context.h"
#include "model/m5_node.h"
#include "pipeline/train_options.h"

#include <inttypes.h>
#include <stdlib.h>

/* Notes settings under which no tree can ever split. */
static void note_size(const gr_fit *fit, bool bagged)
{
    const gr_m5_options *options = GR_TRAIN_BLOCK(fit->options, m5);
    double weight = 0.0;

    for (size_t r = 0; r < fit->problem->rows; r++)
        weight += fit->problem->row_weights ? (double)fit->problem->row_weights[r] : 1.0;
    weight *= bagged ? options->bag_share : 1.0;
    if ((double)options->min_leaf > weight)
        gr_note(fit->context,
                "a tree is grown on %.6g rows, too few to split with a 'min-leaf' of %" PRIu64
                ": it is their mean",
                weight, options->min_leaf);
}

static gradus_status begin(gr_m5_rounds *rounds, bool bagged, gradus_error *err)
{
    const gr_fit *fit = &rounds->fit;
    const gr_m5 *start = fit->start ? gr_model_m5(fit->start) : NULL;
    const size_t features = fit->data->arrays.features, outputs = fit->problem->outputs;

    rounds->grower =
        gr_m5_grower_new(fit->context, fit->data, fit->problem, GR_TRAIN_BLOCK(fit->options, m5),
                         GR_TRAIN_BLOCK(fit->options, bin), err);
    if (!rounds->grower)
        return err->status;
    note_size(fit, bagged);
    if (!fit->start)
        return gr_m5_start(&rounds->m5, features, outputs, gr_m5_grower_means(rounds->grower), err);
    if (!start)
        return gr_fail(err, GRADUS_BAD_ARGUMENT, "the model to start from has no model trees");
    GR_TRY(gr_start_fits(fit, start->forest.features, start->forest.outputs, err));
    return gr_m5_copy(start, SIZE_MAX, &rounds->m5, err);
}

gradus_status gr_m5_rounds_start(const gr_fit *fit, bool bagged, void **state, gradus_error *err)
{
    gr_m5_rounds *rounds;
    gradus_status status;

    if (fit->initial)
        return gr_fail(err, GRADUS_BAD_ARGUMENT,
                       "model trees do not support initial scores: 'initial' is for gbrt");
    if (fit->start && !bagged)
        return gr_fail(err, GRADUS_BAD_ARGUMENT,
                       "the learner 'm5p' has a single round and cannot start from a model");
    rounds = calloc(1, sizeof *rounds);
    if (!rounds)
        return gr_fail_memory(err, "trees");
    rounds->fit = *fit;
    status = begin(rounds, bagged, err);
    if (status != GRADUS_OK) {
        gr_m5_rounds_free(rounds);
        return status;
    }
    *state = rounds;
    return GRADUS_OK;
}

gradus_status gr_m5_rounds_grow(const gr_m5_rounds *rounds, const uint32_t *counts, gr_pool *pool,
                                gr_m5 *trees, gradus_error *err)
{
    const gr_fit *fit = &rounds->fit;
    gradus_status status;

    GR_TRY(gr_m5_start(trees, fit->data->arrays.features, fit->problem->outputs,
                       gr_m5_grower_means(rounds->grower), err));
    status = gr_m5_grow(rounds->grower, counts, pool, trees, err);
    if (status != GRADUS_OK)
        gr_m5_free(trees);
    return status;
}

gradus_status gr_m5_rounds_add(gr_m5_rounds *rounds, gr_m5 *trees, gradus_error *err)
{
    const size_t done = gr_forest_rounds(&rounds->m5.forest);
    const gradus_status status = gr_m5_append(&rounds->m5, trees, err);

    gr_m5_free(trees);
    if (status != GRADUS_OK) /* no partial rounds */
        gr_m5_forget(&rounds->m5, done);
    return status;
}

uint64_t gr_m5_rounds_done(const void *state)
{
    return gr_forest_rounds(&((const gr_m5_rounds *)state)->m5.forest);
}

gradus_status gr_m5_rounds_add_outputs(const void *state, uint64_t first, uint64_t end,
                                       const gradus_dataset *data, double *sums, gr_pool *pool,
                                       gradus_error *err)
{
    return gr_m5_add_outputs(&((const gr_m5_rounds *)state)->m5, (size_t)first, (size_t)end, data,
                             sums, pool, err);
}

gradus_status gr_m5_rounds_node(const void *state, uint64_t kept, gr_node *made, gradus_error *err)
{
    gr_m5 copy;
    gradus_status status;

    GR_TRY(gr_m5_copy(&((const gr_m5_rounds *)state)->m5, (size_t)kept, &copy, err));
    status = gr_m5_node_new(&copy, made, err);
    gr_m5_free(&copy);
    return status;
}

static double preparation_seconds(const void *state)
{
    return gr_m5_grower_preparing(((const gr_m5_rounds *)state)->grower);
}

const gr_learner_report gr_m5_report = { .preparation_seconds = preparation_seconds };

void gr_m5_rounds_free(void *state)
{
    gr_m5_rounds *rounds = state;

    if (!rounds)
        return;
    gr_m5_grower_free(rounds->grower);
    gr_m5_free(&rounds->m5);
    for (size_t i = rounds->ahead_first; i < rounds->ahead_end; i++)
        gr_m5_free(&rounds->ahead[i]);
    free(rounds->ahead);
    free(rounds);
}

static gradus_status start(const gr_fit *fit, void **state, gradus_error *err)
{
    return gr_m5_rounds_start(fit, false, state, err);
}

static gradus_status step(void *state, bool *grew, gradus_error *err)
{
    gr_m5_rounds *rounds = state;
    gr_m5 trees;

    *grew = false;
    GR_TRY(gr_m5_prepare(rounds->grower, NULL, err));
    GR_TRY(gr_m5_rounds_grow(rounds, NULL, gr_pool_of(rounds->fit.context), &trees, err));
    return gr_m5_rounds_add(rounds, &trees, err);
}

static const gr_learner_outputs outputs = { .add = gr_m5_rounds_add_outputs };
const gr_param *const gr_m5_learner_params[] = { gr_m5_params, gr_bin_params, NULL };

const gr_learner gr_learner_m5p = {
    .about = { "m5p", "model trees: a linear model in each leaf",
               "M5' by the rules of WEKA's M5P. Trees are grown by standard deviation reduction; "
               "each node has a linear model on the features tested beneath it; a subtree is "
               "pruned where the model is estimated to do as well on new rows; and the models "
               "above a leaf are smoothed into its own. Missing values are replaced by the mean of "
               "the feature. Weights count as rows. Quinlan (1992), Wang and Witten (1997)." },
    .alone =
        "its linear models of leaves need all rows of a leaf; use regression with boosted trees (learner gbrt) or the learner linear",
    .params = gr_m5_learner_params,
    .feature_bytes = 40,
    .start = start,
    .step = step,
    .node = gr_m5_rounds_node,
    .free = gr_m5_rounds_free,
    .outputs = &outputs,
    .report = &gr_m5_report,
};
