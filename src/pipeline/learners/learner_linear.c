/* SPDX-License-Identifier: Apache-2.0 */
/* The learner "linear": least squares, or linear proportional odds, in a single step. */
#include "learners/linear/proportional_odds.h"
#include "pipeline/train.h"

#include <stdlib.h>
#include <string.h>

typedef struct fitting {
    gr_fit fit;
    gr_linear linear;
    gr_odds odds; /* for proportional odds; its equation is moved to `linear` */
    bool done;
    gr_array outputs; /* of the training rows, if they are evaluated */
} fitting;

static bool is_odds(const gr_fit *fit)
{
    return fit->objective == &gr_objective_propodds;
}

static gradus_status fit_odds(fitting *f, gradus_error *err)
{
    const gr_fit *fit = &f->fit;

    GR_TRY(
        gr_odds_train(fit->context, fit->data, fit->problem, &fit->options->linear, &f->odds, err));
    f->linear = f->odds.linear;
    f->odds.linear = (gr_linear){ .features = 0 };
    return GRADUS_OK;
}

static gradus_status start(const gr_fit *fit, void **state, gradus_error *err)
{
    fitting *made;

    if (fit->initial)
        return gr_fail(err, GRADUS_BAD_ARGUMENT,
                       "the learner 'linear' does not support initial scores");
    if (is_odds(fit) && (fit->options->linear.elimination != GR_ELIMINATE_NONE ||
                         fit->options->linear.most_standardised > 0.0))
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

    return f->done && first < end ? gr_linear_add(&f->linear, data, sums, pool, err) : GRADUS_OK;
}

static gradus_status step(void *state, bool *grew, gradus_error *err)
{
    fitting *f = state;
    const gr_fit *fit = &f->fit;
    const size_t bytes = fit->problem->outputs * fit->problem->rows * sizeof(double);

    *grew = false;
    if (is_odds(fit))
        GR_TRY(fit_odds(f, err));
    else
        GR_TRY(gr_linear_train(fit->context, fit->data, fit->problem, &fit->options->linear,
                               &f->linear, err));
    f->done = true;
    if (fit->options->train_eval_every == 0)
        return GRADUS_OK;
    if (!gr_array_reserve(&f->outputs, bytes))
        return gr_fail_memory(err, "outputs");
    memset(f->outputs.at, 0, bytes);
    return add_outputs(state, 0, 1, fit->data, f->outputs.at, gr_pool_of(fit->context), err);
}

static uint64_t rounds(const void *state)
{
    return ((const fitting *)state)->done;
}

static const double *outputs(const void *state)
{
    return ((const fitting *)state)->outputs.at;
}

static gradus_status node(const void *state, uint64_t kept, gr_node *made, gradus_error *err)
{
    const fitting *f = state;
    gr_linear copy;
    gradus_status status;

    (void)kept;
    if (!f->done)
        return gr_fail(err, GRADUS_BAD_ARGUMENT, "nothing has been fitted yet");
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

static void say(const void *state, gr_fit_facts *facts)
{
    const fitting *f = state;

    if (!f->odds.thresholds)
        return;
    facts->log_likelihood = f->odds.log_likelihood;
    facts->errors = f->odds.separated ? NULL : f->odds.errors;
    facts->error_count = f->linear.features + f->odds.cuts;
}

static double preparing(const void *state)
{
    (void)state;
    return 0.0;
}

static void end(void *state)
{
    fitting *f = state;

    if (!f)
        return;
    gr_linear_free(&f->linear);
    gr_odds_free(&f->odds);
    gr_array_free(&f->outputs);
    free(f);
}

const gr_learner gr_learner_linear = {
    .about = { "linear", "weighted least squares",
               "One linear equation per output, with an intercept. Features that are constant or "
               "linear combinations of others are dropped and noted; a missing value counts as the "
               "mean of its feature. One pass over the data serves all outputs. With the method "
               "propodds, the equation and its thresholds are fitted by maximum likelihood, with "
               "standard errors." },
    .also = &gr_objective_propodds,
    .params = gr_linear_params,
    .feature_bytes = 72,
    .start = start,
    .step = step,
    .rounds = rounds,
    .outputs = outputs,
    .add_outputs = add_outputs,
    .node = node,
    .thresholds = thresholds,
    .say = say,
    .preparing = preparing,
    .end = end,
};
