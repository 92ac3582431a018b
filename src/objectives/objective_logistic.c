/* SPDX-License-Identifier: Apache-2.0 */
/* Binary logistic loss per output: weighted log(1 + e^f) - t f, with target t from 0 to 1. Splits
 * fit the residuals t - p by least squares, and a leaf's value is sum (t - p) / sum p (1 - p), as
 * in McRank (Li, Burges and Wu 2007). */
#include "objectives/objective_rows.h"

#include "base/math.h"
#include "kernels/sigmoid.h"

#include <math.h>

static gradus_status logistic_begin(const gr_problem *problem, const gr_objective_options *options,
                                    gr_pool *pool, void **state, gradus_error *err)
{
    (void)options;
    (void)pool;
    *state = NULL;
    for (size_t i = 0; problem->targets && i < problem->outputs * problem->levels; i++)
        if (!(problem->targets[i] >= 0.0 && problem->targets[i] <= 1.0))
            return gr_fail(err, GRADUS_BAD_NUMBER,
                           "target %g is not a probability: the logistic loss needs 0 to 1",
                           problem->targets[i]);
    for (size_t r = 0; !problem->targets && r < problem->rows; r++)
        if (!(problem->labels[r] >= 0.0f && problem->labels[r] <= 1.0f))
            return gr_fail(err, GRADUS_BAD_NUMBER,
                           "row %zu: label %g is not a probability: the logistic loss needs 0 to 1",
                           r + 1, (double)problem->labels[r]);
    return GRADUS_OK;
}

static void logistic_block(const gr_gradient_job *job, size_t first, size_t count)
{
    const gr_sigmoid_kernels *kernels = gr_sigmoid_here();
    const gr_problem *problem = job->problem;
    double targets[GR_CHUNK], weights[GR_CHUNK];

    for (size_t k = 0; k < problem->outputs; k++) {
        const size_t at = k * problem->rows + first;

        gr_problem_targets(problem, k, first, count, targets);
        gr_problem_weights(problem, k, first, count, weights);
        kernels->logistic(job->scores + at, targets, weights, count, job->gradients + at,
                          job->hessians + at);
    }
}

GR_DEFINE_GRADIENTS(logistic_gradients, logistic_block)

/* log(1 + e^f) - t f = max(f, 0) - t f + log(1 + e^-|f|) */
static double cross_entropy(double weight, double score, double target, double none)
{
    (void)none;
    return weight *
           ((score > 0.0 ? score : 0.0) - target * score + gr_log(1.0 + gr_exp(-fabs(score))));
}

GR_DEFINE_LOSS(logistic_loss, cross_entropy)

/* Log-odds of the mean targets. */
static void logistic_average(const void *state, const gr_problem *problem, double *bases)
{
    gr_mean_targets(problem, bases);
    for (size_t k = 0; k < problem->outputs; k++) {
        const double p = gr_frequency(bases[k], problem->rows);

        bases[k] = gr_log(p) - gr_log(1.0 - p);
    }
    (void)state;
}

GR_DEFINE_DESCRIBE(logistic_describe, GR_DEVICE_LOGISTIC)

const gr_objective gr_objective_logistic = {
    .about = { .name = "logistic",
               .summary = "binary logistic loss per output: log(1 + e^f) - t f",
               .details =
                   "Starts at 0, as McRank does, or with --boost-from-average at the log-odds of the "
                   "mean targets. p = 1 / (1 + e^-f). Splits fit the residuals t - "
                   "p by least squares; a leaf's value is sum (t - p) / sum p (1 - p), limited to "
                   "+-100 (before the learning rate), which only leaves whose rows are almost "
                   "certainly misclassified would exceed. Source: Li, Burges and Wu 2007." },
    .searches_by_weight = true,
    .begin = logistic_begin,
    .average = logistic_average,
    .gradients = logistic_gradients,
    .leaf = gr_leaf_newton,
    .loss = logistic_loss,
    .describe = logistic_describe,
};
