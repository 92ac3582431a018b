/* SPDX-License-Identifier: Apache-2.0 */
/* The learner "linear": least squares, or linear proportional odds, in a single step. */
#include "learners/linear/proportional_odds.h"
#include "pipeline/learner.h"
#include "pipeline/train_options.h"
#include "model/linear_node.h"

#include <stdlib.h>

typedef struct fitting {
    gr_fit fit;
    gr_linear linear;
    gr_odds odds; /* for proportional odds; its equation is moved to `linear` */
} fitting;

static bool is_odds(const gr_fit *fit)
{
    return fit->objective == &gr_objective_propodds;
}

static gradus_status fit_odds(fitting *f, gradus_error *err)
{
    const gr_fit *fit = &f->fit;

    GR_TRY(gr_odds_train(fit->context, fit->data, fit->problem,
                         GR_TRAIN_BLOCK(fit->options, linear), &f->odds, err));
    f->linear = f->odds.linear;
    f->odds.linear = (gr_linear){ .features = 0 };
    return GRADUS_OK;
}

static gradus_status start(const gr_fit *fit, void **state, gradus_error *err)
{
    const gr_linear_options *options = GR_TRAIN_BLOCK(fit->options, linear);
    fitting *made;

    if (fit->initial)
        return gr_fail(err, GRADUS_BAD_ARGUMENT,
                       "the learner 'linear' does not support initial scores");
    if (is_odds(fit) &&
        (options->elimination != GR_ELIMINATE_NONE || options->most_standardised > 0.0))
        return gr_fail(
            err, GRADUS_BAD_ARGUMENT,
            "'elimination' and 'max-coefficient' are for least squares, not for propodds");
    made = calloc(1, sizeof *made);
    if (!made)
        return gr_fail_memory(err, "training");
    made->fit = *fit;
    *state = made;
    return GRADUS_OK;
}

static gradus_status add_outputs(const void *state, uint64_t first, uint64_t end,
                                 const gradus_dataset *data, double *sums, gr_pool *pool,
                                 gradus_error *err)
{
    const fitting *f = state;

    (void)first;
    (void)end;
    return gr_linear_add(&f->linear, data, sums, pool, err);
}

static gradus_status step(void *state, bool *grew, gradus_error *err)
{
    fitting *f = state;
    const gr_fit *fit = &f->fit;

    *grew = false;
    return is_odds(fit) ? fit_odds(f, err)
                        : gr_linear_train(fit->context, fit->data, fit->problem,
                                          GR_TRAIN_BLOCK(fit->options, linear), &f->linear, err);
}

static gradus_status node(const void *state, uint64_t kept, gr_node *made, gradus_error *err)
{
    const fitting *f = state;
    gr_linear copy;
    gradus_status status;

    (void)kept;
    GR_TRY(gr_linear_copy(&f->linear, &copy, err));
    status = gr_linear_node_new(&copy, made, err);
    gr_linear_free(&copy);
    return status;
}

static const double *thresholds(const void *state, size_t *sets)
{
    const fitting *f = state;

    *sets = f->odds.thresholds != NULL;
    return f->odds.thresholds;
}

static void report_facts(const void *state, gr_fit_facts *facts)
{
    const fitting *f = state;

    if (!f->odds.thresholds)
        return;
    facts->log_likelihood = f->odds.log_likelihood;
    facts->errors = f->odds.separated ? NULL : f->odds.errors;
    facts->error_count = f->linear.features + f->odds.cuts;
}

static void free_state(void *state)
{
    fitting *f = state;

    if (!f)
        return;
    gr_linear_free(&f->linear);
    gr_odds_free(&f->odds);
    free(f);
}

static const gr_param *const params[] = { gr_linear_params, NULL };

static const gr_learner_outputs outputs = { .add = add_outputs };
static const gr_learner_report report = { .facts = report_facts };

const gr_learner gr_learner_linear = {
    .about = { "linear", "weighted least squares",
               "One linear equation per output, with an intercept. Features that are constant or "
               "linear combinations of others are dropped and noted; a missing value counts as the "
               "mean of its feature. One pass over the data serves all outputs. With the method "
               "propodds, the equation and its thresholds are fitted by maximum likelihood, with "
               "standard errors." },
    .also = &gr_objective_propodds,
    .distributed = true,
    .params = params,
    .feature_bytes = 72,
    .start = start,
    .step = step,
    .node = node,
    .free = free_state,
    .outputs = &outputs,
    .report = &report,
    .thresholds = thresholds,
};
