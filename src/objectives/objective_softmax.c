/* SPDX-License-Identifier: Apache-2.0 */
/* Multinomial logistic loss with one output per grade: -sum t_k log p_k, p the softmax of the
 * scores (McRank, Li, Burges and Wu 2007, algorithm 1, with p computed once per round). */
#include "objectives/objective_rows.h"

#include "base/math.h"
#include "kernels/sigmoid.h"

#include <string.h>

enum { CHANCES = 8 * GR_CHUNK }; /* maximum outputs x rows of a call */

static gradus_status softmax_begin(const gr_problem *problem, const gr_objective_options *options,
                                   gr_pool *pool, void **state, gradus_error *err)
{
    (void)options;
    (void)pool;
    *state = NULL;
    if (problem->levels < 1 || problem->outputs != problem->levels)
        return gr_fail(err, GRADUS_BAD_ARGUMENT,
                       "softmax needs graded labels and one output for each of %zu grades, "
                       "not %zu",
                       problem->levels, problem->outputs);
    for (size_t k = 0; problem->targets && k < problem->outputs; k++)
        for (size_t i = 0; i < problem->levels; i++)
            if (problem->targets[k * problem->levels + i] != (i == k ? 1.0 : 0.0))
                return gr_fail(err, GRADUS_BAD_ARGUMENT,
                               "softmax: output %zu must have target %d for level %zu, not %g", k,
                               i == k, i, problem->targets[k * problem->levels + i]);
    return GRADUS_OK;
}

static void softmax_block(const gr_gradient_job *job, size_t first, size_t count)
{
    const gr_sigmoid_kernels *kernels = gr_sigmoid_here();
    const gr_problem *problem = job->problem;
    const uint8_t *level_of = problem->level_of + first;
    double chances[CHANCES], targets[CHANCES], weights[GR_CHUNK];

    memset(targets, 0, problem->outputs * count * sizeof *targets);
    for (size_t r = 0; r < count; r++)
        targets[level_of[r] * count + r] = 1.0;
    kernels->softmax(job->scores + first, problem->rows, problem->outputs, count, chances);
    for (size_t k = 0; k < problem->outputs; k++) {
        const size_t at = k * problem->rows + first;

        if (k == 0 || problem->weights)
            gr_problem_weights(problem, k, first, count, weights);
        kernels->chance(chances + k * count, targets + k * count, weights, count,
                        job->gradients + at, job->hessians + at);
    }
}

static gradus_status softmax_gradients(void *state, const gr_problem *problem, const double *scores,
                                       float *gradients, float *hessians, gr_pool *pool,
                                       gradus_error *err)
{
    const size_t fits = CHANCES / problem->outputs; /* outputs <= GR_MAX_LEVELS */
    gr_gradient_job job = { problem,  scores,        gradients,
                            hessians, softmax_block, fits < GR_CHUNK ? fits : GR_CHUNK,
                            state };

    (void)err;
    gr_gradient_run(&job, pool);
    return GRADUS_OK;
}

static double softmax_leaf(const void *state, const gr_problem *problem, const gr_leaf *leaf)
{
    const double classes = (double)problem->outputs;

    (void)state;
    return gr_leaf_limited(leaf, (classes - 1.0) / classes);
}

/* If classes have weights, a row's loss has the weight of its class. */
static double softmax_loss(const void *state, const gr_problem *problem, const double *scores)
{
    double sum = 0.0;

    (void)state;
    for (size_t r = 0; r < problem->rows; r++) {
        const size_t own = problem->level_of[r];
        double most = scores[r], total = 0.0;

        for (size_t k = 1; k < problem->outputs; k++)
            if (scores[k * problem->rows + r] > most)
                most = scores[k * problem->rows + r];
        for (size_t k = 0; k < problem->outputs; k++)
            total += gr_exp(scores[k * problem->rows + r] - most);
        sum += gr_problem_weight(problem, own, r) *
               (gr_log(total) + most - scores[own * problem->rows + r]);
    }
    return problem->rows ? sum / (double)problem->rows : 0.0;
}

/* Logarithms of the classes' frequencies; a class without rows counts half of one. */
static void softmax_average(const void *state, const gr_problem *problem, double *bases)
{
    double total = 0.0;

    (void)state;
    memset(bases, 0, problem->outputs * sizeof *bases);
    for (size_t r = 0; r < problem->rows; r++) {
        const size_t own = problem->level_of[r];
        const double weight = gr_problem_weight(problem, own, r);

        bases[own] += weight;
        total += weight;
    }
    for (size_t k = 0; k < problem->outputs; k++)
        bases[k] = total > 0.0 ? gr_log(gr_frequency(bases[k] / total, problem->rows)) : 0.0;
}

GR_DEFINE_DESCRIBE(softmax_describe, GR_DEVICE_SOFTMAX)

const gr_objective gr_objective_softmax = {
    .about = { .name = "softmax",
               .summary =
                   "one class per grade: minus the log of the true grade's softmax probability",
               .details =
                   "Starts at 0, or with --boost-from-average at the logarithms of the grades' "
                   "frequencies. p = softmax of the K scores of a row, computed once per round. "
                   "Splits fit the residuals [y = k] - p by least squares; a leaf's value is "
                   "(K - 1) / K * sum ([y = k] - p) / sum p (1 - p), limited to +-100 "
                   "(before the learning rate), which only leaves whose rows are almost certainly "
                   "misclassified would exceed. Sources: Friedman 2001; Li, Burges and Wu 2007." },
    .searches_by_weight = true,
    .begin = softmax_begin,
    .average = softmax_average,
    .gradients = softmax_gradients,
    .leaf = softmax_leaf,
    .loss = softmax_loss,
    .describe = softmax_describe,
};
