/* SPDX-License-Identifier: Apache-2.0 */
/* The learner "stumps" of RankBoost: each round is a decision stump of a forest. */
#include "pipeline/learners/learner_rankboost.h"

#include "learners/weak/weak.h"
#include "model/forest_node.h"
#include "pipeline/learners/forest_rounds.h"
#include "pipeline/train_options.h"

static gradus_status start(const gr_fit *fit, void **state, gradus_error *err)
{
    GR_TRY(gr_refuse_initial(fit, err));
    *state =
        gr_rankboost_new(fit->context, fit->data, fit->problem, GR_TRAIN_BLOCK(fit->options, bin),
                         fit->start ? gr_model_forest(fit->start) : NULL, err);
    return *state ? GRADUS_OK : err->status;
}

static gradus_status step(void *state, bool *grew, gradus_error *err)
{
    return gr_rankboost_round(state, grew, err);
}

static uint64_t rounds_done(const void *state)
{
    return gr_forest_rounds(gr_rankboost_forest(state));
}

static const double *train_outputs(const void *state)
{
    return gr_rankboost_scores(state);
}

static gradus_status add_outputs(const void *state, uint64_t first, uint64_t end,
                                 const gradus_dataset *data, double *sums, gr_pool *pool,
                                 gradus_error *err)
{
    return gr_forest_add_rounds(gr_rankboost_forest(state), first, end, data, sums, pool, err);
}

static gradus_status node(const void *state, uint64_t kept, gr_node *made, gradus_error *err)
{
    return gr_forest_rounds_node(gr_rankboost_forest(state), kept, made, err);
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

static double preparation_seconds(const void *state)
{
    return gr_rankboost_seconds(state);
}

static void free_state(void *state)
{
    gr_rankboost_free(state);
}

static const gr_param *const params[] = { gr_bin_params, NULL };

static const gr_learner_outputs outputs = { .add = add_outputs, .train = train_outputs };
static const gr_learner_rounds rounds = { .done = rounds_done };
static const gr_learner_report report = { .why_done = why_done,
                                          .result = result,
                                          .preparation_seconds = preparation_seconds };

const gr_learner gr_learner_stumps = {
    .about = { "stumps", "weighted feature thresholds, for rankboost",
               "Each round adds one threshold on one feature, found on its bins (--bins), as a "
               "tree with one split." },
    .by_method = true,
    .alone = "its weights of pairs are summed in the order of the rows; use pairrank or lambdamart",
    .params = params,
    .feature_bytes = 72,
    .start = start,
    .step = step,
    .node = node,
    .free = free_state,
    .outputs = &outputs,
    .rounds = &rounds,
    .report = &report,
};

const gr_learner *const gr_rankboost_learners[] = { &gr_learner_stumps, NULL };
