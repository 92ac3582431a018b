/* SPDX-License-Identifier: Apache-2.0 */
/* The learner "gbrt": gradient boosted regression trees (Friedman, 2001). */
#include "pipeline/data_defaults.h"
#include "pipeline/train.h"

#include <stdlib.h>

static gradus_status start(const gr_fit *fit, void **state, gradus_error *err)
{
    const gr_forest *forest = fit->start ? gr_model_forest(fit->start) : NULL;
    gr_boost_options options = fit->options->boost;

    if (forest)
        GR_TRY(gr_start_fits(fit, forest->features, forest->outputs, err));
    gr_start_thresholds(fit, &options.objective);
    *state = gr_booster_new(fit->context, fit->data, fit->problem, fit->objective, &options, forest,
                            fit->initial, err);
    return *state ? GRADUS_OK : err->status;
}

static gradus_status step(void *state, bool *grew, gradus_error *err)
{
    return gr_booster_step(state, grew, err);
}

static uint64_t rounds(const void *state)
{
    return gr_forest_rounds(gr_booster_forest(state));
}

static const double *outputs(const void *state)
{
    return gr_booster_scores(state);
}

static gradus_status add_outputs(const void *state, uint64_t first, uint64_t end,
                                 const gradus_dataset *data, double *sums, gr_pool *pool,
                                 gradus_error *err)
{
    const gr_forest *forest = gr_booster_forest(state);
    const size_t rows = data->arrays.rows;

    for (size_t k = 0; first == 0 && k < forest->outputs; k++)
        for (size_t r = 0; r < rows; r++)
            sums[k * rows + r] += forest->bases[k];
    return gr_forest_add_scores(forest, (size_t)first, (size_t)end, data, sums, pool, err);
}

static gradus_status node(const void *state, uint64_t kept, gr_node *made, gradus_error *err)
{
    gr_forest copy = { .features = 0 };
    gradus_status status = gr_forest_copy(gr_booster_forest(state), (size_t)kept, &copy, err);

    if (status == GRADUS_OK)
        status = gr_forest_node_new(&copy, made, err);
    gr_forest_free(&copy);
    return status;
}

static const double *thresholds(const void *state, size_t *sets)
{
    return gr_booster_thresholds(state, sets);
}

static const char *why_done(const void *state)
{
    return gr_booster_separated(state) ? "the grades are perfectly separated" : "";
}

static double preparing(const void *state)
{
    return gr_booster_times(state).bins;
}

static void end(void *state)
{
    gr_booster_free(state);
}

const gr_learner gr_learner_gbrt = {
    .about = { "gbrt", "boosted regression trees",
               "Rounds of trees, one per output, each fitted to the gradients of the method's loss "
               "at the current outputs. Friedman (2001)." },
    .any_objective = true,
    .by_rounds = true,
    .params = gr_boost_params,
    .feature_bytes = 72,
    .row_bytes = 52,
    .value_bytes = 1,
    .data_defaults = gr_boost_data_defaults,
    .start = start,
    .step = step,
    .rounds = rounds,
    .outputs = outputs,
    .add_outputs = add_outputs,
    .node = node,
    .thresholds = thresholds,
    .why_done = why_done,
    .preparing = preparing,
    .end = end,
};
