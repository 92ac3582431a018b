/* SPDX-License-Identifier: Apache-2.0 */
/* Support vector ordinal regression as learners "kernel" and "linear", in a single step. The method
 * selects the loss. */
#include "pipeline/learners/learner_svor.h"

#include "pipeline/train.h"

#include <stdlib.h>
#include <string.h>

typedef struct fitting {
    gr_fit fit;
    bool is_linear;
    gr_machine machine;
    gr_linear linear;
    gr_svor_fit found;
    bool done;
    gr_array outputs; /* of the training rows, if they are evaluated */
} fitting;

static gradus_status start(const gr_fit *fit, bool is_linear, void **state, gradus_error *err)
{
    fitting *made;

    if (fit->initial)
        return gr_fail(err, GRADUS_BAD_ARGUMENT, "'%s' does not support initial scores",
                       fit->ranker->about.name);
    made = calloc(1, sizeof *made);
    if (!made)
        return gr_fail_memory(err, "training");
    made->fit = *fit;
    made->is_linear = is_linear;
    *state = made;
    return GRADUS_OK;
}

static gradus_status start_kernel(const gr_fit *fit, void **state, gradus_error *err)
{
    return start(fit, false, state, err);
}

static gradus_status start_linear(const gr_fit *fit, void **state, gradus_error *err)
{
    return start(fit, true, state, err);
}

static gradus_status add_outputs(const void *state, uint64_t first, uint64_t end,
                                 const gradus_dataset *data, double *sums, gr_pool *pool,
                                 gradus_error *err)
{
    const fitting *f = state;

    if (!f->done || first >= end)
        return GRADUS_OK;
    return f->is_linear ? gr_linear_add(&f->linear, data, sums, pool, err)
                        : gr_machine_add(&f->machine, data, sums, pool, err);
}

static void tell(const fitting *f)
{
    const gr_fit *fit = &f->fit;

    if (!f->found.converged)
        gr_note(
            fit->context,
            "stopped with a duality gap of %g, which is %.2g of the objective: scale the features "
            "('transform standardise') or lower 'penalty'%s",
            f->found.gap, f->found.gap / f->found.objective,
            f->is_linear ? ", or increase 'passes'" : "");
    if (f->found.crossed)
        gr_note(fit->context, "the thresholds cross: '%s' does not keep them in order",
                fit->ranker->about.name);
}

static gradus_status solve(fitting *f, gradus_error *err)
{
    const gr_fit *fit = &f->fit;
    const gr_svor_loss loss = (gr_svor_loss)fit->ranker->variant;
    const gr_train_options *options = fit->options;

    if (f->is_linear)
        return gr_svor_train_linear(fit->context, fit->data, fit->problem, loss, &options->svor,
                                    options->boost.seed, &f->linear, &f->found, err);
    return gr_svor_train_kernel(fit->context, fit->data, fit->problem, loss, &options->svor,
                                &options->kernel, &f->machine, &f->found, err);
}

static gradus_status step(void *state, bool *grew, gradus_error *err)
{
    fitting *f = state;
    const size_t bytes = f->fit.problem->rows * sizeof(double);

    *grew = false;
    GR_TRY(solve(f, err));
    f->done = true;
    tell(f);
    if (f->fit.options->train_eval_every == 0)
        return GRADUS_OK;
    if (!gr_array_reserve(&f->outputs, bytes))
        return gr_fail_memory(err, "outputs");
    memset(f->outputs.at, 0, bytes);
    return add_outputs(state, 0, 1, f->fit.data, f->outputs.at, gr_pool_of(f->fit.context), err);
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
    gr_machine machine = { .outputs = 0 };
    gr_linear linear = { .features = 0 };
    gradus_status status;

    (void)kept;
    if (!f->done)
        return gr_fail(err, GRADUS_BAD_ARGUMENT, "nothing has been fitted yet");
    if (f->is_linear) {
        GR_TRY(gr_linear_copy(&f->linear, &linear, err));
        status = gr_linear_node_new(&linear, made, err);
    } else {
        GR_TRY(gr_machine_copy(&f->machine, &machine, err));
        status = gr_kernel_node_new(&machine, made, err);
    }
    gr_linear_free(&linear);
    gr_machine_free(&machine);
    return status;
}

static const double *thresholds(const void *state, size_t *sets)
{
    const fitting *f = state;

    *sets = 1;
    return f->found.thresholds;
}

static bool result(const void *state, size_t index, const char **name, double *value)
{
    const gr_svor_fit *found = &((const fitting *)state)->found;
    const struct {
        const char *name;
        double value;
    } all[] = {
        { "objective", found->objective },
        { "duality gap", found->gap },
        { "steps", (double)found->steps },
        { "support vectors", (double)found->support },
    };

    if (!found->thresholds || index >= sizeof all / sizeof *all)
        return false;
    *name = all[index].name;
    *value = all[index].value;
    return true;
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
    gr_machine_free(&f->machine);
    gr_svor_fit_free(&f->found);
    gr_array_free(&f->outputs);
    free(f);
}

static const gr_param kernel_params[] = {
    GR_PARAM_GROUP(gr_train_options, kernel, gr_kernel_options, gr_kernel_params),
    GR_PARAM_GROUP(gr_train_options, svor, gr_svor_options, gr_svor_kernel_params),
    GR_PARAM_END,
};

const gr_learner gr_learner_kernel = {
    .about = { "kernel", "kernel expansion over support rows, for svor-imc, svor-exc and svor-sl",
               "Gaussian, polynomial or linear kernels (--kernel), fitted in the dual by SMO until "
               "the duality gap is --tolerance of the objective. Kernel rows are cached in --cache "
               "megabytes. A missing value counts as the mean of its feature. Time grows slightly "
               "faster than the square of the number of rows: 10,000 rows take a few minutes at "
               "most; --learner linear handles millions." },
    .by_method = true,
    .transform = "standardise",
    .params = kernel_params,
    .feature_bytes = 156,
    .start = start_kernel,
    .step = step,
    .rounds = rounds,
    .outputs = outputs,
    .add_outputs = add_outputs,
    .node = node,
    .thresholds = thresholds,
    .result = result,
    .preparing = preparing,
    .end = end,
};

const gr_learner gr_learner_svor_linear = {
    .about = { "linear", "a linear function, by dual coordinate descent",
               "At most --passes passes over the rows, until the duality gap is --tolerance of the "
               "objective." },
    .by_method = true,
    .transform = "standardise",
    .params = gr_svor_linear_params,
    .feature_bytes = 100,
    .start = start_linear,
    .step = step,
    .rounds = rounds,
    .outputs = outputs,
    .add_outputs = add_outputs,
    .node = node,
    .thresholds = thresholds,
    .result = result,
    .preparing = preparing,
    .end = end,
};

const gr_learner *const gr_svor_learners[] = { &gr_learner_kernel, &gr_learner_svor_linear, NULL };
