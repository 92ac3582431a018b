/* SPDX-License-Identifier: Apache-2.0 */
/* Support vector ordinal regression as learners "kernel" and "linear", in a single step. The method
 * selects the loss. */
#include "pipeline/learners/learner_svor.h"

#include "learners/svor/svor.h"
#include "model/kernel_node.h"
#include "model/linear_node.h"
#include "pipeline/ranker.h"
#include "pipeline/train_options.h"

#include <stdlib.h>

typedef struct fitting {
    gr_fit fit;
    bool is_linear;
    gr_machine machine;
    gr_linear linear;
    gr_svor_fit found;
} fitting;

static gradus_status start(const gr_fit *fit, bool is_linear, void **state, gradus_error *err)
{
    fitting *made;

    GR_TRY(gr_refuse_initial(fit, err));
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

    (void)first;
    (void)end;
    return f->is_linear ? gr_linear_add(&f->linear, data, sums, pool, err)
                        : gr_machine_add(&f->machine, data, sums, pool, err);
}

static void note_fit(const fitting *f)
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
    const gr_svor_options *options = GR_TRAIN_BLOCK(fit->options, svor);

    if (f->is_linear)
        return gr_svor_train_linear(fit->context, fit->data, fit->problem, loss, options,
                                    fit->options->seed, &f->linear, &f->found, err);
    return gr_svor_train_kernel(fit->context, fit->data, fit->problem, loss, options,
                                GR_TRAIN_BLOCK(fit->options, kernel), &f->machine, &f->found, err);
}

static gradus_status step(void *state, bool *grew, gradus_error *err)
{
    fitting *f = state;

    *grew = false;
    GR_TRY(solve(f, err));
    note_fit(f);
    return GRADUS_OK;
}

static gradus_status node(const void *state, uint64_t kept, gr_node *made, gradus_error *err)
{
    const fitting *f = state;
    gr_machine machine = { .outputs = 0 };
    gr_linear linear = { .features = 0 };
    gradus_status status;

    (void)kept;
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

static void free_state(void *state)
{
    fitting *f = state;

    if (!f)
        return;
    gr_linear_free(&f->linear);
    gr_machine_free(&f->machine);
    gr_svor_fit_free(&f->found);
    free(f);
}

static const gr_learner_outputs outputs = { .add = add_outputs };
static const gr_learner_report report = { .result = result };

static const gr_param *const kernel_params[] = { gr_kernel_params, gr_svor_kernel_params, NULL };
static const gr_param *const linear_params[] = { gr_svor_linear_params, NULL };

#define ALONE "its steps change the multiplier of one row after the other; use propodds or orboost"

const gr_learner gr_learner_kernel = {
    .about = { "kernel", "kernel expansion over support rows, for svor-imc, svor-exc and svor-sl",
               "Gaussian, polynomial or linear kernels (--kernel), fitted in the dual by SMO until "
               "the duality gap is --tolerance of the objective. Kernel rows are cached in --cache "
               "megabytes. A missing value counts as the mean of its feature. Time grows slightly "
               "faster than the square of the number of rows: 10,000 rows take a few minutes at "
               "most; --learner linear handles millions." },
    .by_method = true,
    .quadratic = true,
    .transform = "standardise",
    .alone = ALONE,
    .params = kernel_params,
    .feature_bytes = 156,
    .start = start_kernel,
    .step = step,
    .node = node,
    .free = free_state,
    .outputs = &outputs,
    .report = &report,
    .thresholds = thresholds,
};

const gr_learner gr_learner_svor_linear = {
    .about = { "linear", "a linear function, by dual coordinate descent",
               "At most --passes passes over the rows, until the duality gap is --tolerance of the "
               "objective." },
    .by_method = true,
    .transform = "standardise",
    .alone = ALONE,
    .params = linear_params,
    .feature_bytes = 100,
    .start = start_linear,
    .step = step,
    .node = node,
    .free = free_state,
    .outputs = &outputs,
    .report = &report,
    .thresholds = thresholds,
};

const gr_learner *const gr_svor_learners[] = { &gr_learner_kernel, &gr_learner_svor_linear, NULL };
