/* SPDX-License-Identifier: Apache-2.0 */
/* The optimal rankings of Uematsu and Lee (2015): cost-ratio (Theorem 3) and weights-and-scales
 * (Corollary 1) against all orders of a few rows with independent grades. */
#include "class_scorer.h"

enum { ITEMS = 5, TURNS = 60 };

typedef double distribution[MAX_GRADES];

/* The expected cost of ranking `first` above `second`. */
static double pair_cost(const double *costs, size_t levels, const double *first,
                        const double *second)
{
    double sum = 0.0;

    for (size_t j = 0; j < levels; j++)
        for (size_t i = j + 1; i < levels; i++)
            sum += costs[j * levels + i] * first[j] * second[i];
    return sum;
}

static double order_cost(const double *costs, size_t levels, const distribution *p,
                         const size_t *order)
{
    double sum = 0.0;

    for (size_t a = 0; a < ITEMS; a++)
        for (size_t b = a + 1; b < ITEMS; b++)
            sum += pair_cost(costs, levels, p[order[a]], p[order[b]]);
    return sum;
}

/* The minimum cost over all orders of the items from position `at` on. */
static double least_cost(const double *costs, size_t levels, const distribution *p, size_t *order,
                         size_t at)
{
    double least = (double)INFINITY;

    if (at == ITEMS)
        return order_cost(costs, levels, p, order);
    for (size_t i = at; i < ITEMS; i++) {
        size_t swapped[ITEMS];
        double cost;

        memcpy(swapped, order, sizeof swapped);
        swapped[at] = order[i];
        swapped[i] = order[at];
        cost = least_cost(costs, levels, p, swapped, at + 1);
        least = cost < least ? cost : least;
    }
    return least;
}

static void sort_by_score(const gr_scorer *scorer, const distribution *p, size_t *order)
{
    double scores[ITEMS];

    for (size_t a = 0; a < ITEMS; a++) {
        size_t at = a;

        scores[a] = score_p(scorer, p[a]);
        for (; at > 0 && scores[order[at - 1]] < scores[a]; at--)
            order[at] = order[at - 1];
        order[at] = a;
    }
}

/* The number of random lists that are not in the optimal order when sorted by score. */
static size_t count_worse(const gr_scorer *scorer, const double *costs, gr_rng *rng)
{
    const size_t levels = scorer->levels;
    size_t worse = 0;

    for (int turn = 0; turn < TURNS; turn++) {
        distribution p[ITEMS];
        size_t order[ITEMS], any[ITEMS] = { 0, 1, 2, 3, 4 };

        for (size_t a = 0; a < ITEMS; a++)
            draw_p(rng, levels, p[a]);
        sort_by_score(scorer, (const distribution *)p, order);
        const double found = order_cost(costs, levels, (const distribution *)p, order);
        const double least = least_cost(costs, levels, (const distribution *)p, any, 0);

        worse += found > least + 1e-9 * (1.0 + least);
    }
    return worse;
}

static void fill_named(const char *name, const bench *b, double *costs)
{
    const size_t levels = b->scorer.levels;
    gr_cost_choice cost;

    assert_int_equal(gr_cost_choose(name, &cost, NULL), GRADUS_OK);
    for (size_t j = 0; j < levels; j++)
        for (size_t i = 0; i < levels; i++)
            costs[j * levels + i] = gr_cost_of(&cost, (double)j, (double)i);
    gr_cost_choice_free(&cost);
}

/* Theorem 3 (i): three grades and any costs. */
static void test_any_costs_of_three_grades(void **state)
{
    const gr_score_rule rule = GR_SCORE_COST_RATIO;
    gr_rng rng = gr_rng_for(1, "three", 0);
    bench b;

    (void)state;
    bench_start(&b, 3);
    for (int turn = 0; turn < 8; turn++) {
        char path[] = "/tmp/gradus_costs_XXXXXX";
        gr_score_choice choice = choice_of(&rule);
        double costs[9] = { 0 };
        notes n;

        for (size_t c = 0; c < 9; c++)
            costs[c] = c / 3 == c % 3 ? 0.0 : 3.0 * gr_rng_uniform(&rng);
        write_matrix(path, costs, 3);
        choice.cost = path;
        start_notes(&n);
        gr_scorer made = choose_noting(&b, &choice, &n.context);

        assert_int_equal(count_worse(&made, costs, &rng), 0);
        assert_int_equal(n.count, 0);
        gr_scorer_free(&made);
        unlink(path);
    }
}

/* Theorem 3 (ii): costs that satisfy the condition, by name and as matrices. */
static void test_costs_that_meet_the_condition(void **state)
{
    static const char *const names[] = { "linear", "exponential", "exponential:0.4", "power:1" };
    const gr_score_rule rule = GR_SCORE_COST_RATIO;
    gr_rng rng = gr_rng_for(1, "five", 0);
    bench b;

    (void)state;
    bench_start(&b, 5);
    for (size_t c = 0; c < 4; c++) {
        gr_score_choice choice = choice_of(&rule);
        double costs[25];
        notes n;

        fill_named(names[c], &b, costs);
        choice.cost = names[c];
        start_notes(&n);
        gr_scorer made = choose_noting(&b, &choice, &n.context);

        assert_int_equal(count_worse(&made, costs, &rng), 0);
        assert_int_equal(n.count, 0);
        gr_scorer_free(&made);
    }
}

