/* SPDX-License-Identifier: Apache-2.0 */
/* The artificial set on which McRank (Li, Burges and Wu, 2007) was compared with LambdaRank: a sum
 * of a linear, a quadratic and a cubic form in uniform features, divided into grades. The recipe is
 * from the RankNet paper (Burges et al., 2005). */
#include "data/synth/synth_draw.h"
#include "data/synth/synth_grades.h"
#include "data/synth/synth.h"

#include <stdlib.h>

enum { FEATURES = 1000 }; /* maximum */
enum { STEPS = 1000000 }; /* features are multiples of 1/STEPS, so that their text is short */

typedef struct mcrank_options {
    uint64_t queries, documents, features;
    const char *shares;
    uint64_t first_query, seed;
} mcrank_options;

static const gr_param mcrank_params[] = {
    GR_PARAM_COUNT(mcrank_options, queries, "queries", "N", 10000, 1, GR_SYNTH_MAX,
                   "number of queries"),
    GR_PARAM_COUNT(mcrank_options, documents, "documents", "N", 50, 1, 100000,
                   "documents per query"),
    GR_PARAM_COUNT(mcrank_options, features, "features", "N", 50, 1, FEATURES,
                   "number of features"),
    GR_PARAM_TEXT(mcrank_options, shares, "grade-fractions", "LIST", "52,32,13,2,1",
                  "relative frequency of each grade, lowest first"),
    GR_PARAM_COUNT(mcrank_options, first_query, "first-query", "N", 1, 1, GR_SYNTH_MAX,
                   "number of the first query; other numbers give new rows of the same function"),
    GR_PARAM_COUNT(mcrank_options, seed, "seed", "N", 1, 0, 18446744073709551615.0,
                   "random seed; the set depends only on it and the other options"),
    GR_PARAM_END,
};

const gr_operation gr_operation_synth_mcrank = {
    .name = "synth mcrank",
    .summary = "McRank's artificial set: polynomials of 50 uniform features",
    .params = mcrank_params,
    .size = sizeof(mcrank_options),
};

/* A product of up to three features, given by their numbers. */
typedef struct monomial {
    size_t at[3];
    size_t degree;
} monomial;

typedef struct mcrank_plan {
    mcrank_options options;
    size_t features;
    gr_grades grades;
    double linear[FEATURES];
    size_t q[FEATURES], p[FEATURES], r[FEATURES]; /* permutations */
    double linear_scale, quadratic_mean, quadratic_scale, cubic_mean, cubic_scale;
} mcrank_plan;

static void permute(size_t *items, size_t count, uint64_t seed, const char *purpose)
{
    gr_rng rng = gr_rng_for(seed, purpose, 0);

    for (size_t i = 0; i < count; i++)
        items[i] = i;
    gr_shuffle(&rng, items, count);
}

static monomial quadratic_term(const mcrank_plan *plan, size_t i)
{
    return (monomial){ { i, plan->q[i], 0 }, 2 };
}

static monomial cubic_term(const mcrank_plan *plan, size_t i)
{
    return (monomial){ { i, plan->p[i], plan->r[i] }, 3 };
}

/* The mean of a product of monomials. E x^n of a uniform x on [-1, 1] is 1 / (n + 1) for even n and
 * 0 for odd n; features are independent, so the mean is a product of such moments. */
static double mean_of_product(const monomial *a, const monomial *b)
{
    size_t all[6], count = 0;
    double mean = 1.0;

    for (size_t i = 0; i < a->degree; i++)
        all[count++] = a->at[i];
    for (size_t i = 0; b && i < b->degree; i++)
        all[count++] = b->at[i];
    for (size_t i = 0; i < count; i++) {
        size_t power = 0, first = i;

        for (size_t j = 0; j < count; j++)
            if (all[j] == all[i]) {
                power++;
                first = j < first ? j : first;
            }
        if (power % 2 == 1)
            return 0.0;
        if (first == i)
            mean /= (double)(power + 1);
    }
    return mean;
}

/* The exact mean of a sum of monomials, and the reciprocal of its standard deviation. */
static void standardise(const mcrank_plan *plan, monomial (*term)(const mcrank_plan *, size_t),
                        double *mean, double *scale)
{
    double square = 0.0;

    *mean = 0.0;
    for (size_t i = 0; i < plan->features; i++) {
        const monomial a = term(plan, i);

        *mean += mean_of_product(&a, NULL);
        for (size_t j = 0; j < plan->features; j++) {
            const monomial b = term(plan, j);
            square += mean_of_product(&a, &b);
        }
    }
    *scale = 1.0 / sqrt(square - *mean * *mean);
}

