/* SPDX-License-Identifier: Apache-2.0 */
/* The learner "stumps" of RankBoost: each round is a decision stump of a forest. */
#include "pipeline/learners/learner_weak.h"

#include "pipeline/train.h"

static gradus_status start(const gr_fit *fit, void **state, gradus_error *err)
{
    if (fit->initial)
        return gr_fail(err, GRADUS_BAD_ARGUMENT, "'%s' does not support initial scores",
                       fit->ranker->about.name);
    *state = gr_rankboost_new(fit->context, fit->data, fit->problem, &fit->options->boost.bin,
                              fit->start ? gr_model_forest(fit->start) : NULL, err);
    return *state ? GRADUS_OK : err->status;
}

static gradus_status step(void *state, bool *grew, gradus_error *err)
{
    return gr_rankboost_round(state, grew, err);
}

static uint64_t rounds(const void *state)
{
    return gr_forest_rounds(gr_rankboost_forest(state));
}

static const double *outputs(const void *state)
{
    return gr_rankboost_scores(state);
}

static gradus_status add_outputs(const void *state, uint64_t first, uint64_t end,
                                 const gradus_dataset *data, double *sums, gr_pool *pool,
                                 gradus_error *err)
{
    return gr_forest_add_scores(gr_rankboost_forest(state), (size_t)first, (size_t)end, data, sums,
                                pool, err);
}

static gradus_status node(const void *state, uint64_t kept, gr_node *made, gradus_error *err)
{
    gr_forest copy = { .features = 0 };
    gradus_status status = gr_forest_copy(gr_rankboost_forest(state), (size_t)kept, &copy, err);

    if (status == GRADUS_OK)
        status = gr_forest_node_new(&copy, made, err);
    gr_forest_free(&copy);
    return status;
}

static const char *why_done(const void *state)
{
    (void)state;
    return "no threshold orders more pairs correctly than wrongly";
}

static bool result(const void *state, size_t index, const char **name, double *value)
{
    *name = "queries skipped";
    *value = (double)gr_rankboost_skipped(state);
    return index < 1;
}

static double preparing(const void *state)
{
    return gr_rankboost_seconds(state);
}

static void end(void *state)
{
    gr_rankboost_free(state);
}

const gr_learner gr_learner_stumps = {
    .about = { "stumps", "weighted feature thresholds, for rankboost",
               "Each round adds one threshold on one feature, found on its bins (--bins), as a "
               "tree with one split." },
    .by_rounds = true,
    .by_method = true,
    .params = gr_bin_params,
    .feature_bytes = 72,
    .start = start,
    .step = step,
    .rounds = rounds,
    .outputs = outputs,
    .add_outputs = add_outputs,
    .node = node,
    .why_done = why_done,
    .result = result,
    .preparing = preparing,
    .end = end,
};

const gr_learner *const gr_rankboost_learners[] = { &gr_learner_stumps, NULL };
