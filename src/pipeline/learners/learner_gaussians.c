/* SPDX-License-Identifier: Apache-2.0 */
/* The learner "gaussians": boosted Gaussian kernels of single features (Uematsu and Lee, 2015). */
#include "learners/gaussians/gaussians.h"

#include "base/text.h"
#include "model/gaussians_node.h"
#include "pipeline/learner.h"
#include "pipeline/learners/forest_rounds.h"
#include "pipeline/ranker.h"
#include "pipeline/train_options.h"

/* Some objectives have gradients only. */
static gradus_status check_search(const gr_fit *fit, gradus_error *err)
{
    const gr_ranker *method;
    char names[200] = "";

    if (GR_TRAIN_BLOCK(fit->options, gaussian)->search != GR_KERNELS_EXACTLY ||
        fit->objective->loss)
        return GRADUS_OK;
    for (size_t m = 0; (method = gr_ranker_number(m)); m++) {
        if (method->only_own || !method->objective->loss)
            continue;
        gr_text_append(names, sizeof names, *names ? ", " : "");
        gr_text_append(names, sizeof names, method->about.name);
    }
    return gr_fail(err, GRADUS_BAD_ARGUMENT,
                   "'kernel-search exact' compares kernels by a loss, which '%s' does not have: it "
                   "is for %s; use 'kernel-search newton'",
                   fit->objective->about.name, names);
}

static gradus_status start(const gr_fit *fit, void **state, gradus_error *err)
{
    const gr_gaussians *from = fit->start ? gr_model_gaussians(fit->start) : NULL;
    gr_boost_options options = *GR_TRAIN_BLOCK(fit->options, boost);

    GR_TRY(check_search(fit, err));
    if (from)
        GR_TRY(gr_start_fits(fit, from->features, from->outputs, err));
    options.seed = fit->options->seed;
    options.bin = *GR_TRAIN_BLOCK(fit->options, bin);
    options.objective = *fit->objective_options;
    gr_start_thresholds(fit, &options.objective);
    *state =
        gr_gaussian_booster_new(fit->context, fit->data, fit->problem, fit->objective, &options,
                                GR_TRAIN_BLOCK(fit->options, gaussian), from, fit->initial, err);
    return *state ? GRADUS_OK : err->status;
}

static gradus_status step(void *state, bool *grew, gradus_error *err)
{
    return gr_gaussian_booster_step(state, grew, err);
}

static uint64_t rounds_done(const void *state)
{
    return gr_gaussians_rounds(gr_gaussian_booster_terms(state));
}

static const double *train_outputs(const void *state)
{
    return gr_gaussian_booster_scores(state);
}

static gradus_status add_outputs(const void *state, uint64_t first, uint64_t end,
                                 const gradus_dataset *data, double *sums, gr_pool *pool,
                                 gradus_error *err)
{
    const gr_gaussians *terms = gr_gaussian_booster_terms(state);

    if (first == 0)
        gr_add_bases(terms->bases, terms->outputs, data->arrays.rows, sums);
    return gr_gaussians_add_scores(terms, (size_t)first, (size_t)end, data, sums, pool, err);
}

static gradus_status node(const void *state, uint64_t kept, gr_node *made, gradus_error *err)
{
    gr_gaussians copy = { .features = 0 };
    gradus_status status =
        gr_gaussians_copy(gr_gaussian_booster_terms(state), (size_t)kept, &copy, err);

    if (status == GRADUS_OK)
        status = gr_gaussians_node_new(&copy, made, err);
    gr_gaussians_free(&copy);
    return status;
}

static const double *thresholds(const void *state, size_t *sets)
{
    return gr_gaussian_booster_thresholds(state, sets);
}

static const char *why_done(const void *state)
{
    return gr_gaussian_booster_separated(state) ? "the grades are perfectly separated"
                                                : "no kernel lowers the loss further";
}

static double preparation_seconds(const void *state)
{
    return gr_gaussian_booster_preparing(state);
}

static void free_state(void *state)
{
    gr_gaussian_booster_free(state);
}

static const gr_param *const params[] = { gr_gaussian_params, gr_objective_params, NULL };

static const gr_learner_outputs outputs = { .add = add_outputs, .train = train_outputs };
static const gr_learner_rounds rounds = { .done = rounds_done };
static const gr_learner_report report = { .why_done = why_done,
                                          .preparation_seconds = preparation_seconds };

const gr_learner gr_learner_gaussians = {
    .about = { "gaussians", "boosted Gaussian kernels of single features",
               "Each round adds one kernel e^-((x - centre)^2 / (2 bandwidth^2)) of one feature "
               "per output, the one that lowers the method's loss most, multiplied by a weight "
               "found by line search (for methods that have one) and by the learning rate. Centres "
               "are the values of the feature, or the means of --centres bins of them. If "
               "bandwidths are given, features should be on one scale: --transform standardise. "
               "Uematsu and Lee (2015)." },
    .any_objective = true,
    .alone =
        "its sums of kernels depend on the order of the rows; use boosted trees (learner gbrt)",
    .params = params,
    .reads = "learning-rate row-fraction query-fraction l2 binning",
    .feature_bytes = 104,
    .cell_bytes = 2, /* 16-bit codes */
    .start = start,
    .step = step,
    .node = node,
    .free = free_state,
    .outputs = &outputs,
    .rounds = &rounds,
    .report = &report,
    .thresholds = thresholds,
};
