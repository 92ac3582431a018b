/* SPDX-License-Identifier: Apache-2.0 */
/* Options of SVOR, and training with a kernel: lays out the rows, selects the kernel, runs the
 * solver and keeps the support rows. */
#include "learners/svor/svor.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

const gr_param gr_svor_params[] = {
    GR_TUNED_REAL(gr_svor_options, c, "penalty", "C", 1, 1e-12, 1e12, "0.01..10:log",
                  "svor: C, the cost of a margin error of a row of weight 1"),
    GR_PARAM_REAL(gr_svor_options, tolerance, "tolerance", "X", 0.001, 1e-12, 1,
                  "svor: stop when the duality gap is this fraction of the objective"),
    GR_PARAM_END,
};

const gr_param gr_svor_kernel_params[] = {
    GR_PARAM_COUNT(gr_svor_options, cache, "cache", "MB", 500, 1, 1000000,
                   "svor --learner kernel: size of the kernel row cache in megabytes"),
    GR_PARAM_END,
};

const gr_param gr_svor_linear_params[] = {
    GR_PARAM_COUNT(gr_svor_options, passes, "passes", "N", 1000, 1, 1000000,
                   "svor --learner linear: maximum passes over the rows"),
    GR_PARAM_END,
};

void gr_svor_fit_free(gr_svor_fit *fit)
{
    free(fit->thresholds);
    *fit = (gr_svor_fit){ .steps = 0 };
}

gradus_status gr_svor_task_of(const gradus_context *context, const gr_problem *problem,
                              gr_svor_loss loss, const gr_svor_options *options, gr_svor_task *task,
                              gradus_error *err)
{
    *task = (gr_svor_task){ .context = context,
                            .loss = loss,
                            .rows = problem->rows,
                            .cuts = problem->levels - 1,
                            .level_of = problem->level_of,
                            .tolerance = options->tolerance };
    task->prices = gr_new_array(problem->rows, sizeof *task->prices);
    if (!task->prices)
        return gr_fail_memory(err, "the weights of rows");
    for (size_t r = 0; r < problem->rows; r++)
        task->prices[r] =
            options->c * (problem->row_weights ? (double)problem->row_weights[r] : 1.0);
    return GRADUS_OK;
}

static gradus_status make_machine(const gr_kernel *kernel, const gr_kernel_rows *rows,
                                  const double *betas, gr_machine *machine, gradus_error *err)
{
    uint32_t *support = gr_new_array(rows->rows, sizeof *support);
    size_t count = 0;
    gradus_status status = GRADUS_OK;

    *machine = (gr_machine){ .kernel = *kernel, .outputs = 1 };
    for (size_t r = 0; support && r < rows->rows; r++)
        if (betas[r] != 0.0)
            support[count++] = (uint32_t)r;
    machine->bases = gr_new_array(1, sizeof *machine->bases);
    machine->coefficients = gr_new_array(count, sizeof *machine->coefficients);
    if (!support || !machine->bases || !machine->coefficients)
        status = gr_fail_memory(err, "a support vector machine");
    for (size_t i = 0; status == GRADUS_OK && i < count; i++)
        machine->coefficients[i] = betas[support[i]];
    if (status == GRADUS_OK)
        status = gr_kernel_rows_pick(rows, support, count, &machine->rows, err);
    if (status != GRADUS_OK)
        gr_machine_free(machine);
    free(support);
    return status;
}

static gradus_status solve(const gr_svor_task *task, const gr_kernel *kernel,
                           const gr_kernel_rows *rows, const gr_svor_options *options,
                           gr_machine *machine, gr_svor_fit *fit, gradus_error *err)
{
    double *betas = gr_new_array(rows->rows, sizeof *betas);
    gradus_status status;

    *fit = (gr_svor_fit){ .thresholds = gr_new_array(task->cuts, sizeof(double)) };
    status = betas && fit->thresholds
                 ? gr_svor_smo(task, kernel, rows, options->cache << 20, betas, fit, err)
                 : gr_fail_memory(err, "a support vector machine");
    if (status == GRADUS_OK)
        status = make_machine(kernel, rows, betas, machine, err);
    if (status == GRADUS_OK)
        fit->support = machine->rows.rows;
    else
        gr_svor_fit_free(fit);
    free(betas);
    return status;
}

gradus_status gr_svor_train_kernel(const gradus_context *context, const gradus_dataset *data,
                                   const gr_problem *problem, gr_svor_loss loss,
                                   const gr_svor_options *options, const gr_kernel_options *kernel,
                                   gr_machine *machine, gr_svor_fit *fit, gradus_error *err)
{
    gr_spread *spreads = gr_new_array(data->arrays.features, sizeof *spreads);
    gr_kernel_rows rows = { .rows = 0 };
    gr_kernel chosen;
    gr_svor_task task = { .rows = 0 };
    gradus_status status;

    *fit = (gr_svor_fit){ .steps = 0 };
    *machine = (gr_machine){ .outputs = 0 };
    status = spreads ? gr_spread_all(data, spreads, gr_pool_of(context), err)
                     : gr_fail_memory(err, "the spread of features");
    if (status == GRADUS_OK)
        status = gr_kernel_choose(kernel, spreads, data->arrays.features, &chosen, err);
    if (status == GRADUS_OK)
        status = gr_kernel_rows_of(data, NULL, data->arrays.rows, spreads, &rows, err);
    if (status == GRADUS_OK)
        status = gr_svor_task_of(context, problem, loss, options, &task, err);
    if (status == GRADUS_OK)
        status = solve(&task, &chosen, &rows, options, machine, fit, err);
    for (size_t cut = 1; status == GRADUS_OK && cut < task.cuts; cut++)
        fit->crossed |= fit->thresholds[cut] < fit->thresholds[cut - 1];
    free(task.prices);
    free(spreads);
    gr_kernel_rows_free(&rows);
    return status;
}
