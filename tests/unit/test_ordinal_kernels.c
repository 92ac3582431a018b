/* SPDX-License-Identifier: Apache-2.0 */
/* Kernels of losses for ordered grades: against their definitions. */
#include "checks.h"

#include "base/math.h"
#include "base/rng.h"
#include "kernels/ordinal.h"
#include "kernels/sigmoid.h"
#include "objectives/objective_rows.h"

#include <math.h>
#include <string.h>

enum { LENGTH = 500 };

typedef struct sample {
    double scores[LENGTH], low[LENGTH], high[LENGTH]; /* the thresholds around each row's grade */
    double above[LENGTH], below[LENGTH], shares[LENGTH], weights[LENGTH], steps[LENGTH];
} sample;

/* A third of the rows have no threshold above, another third none below. */
static void draw(sample *s, double spread)
{
    gr_rng rng = gr_rng_for(7, "ordinal kernels", 0);

    for (size_t i = 0; i < LENGTH; i++) {
        s->scores[i] = spread * gr_rng_normal(&rng);
        s->low[i] = i % 3 == 1 ? -INFINITY : gr_rng_normal(&rng);
        s->high[i] = i % 3 == 2   ? INFINITY
                     : i % 3 == 1 ? gr_rng_normal(&rng)
                                  : s->low[i] + 0.1 + gr_rng_uniform(&rng);
        s->above[i] = gr_exp(-s->high[i]);
        s->below[i] = gr_exp(s->low[i]);
        s->shares[i] = 1.0 / (1.0 - gr_exp(s->low[i] - s->high[i]));
        s->weights[i] = 0.5 + gr_rng_uniform(&rng);
        s->steps[i] = gr_rng_normal(&rng);
    }
}

static gr_odds_rows rows_of(const sample *s, size_t count, bool weighted)
{
    return (gr_odds_rows){ s->scores, s->above, s->below, s->shares, weighted ? s->weights : NULL,
                           count };
}

/* -log P(y between the thresholds), by its definition. */
static double loss(double score, double low, double high)
{
    return -log(1.0 / (1.0 + exp(score - high)) - 1.0 / (1.0 + exp(score - low)));
}

static void test_odds_are_slopes_of_the_loss(void **state)
{
    static sample s;
    static float gradients[LENGTH], hessians[LENGTH];
    static double terms[GR_ODDS_TERMS][LENGTH];
    double *const to[GR_ODDS_TERMS] = { terms[0], terms[1], terms[2], terms[3] };
    const double d = 1e-4;

    (void)state;
    draw(&s, 1.0);
    const gr_odds_rows rows = rows_of(&s, LENGTH, true);

    gr_ordinal_versions[0]->odds_gradients(&rows, gradients, hessians);
    gr_ordinal_versions[0]->odds_terms(&rows, to);
    for (size_t i = 0; i < LENGTH; i++) {
        const double f = s.scores[i], a = s.low[i], b = s.high[i], w = s.weights[i];
        const double here = loss(f, a, b);

        CHECK_NEAR((double)gradients[i], w * (loss(f + d, a, b) - loss(f - d, a, b)) / (2 * d),
                   1e-6);
        CHECK_NEAR((double)hessians[i],
                   w * (loss(f + d, a, b) - 2 * here + loss(f - d, a, b)) / (d * d), 1e-5);
        CHECK_NEAR(terms[0][i], -w * (loss(f, a, b + d) - loss(f, a, b - d)) / (2 * d), 1e-4);
        CHECK_NEAR(terms[1][i], w * (loss(f, a, b + d) - 2 * here + loss(f, a, b - d)) / (d * d),
                   1e-3 * (1.0 + terms[1][i]));
        CHECK_NEAR(terms[2][i], w * (loss(f, a + d, b) - loss(f, a - d, b)) / (2 * d), 1e-4);
        CHECK_NEAR(terms[3][i], w * (loss(f, a + d, b) - 2 * here + loss(f, a - d, b)) / (d * d),
                   1e-3 * (1.0 + terms[3][i]));
    }
}

static void test_powers_are_what_they_say(void **state)
{
    static sample s;
    static double down[LENGTH], up[LENGTH], terms[GR_LINE_TERMS][LENGTH];
    static float gradients[LENGTH], hessians[LENGTH];
    double *const to[GR_LINE_TERMS] = {
        terms[0], terms[1], terms[2], terms[3], terms[4], terms[5]
    };
    const gr_ordinal_kernels *plain = gr_ordinal_versions[0];

    (void)state;
    draw(&s, 3.0);
    s.scores[0] = 1e30;
    s.scores[1] = -1e30;
    s.steps[0] = s.steps[1] = 1.0;
    plain->powers(s.scores, LENGTH, down, up);
    plain->line(s.scores, s.steps, 0.5, s.weights, LENGTH, to);
    plain->pairs(s.scores, s.above, s.below, s.weights, LENGTH, gradients, hessians);
    for (size_t i = 0; i < LENGTH; i++) {
        const double f = fmin(fmax(s.scores[i], -GR_POWER_FAR), GR_POWER_FAR), d = s.steps[i];
        const double t = fmin(fmax(s.scores[i] + 0.5 * d, -GR_POWER_FAR), GR_POWER_FAR);
        const double w = s.weights[i], p = fmin(exp(-f) * s.above[i], GR_POWER_MAX) * w;
        const double q = fmin(exp(f) * s.below[i], GR_POWER_MAX) * w;

        CHECK_NEAR(down[i] / exp(-f), 1.0, 1e-10);
        CHECK_NEAR(up[i] / exp(f), 1.0, 1e-10);
        CHECK_NEAR(terms[0][i] / (w * exp(-t)), 1.0, 1e-10);
        CHECK_NEAR(terms[1][i] / (-d * w * exp(-t)), 1.0, 1e-10);
        CHECK_NEAR(terms[2][i] / (d * d * w * exp(-t)), 1.0, 1e-10);
        CHECK_NEAR(terms[3][i] / (w * exp(t)), 1.0, 1e-10);
        CHECK_NEAR(terms[4][i] / (d * w * exp(t)), 1.0, 1e-10);
        CHECK_NEAR(terms[5][i] / (d * d * w * exp(t)), 1.0, 1e-10);
        CHECK_NEAR((double)gradients[i], q - p, 1e-6 * (p + q));
        CHECK_NEAR((double)hessians[i], p + q, 1e-6 * (p + q));
    }
}

static void test_sums_by_level_are_those_of_rows(void **state)
{
    static double numbers[2][GR_CHUNK];
    const uint8_t level_of[5] = { 2, 0, 2, 2, 1 };
    double sums[2 * 2 * 3] = { 0.0 };

    (void)state;
    for (size_t i = 0; i < 5; i++) {
        numbers[0][i] = (double)(i + 1);
        numbers[1][i] = 10.0 * (double)(i + 1);
    }
    gr_add_levels(level_of, 5, 3, 2, numbers, sums);
    gr_fold_levels(3, 2, sums);
    assert_true(sums[0] == 2.0 && sums[1] == 20.0);
    assert_true(sums[2] == 5.0 && sums[3] == 50.0);
    assert_true(sums[4] == 8.0 && sums[5] == 80.0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_odds_are_slopes_of_the_loss),
        cmocka_unit_test(test_powers_are_what_they_say),
        cmocka_unit_test(test_sums_by_level_are_those_of_rows),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