static void draw_function(mcrank_plan *plan, uint64_t seed)
{
    gr_rng rng = gr_rng_for(seed, "mcrank weights", 0);
    double variance = 0.0;

    for (size_t i = 0; i < plan->features; i++) {
        plan->linear[i] = 2.0 * gr_rng_uniform(&rng) - 1.0;
        variance += plan->linear[i] * plan->linear[i] / 3.0;
    }
    plan->linear_scale = 1.0 / sqrt(variance);
    permute(plan->q, plan->features, seed, "mcrank Q");
    permute(plan->p, plan->features, seed, "mcrank P");
    permute(plan->r, plan->features, seed, "mcrank R");
    standardise(plan, quadratic_term, &plan->quadratic_mean, &plan->quadratic_scale);
    standardise(plan, cubic_term, &plan->cubic_mean, &plan->cubic_scale);
}

static void draw_row(const mcrank_plan *plan, gr_rng *rng, float *row)
{
    for (size_t i = 0; i < plan->features; i++)
        row[i] = (float)(((double)gr_draw_below(rng, 2 * STEPS + 1) - STEPS) / STEPS);
}

static double target_of(const mcrank_plan *plan, const float *x)
{
    double linear = 0.0, quadratic = 0.0, cubic = 0.0;

    for (size_t i = 0; i < plan->features; i++) {
        const double xi = (double)x[i];

        linear += plan->linear[i] * xi;
        quadratic += xi * (double)x[plan->q[i]];
        cubic += xi * (double)x[plan->p[i]] * (double)x[plan->r[i]];
    }
    return (linear * plan->linear_scale +
            (quadratic - plan->quadratic_mean) * plan->quadratic_scale +
            (cubic - plan->cubic_mean) * plan->cubic_scale) /
           3.0;
}

static void draw_targets(const void *made, size_t part, double *out)
{
    const mcrank_plan *plan = made;
    gr_rng rng = gr_rng_for(plan->options.seed, "mcrank cuts", part);
    float row[FEATURES];

    for (size_t i = 0; i < GR_GRADE_PART; i++) {
        draw_row(plan, &rng, row);
        out[i] = target_of(plan, row);
    }
}

static gradus_status mcrank_prepare(const void *values, gr_pool *pool, gr_synth_shape *shape,
                                    void **made, gradus_error *err)
{
    const mcrank_options *options = values;
    mcrank_plan *plan = calloc(1, sizeof *plan);

    *made = plan;
    if (!plan)
        return gr_fail_memory(err, "a synthetic set");
    plan->options = *options;
    plan->features = (size_t)options->features;
    GR_TRY(gr_grades_parse(&plan->grades, options->shares, err));
    draw_function(plan, options->seed);
    const size_t documents = (size_t)options->documents;

    *shape = (gr_synth_shape){ plan->features, false, options->queries, options->first_query,
                               documents < 4096 ? 4096 / documents : 1 };
    return gr_grades_cut(&plan->grades, draw_targets, plan, pool, err);
}

static gradus_status mcrank_make(const void *made, uint64_t number, gr_synth_block *block,
                                 gradus_error *err)
{
    const mcrank_plan *plan = made;
    const size_t rows = (size_t)plan->options.documents;
    gr_rng rng = gr_rng_for(plan->options.seed, "mcrank query", number);
    gr_synth_query query;

    GR_TRY(gr_synth_begin(block, number, rows, &query, err));
    for (size_t r = 0; r < rows; r++) {
        float *row = query.values + r * plan->features;

        draw_row(plan, &rng, row);
        query.labels[r] = (float)gr_grade_of(&plan->grades, target_of(plan, row));
    }
    return GRADUS_OK;
}

const gr_synth gr_synth_mcrank = {
    .about = { .name = "mcrank",
               .summary = "McRank's artificial set: polynomials of 50 uniform features",
               .details =
                   "Features x_1..x_n are uniform on [-1,1] (multiples of 1e-6). The target is "
                   "the mean of three forms, each standardised: sum w_i x_i with w uniform on "
                   "[-1,1]; sum x_i x_Q(i); and sum x_i x_P(i) x_R(i), where Q, P and R are "
                   "random permutations. It is divided into grades with the given frequencies. "
                   "Weights and permutations depend only on the seed and the number of features, "
                   "so training and test sets have the same target function if they differ only "
                   "in --first-query. Means and variances of the forms are exact, from the moments "
                   "of the uniform distribution; grade thresholds are quantiles of a sample of "
                   "200,000 targets that depends only on the seed, so grade frequencies are exact "
                   "to about 0.1 % of the rows plus sampling error. There is no noise: labels are "
                   "a function of the features. Recipe: Burges et al., \"Learning to rank using "
                   "gradient descent\" (2005); used by Li, Burges and Wu, \"McRank\" (2007)." },
    .operation = &gr_operation_synth_mcrank,
    .prepare = mcrank_prepare,
    .make = mcrank_make,
    .end = free,
};
