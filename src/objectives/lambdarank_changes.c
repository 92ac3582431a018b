/* SPDX-License-Identifier: Apache-2.0 */
/* The exact change of a metric when two documents swap ranks, in O(1) per pair.
 *
 * Ranks i < j start at 1; c_r is the discount of rank r (0 beyond the cutoff), v the values of the
 * documents.
 *
 * - NDCG, v = gain / ideal DCG: |v_i - v_j| (c_i - c_j), c_r = 1 / log2(1 + r).
 * - ERR, v = R: |v_i - v_j| P_i (c_i - S_ij - M_ij c_j), c_r = 1 / r. P_i is the product of 1 - R
 *   over the ranks before i, M_ij that over the ranks between i and j, and S_ij the sum over r
 *   between i and j of c_r R_r M_ir.
 * - MAP, v = [relevant] / n: |v_i - v_j| ((C_i + 1) c_i + H_ij - C_j' c_j), c_r = 1 / r. C_i counts
 *   the relevant documents before i, C_j' those up to and including j, H_ij is the sum of c_r over
 *   the relevant documents between i and j, and n counts all relevant documents of the query. */
#include "objectives/objective_lambdarank.h"

#include "metrics/gains.h"

#include <math.h>

static double discount_of(int metric, size_t i)
{
    return metric == GR_LAMBDA_NDCG ? gr_discount_at(GR_DISCOUNT_LOG2, i) : 1.0 / ((double)i + 1.0);
}

static void fill_gains(const gr_lambda_state *state, size_t start, const float *labels,
                       double *values, size_t count)
{
    const gr_gains *gains = &state->options.gains;
    const gr_lambda_workspace *workspace = &state->workspaces[0];
    double best = 0.0, ideal = 0.0;

    for (size_t i = 0; i < count; i++)
        best = fmax(best, (double)labels[i]);
    /* Avoids overflow of 2^y; cancels out in the division by the ideal. */
    const int shift = gains->rule == GR_GAIN_EXP && best > 900.0 ? 128 : 0;

    for (size_t i = 0; i < count; i++)
        values[i] = gr_gain_of(gains, (double)labels[i], shift);
    gr_lambda_sort(values, count, state->order + start, workspace->exact, workspace->sorting);
    for (size_t i = 0; i < count; i++) /* ideal DCG: largest gain first */
        ideal += workspace->exact[i] * state->discounts[i];
    for (size_t i = 0; i < count; i++)
        values[i] = ideal > 0.0 ? values[i] / ideal : 0.0;
}

static void fill_stops(const gr_lambda_state *state, const float *labels, double *values,
                       size_t count)
{
    const int most = (int)state->options.max_grade;

    for (size_t i = 0; i < count; i++)
        values[i] = ldexp(1.0, (int)labels[i] - most) - ldexp(1.0, -most);
}

static void fill_relevant(const float *labels, double *values, size_t count)
{
    size_t relevant = 0;

    for (size_t i = 0; i < count; i++)
        relevant += labels[i] >= 1.0f;
    for (size_t i = 0; i < count; i++)
        values[i] = labels[i] >= 1.0f ? 1.0 / (double)relevant : 0.0;
}

static void prepare_query(gr_lambda_state *state, const gr_problem *problem, size_t q)
{
    const size_t start = (size_t)problem->query_starts[q];
    const size_t count = (size_t)problem->query_starts[q + 1] - start;
    const float *labels = problem->labels + start;
    double *values = state->values + start;

    if (state->options.lambda_metric == GR_LAMBDA_NDCG)
        fill_gains(state, start, labels, values, count);
    else if (state->options.lambda_metric == GR_LAMBDA_ERR)
        fill_stops(state, labels, values, count);
    else
        fill_relevant(labels, values, count);
    for (size_t i = 1; i < count; i++)
        state->matters[q] |= values[i] != values[0];
}

/* The largest grade that the metric supports; INFINITY: any label of 0 or more is allowed. */
static double largest_grade(const gr_lambda_state *state)
{
    const gr_objective_options *options = &state->options;

    if (options->lambda_metric == GR_LAMBDA_MAP)
        return (double)INFINITY;
    if (options->lambda_metric == GR_LAMBDA_ERR)
        return fmin(options->max_grade, 1023.0);
    if (options->gains.rule == GR_GAIN_LINEAR)
        return (double)INFINITY;
    return options->gains.rule == GR_GAIN_TABLE ? (double)options->gains.count - 1.0 : 1023.0;
}

