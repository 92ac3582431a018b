/* SPDX-License-Identifier: Apache-2.0 */
/* The weights of labels and rows, computed from the sums of votes in three parallel passes: the
 * largest exponent, the powers and their sum, and the rounding to integers. */
#include "learners/adaboost/adaboost_round.h"

#include "base/math.h"
#include "base/ranges.h"
#include "kernels/sigmoid.h"

#include <math.h>

/* The sum of all integer weights, up to rounding. */
#define WHOLE 0x1p60

double gr_adaboost_first_weight(const gr_adaboost_options *options, const gr_problem *problem,
                                size_t level, size_t k)
{
    const bool graded = options->label_weights == GR_LABEL_WEIGHTS_GRADE;
    const double own = graded ? problem->level_labels[level] * 0x1.62e42fefa39efp-1 : 0.0;

    return graded && k != level ? own - gr_log((double)(problem->levels - 1)) : own;
}

typedef struct weighing {
    gr_adaboost *boost;
    double first[GR_MAX_LEVELS][2]; /* log initial weights per level: right label, wrong label */
    double shift, share;
    const gr_sigmoid_kernels *kernels;
} weighing;

static double exponent(const weighing *work, size_t k, size_t r)
{
    const gr_adaboost *b = work->boost;
    const gr_problem *problem = b->task.problem;
    const size_t level = problem->level_of[r];
    const double f = b->sums[k * b->rows + r];

    return level == k ? work->first[level][0] - f : work->first[level][1] + f;
}

static double weight_of(const gr_problem *problem, size_t r)
{
    return problem->row_weights ? (double)problem->row_weights[r] : 1.0;
}

static void find_largest(void *argument, gr_range range)
{
    const weighing *work = argument;
    gr_adaboost *b = work->boost;
    double largest = -INFINITY;

    for (size_t k = 0; k < b->labels; k++)
        for (size_t r = range.first; r < range.end; r++)
            if (weight_of(b->task.problem, r) > 0.0)
                largest = fmax(largest, exponent(work, k, r));
    b->partial[range.index] = largest;
}

static void take_powers(void *argument, gr_range range)
{
    const weighing *work = argument;
    gr_adaboost *b = work->boost;
    double sum = 0.0;

    for (size_t k = 0; k < b->labels; k++) {
        double *powers = b->powers + k * b->rows;

        for (size_t r = range.first; r < range.end;
             r++) /* rows of weight 0 may exceed the largest */
            powers[r] = fmin(exponent(work, k, r) - work->shift, 0.0);
        work->kernels->exp_minus(powers + range.first, range.end - range.first,
                                 powers + range.first);
        for (size_t r = range.first; r < range.end; r++)
            sum += powers[r] *= weight_of(b->task.problem, r);
    }
    b->partial[range.index] = sum;
}

static void round_off(void *argument, gr_range range)
{
    const weighing *work = argument;
    gr_adaboost *b = work->boost;
    int64_t all = 0;

    for (size_t k = 0; k < b->labels; k++) {
        int64_t *to =
            b->weights + (k / GR_EDGE_LANES * b->rows) * GR_EDGE_LANES + k % GR_EDGE_LANES;

        for (size_t r = range.first; r < range.end; r++) {
            const int64_t whole = llrint(b->powers[k * b->rows + r] * work->share);

            to[r * GR_EDGE_LANES] = b->task.problem->level_of[r] == k ? whole : -whole;
            all += whole;
        }
    }
    b->whole[range.index] = all;
}

void gr_adaboost_weigh(gr_adaboost *b)
{
    const gr_problem *problem = b->task.problem;
    const size_t chunks = gr_range_count(b->rows, GR_ADABOOST_ROWS);
    weighing work = { .boost = b, .shift = -INFINITY, .kernels = gr_sigmoid_here() };
    double sum = 0.0;

    for (size_t l = 0; l < b->labels; l++) {
        work.first[l][0] = gr_adaboost_first_weight(b->task.options, problem, l, l);
        work.first[l][1] = gr_adaboost_first_weight(b->task.options, problem, l, l ? l - 1 : l + 1);
    }
    gr_for_ranges(b->pool, b->rows, GR_ADABOOST_ROWS, find_largest, &work);
    for (size_t s = 0; s < chunks; s++)
        work.shift = fmax(work.shift, b->partial[s]);
    gr_for_ranges(b->pool, b->rows, GR_ADABOOST_ROWS, take_powers, &work);
    for (size_t s = 0; s < chunks; s++)
        sum += b->partial[s];
    work.share = WHOLE / sum;
    b->log_total = work.shift + gr_log(sum);
    gr_for_ranges(b->pool, b->rows, GR_ADABOOST_ROWS, round_off, &work);
    b->all = 0;
    for (size_t s = 0; s < chunks; s++)
        b->all += b->whole[s];
}