/* Corollary 1, and Theorem 3 for the same costs, give the same order. */
static void test_weights_and_scales(void **state)
{
    const gr_score_rule by_weights = GR_SCORE_WEIGHTS_AND_SCALES, by_cost = GR_SCORE_COST_RATIO;
    gr_rng rng = gr_rng_for(1, "weights", 0);
    bench b;

    (void)state;
    bench_start(&b, 4);
    for (int turn = 0; turn < 8; turn++) {
        char path[] = "/tmp/gradus_costs_XXXXXX", weights[120] = "", scales[120] = "";
        gr_score_choice choice = choice_of(&by_weights), other = choice_of(&by_cost);
        double costs[16] = { 0 }, w[4], s[4], last = -2.0;
        notes n;

        for (size_t l = 0; l < 4; l++) {
            w[l] = 0.1 + 2.0 * gr_rng_uniform(&rng);
            s[l] = last += gr_rng_uniform(&rng);
            snprintf(weights + strlen(weights), 30, "%s%.17g", l ? "," : "", w[l]);
            snprintf(scales + strlen(scales), 30, "%s%.17g", l ? "," : "", s[l]);
        }
        for (size_t j = 0; j < 4; j++)
            for (size_t i = j + 1; i < 4; i++)
                costs[j * 4 + i] = w[i] * w[j] * (s[i] - s[j]);
        write_matrix(path, costs, 4);
        choice.weights = weights;
        choice.scales = scales;
        other.cost = path;
        start_notes(&n);
        gr_scorer made = choose(&b, &choice), ratio = choose_noting(&b, &other, &n.context);

        assert_int_equal(n.count, 0);
        assert_int_equal(count_worse(&made, costs, &rng), 0);
        assert_int_equal(count_worse(&ratio, costs, &rng), 0);
        gr_scorer_free(&made);
        gr_scorer_free(&ratio);
        unlink(path);
    }
}

/* The gains of DCG are the scale of the exponential cost: the optimal order for both. */
static void test_expected_gain_is_best_for_the_exponential_cost(void **state)
{
    const gr_score_rule rule = GR_SCORE_EXPECTED_GAIN;
    const gr_score_choice choice = choice_of(&rule);
    gr_rng rng = gr_rng_for(1, "gain", 0);
    double costs[25];
    bench b;

    (void)state;
    bench_start(&b, 5);
    fill_named("exponential", &b, costs);
    gr_scorer made = choose(&b, &choice);

    assert_int_equal(count_worse(&made, costs, &rng), 0);
    /* and not for others: the test discriminates */
    fill_named("linear", &b, costs);
    assert_true(count_worse(&made, costs, &rng) > 0);
    gr_scorer_free(&made);
}

/* The costs of u-pairs violate it: c_12 should be 0. That is noted, and rankings are not always
 * optimal. */
static void test_costs_that_break_the_condition_are_told(void **state)
{
    const gr_score_rule rule = GR_SCORE_COST_RATIO;
    gr_score_choice choice = choice_of(&rule);
    gr_rng rng = gr_rng_for(1, "broken", 0);
    double costs[16];
    bench b;
    notes n;

    (void)state;
    bench_start(&b, 4);
    fill_named("power:0", &b, costs);
    choice.cost = "pairs";
    start_notes(&n);
    gr_scorer made = choose_noting(&b, &choice, &n.context);

    assert_int_equal(n.count, 1);
    assert_non_null(strstr(n.text, "for 1 of 1 pairs of inner grades, by up to 100% of c[0][3] "
                                   "(c[1][2] is 1, not 0)"));
    assert_true(count_worse(&made, costs, &rng) > 0);
    gr_scorer_free(&made);
    bench_start(&b, 6);
    choice.cost = "squared"; /* (9 * 16 - 1 * 4) / 25 = 5.6 */
    start_notes(&n);
    made = choose_noting(&b, &choice, &n.context);
    assert_non_null(strstr(n.text, "for 6 of 6 pairs of inner grades, by up to 6.4% of c[0][5] ("));
    assert_non_null(strstr(n.text, "c[1][3] is 4, not 5.6"));
    gr_scorer_free(&made);
}

/* Costs that depend on the number of rows of each grade use the grade frequencies. */
static void test_costs_of_lists_take_the_shares(void **state)
{
    const gr_score_rule rule = GR_SCORE_COST_RATIO;
    gr_score_choice choice = choice_of(&rule);
    bench b;
    notes n;

    (void)state;
    bench_start(&b, 4); /* .4 .3 .2 .1 */
    choice.cost = "cons";
    start_notes(&n);
    gr_scorer made = choose_noting(&b, &choice, &n.context);
    const double unit = made.values[1] / (1.0 / (0.4 * 0.6));

    assert_int_equal(n.count, 0); /* it has the form s_i - s_j */
    CHECK_NEAR(made.values[2] / unit, 1.0 / 0.24 + 1.0 / 0.21, 1e-12);
    CHECK_NEAR(made.divisors[2] / unit, 1.0 / 0.09, 1e-12);
    gr_scorer_free(&made);
    choice.prior = "1,1,1,1";
    made = choose(&b, &choice);
    CHECK_NEAR(made.values[2] / made.values[1], 1.0 + (0.25 * 0.75) / 0.25, 1e-12);
    gr_scorer_free(&made);
    choice.cost = "ovo";
    choice.prior = "";
    made = choose(&b, &choice);
    CHECK_NEAR(made.values[1] / made.values[3], 0.1 / 0.3, 1e-12);
    gr_scorer_free(&made);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_any_costs_of_three_grades),
        cmocka_unit_test(test_costs_that_meet_the_condition),
        cmocka_unit_test(test_weights_and_scales),
        cmocka_unit_test(test_expected_gain_is_best_for_the_exponential_cost),
        cmocka_unit_test(test_costs_that_break_the_condition_are_told),
        cmocka_unit_test(test_costs_of_lists_take_the_shares),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