static gradus_status check_labels(const gr_lambda_state *state, const gr_problem *problem,
                                  gradus_error *err)
{
    const double most = largest_grade(state);
    const bool table = state->options.lambda_metric == GR_LAMBDA_NDCG &&
                       state->options.gains.rule == GR_GAIN_TABLE;

    for (size_t r = 0; r < problem->rows; r++) {
        const double label = (double)problem->labels[r];

        if (isinf(most) && !(label >= 0.0))
            return gr_fail(err, GRADUS_BAD_NUMBER,
                           "row %zu: label %g is negative: lambdarank needs labels of 0 or more",
                           r + 1, label);
        if (!isinf(most) && !(label >= 0.0 && label <= most && label == floor(label)))
            return gr_fail(err, GRADUS_BAD_NUMBER,
                           "row %zu: label %g is not a grade: %s takes whole numbers from 0 to %g",
                           r + 1, label, table ? "--label-gain" : "lambdarank", most);
    }
    return GRADUS_OK;
}

gradus_status gr_lambda_prepare(gr_lambda_state *state, const gr_problem *problem,
                                gradus_error *err)
{
    const uint64_t depth = state->options.lambda_depth;

    GR_TRY(check_labels(state, problem, err));
    for (size_t i = 0; i < state->largest; i++)
        state->discounts[i] =
            depth == 0 || i < depth ? discount_of(state->options.lambda_metric, i) : 0.0;

    for (size_t q = 0; q < problem->queries; q++)
        prepare_query(state, problem, q);
    return GRADUS_OK;
}

/* ERR: places[j] = P_i (c_i - S_ij - M_ij c_j) for all j > i, which includes the part of i; returns
 * 0. */
static double cascade_places(const gr_lambda_state *state, const double *values, size_t count,
                             size_t i, gr_lambda_cascade *cascade, float *places)
{
    const double *discounts = state->discounts;
    double stopped = 0.0, between = cascade->reading;

    for (size_t j = i + 1; j < count; j++) {
        places[j] = (float)(cascade->reading * discounts[i] - stopped - between * discounts[j]);
        stopped += discounts[j] * values[j] * between;
        between *= 1.0 - values[j];
    }
    cascade->reading *= 1.0 - values[i];
    return 0.0;
}

/* MAP: places[j] = (sum of c_r over the relevant documents before j) - C_j' c_j. */
static void precision_places(const gr_lambda_state *state, const double *values, size_t count,
                             float *places)
{
    double relevant = 0.0, sum = 0.0;

    for (size_t j = 0; j < count; j++) {
        const double is_relevant = values[j] > 0.0 ? 1.0 : 0.0;

        relevant += is_relevant;
        places[j] = (float)(sum - relevant * state->discounts[j]);
        sum += is_relevant * state->discounts[j];
    }
}

static double precision_place(const gr_lambda_state *state, const double *values, size_t i,
                              gr_lambda_cascade *cascade)
{
    const double is_relevant = values[i] > 0.0 ? 1.0 : 0.0;
    const double before = cascade->reading;

    cascade->reading += is_relevant;
    cascade->seen += is_relevant * state->discounts[i];
    return (before + 1.0) * state->discounts[i] - cascade->seen;
}

void gr_lambda_places(const gr_lambda_state *state, const double *values, size_t count,
                      gr_lambda_cascade *cascade, float *places)
{
    *cascade = (gr_lambda_cascade){ 0.0, 0.0 };
    if (state->options.lambda_metric == GR_LAMBDA_ERR)
        cascade->reading = 1.0;
    else if (state->options.lambda_metric == GR_LAMBDA_MAP)
        precision_places(state, values, count, places);
    else
        for (size_t j = 0; j < count; j++)
            places[j] = (float)-state->discounts[j];
}

double gr_lambda_place(const gr_lambda_state *state, const double *values, size_t count, size_t i,
                       gr_lambda_cascade *cascade, float *places)
{
    if (state->options.lambda_metric == GR_LAMBDA_ERR)
        return cascade_places(state, values, count, i, cascade, places);
    if (state->options.lambda_metric == GR_LAMBDA_MAP)
        return precision_place(state, values, i, cascade);
    return state->discounts[i];
}
