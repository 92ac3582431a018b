/* SPDX-License-Identifier: Apache-2.0 */
/* Pairs sampled from an index: uniform over all existing pairs, for datasets of every shape. */
#include "checks.h"

#include "learners/sgd/sgd_pairs.h"

#include <stdlib.h>
#include <string.h>

enum { MAX_ROWS = 64, DRAWS_A_PAIR = 300 };

typedef struct shape {
    const char *name;
    size_t rows, queries;
    uint64_t starts[9];
    float labels[MAX_ROWS];
} shape;

static const shape shapes[] = {
    { "one query, two labels", 12, 1, { 0, 12 }, { 0, 1, 0, 0, 1, 0, 0, 0, 1, 0, 0, 0 } },
    { "one query, five grades", 15, 1, { 0, 15 }, { 4, 0, 0, 1, 2, 0, 0, 1, 1, 3, 0, 0, 2, 0, 0 } },
    { "queries of all sizes", 24, 6, { 0, 2, 5, 6, 10, 16, 24 }, { 0, 1, 0, 1, 2, 1, 0, 0,
                                                                   0, 3, 2, 2, 1, 1, 0, 0,
                                                                   0, 0, 0, 0, 0, 0, 1, 0 } },
    { "a grade missing in most, and queries of one grade",
      20,
      5,
      { 0, 4, 8, 12, 16, 20 },
      { 0, 0, 0, 0, 2, 2, 0, 0, 1, 1, 1, 1, 0, 1, 2, 0, 2, 2, 2, 2 } },
    { "labels that are all different",
      14,
      2,
      { 0, 9, 14 },
      { .5f, -1.25f, 3.75f, .125f, -7, 2, 1e30f, -1e-30f, 0, 1, 2, 3, 4, 5 } },
    { "real labels, some alike, and both zeros",
      12,
      2,
      { 0, 6, 12 },
      { -2.5f, -2.5f, 0, -0.0f, 7, 7, 1, 1, 1, -1, -1, 5 } },
    { "a pair", 2, 1, { 0, 2 }, { 3, 1 } },
};
enum { SHAPES = sizeof shapes / sizeof *shapes };

static gr_problem problem_of(const shape *s)
{
    return (gr_problem){
        .rows = s->rows, .queries = s->queries, .query_starts = s->starts, .labels = s->labels
    };
}

/* The probability of a pair of rows, in units of 1 / total weight; 0 if they are not a pair. */
static double weight_of(const shape *s, size_t a, size_t b, bool by_query, const float *label)
{
    for (size_t q = 0; q < s->queries; q++) {
        double pairs = 0.0;

        if (a < s->starts[q] || a >= s->starts[q + 1])
            continue;
        if (b < s->starts[q] || b >= s->starts[q + 1] || s->labels[a] == s->labels[b])
            return 0.0;
        if (label && s->labels[a] != *label && s->labels[b] != *label)
            return 0.0;
        for (uint64_t i = s->starts[q]; i < s->starts[q + 1]; i++)
            for (uint64_t j = s->starts[q]; j < i; j++)
                pairs += s->labels[i] != s->labels[j] &&
                         (!label || s->labels[i] == *label || s->labels[j] == *label);
        return by_query ? 1.0 / pairs : 1.0;
    }
    return 0.0;
}

/* Pearson's statistic of the draws against their probabilities, standardised by its mean and
 * deviation. */
static double surprise(const shape *s, const gr_sgd_pairs *pairs, bool by_query, const float *label)
{
    static uint32_t found[MAX_ROWS][MAX_ROWS];
    double all = 0.0, statistic = 0.0;
    size_t cells = 0, draws;

    memset(found, 0, sizeof found);
    for (size_t a = 0; a < s->rows; a++)
        for (size_t b = 0; b < a; b++) {
            all += weight_of(s, a, b, by_query, label);
            cells += weight_of(s, a, b, by_query, label) > 0.0;
        }
    draws = DRAWS_A_PAIR * cells;
    for (uint64_t step = 0; step < draws; step++) {
        uint32_t a, b;

        gr_sgd_pairs_draw(pairs, 0x1234567, step, &a, &b);
        found[a > b ? a : b][a > b ? b : a]++;
    }
    for (size_t a = 0; a < s->rows; a++)
        for (size_t b = 0; b < a; b++) {
            const double wanted = (double)draws * weight_of(s, a, b, by_query, label) / all;

            if (wanted == 0.0)
                assert_int_equal(found[a][b], 0);
            else
                statistic += (found[a][b] - wanted) * (found[a][b] - wanted) / wanted;
        }
    return cells > 1 ? (statistic - (double)(cells - 1)) / sqrt(2.0 * (double)(cells - 1)) : 0.0;
}

static void check_uniform(const shape *s, bool by_query, const float *label)
{
    const gr_problem problem = problem_of(s);
    gr_pair_order order;
    gr_sgd_pairs pairs;
    double count = 0.0;

    for (size_t a = 0; a < s->rows; a++)
        for (size_t b = 0; b < a; b++)
            count += weight_of(s, a, b, false, label);
    assert_int_equal(gr_pair_order_make(&problem, &order, NULL), GRADUS_OK);
    assert_int_equal(gr_pairs_make(&problem, &order, by_query, label, &pairs, NULL), GRADUS_OK);
    CHECK_NEAR(pairs.pairs, count, 0.0);
    if (count > 0.0 && fabs(surprise(s, &pairs, by_query, label)) > 4.5) {
        print_error("%s: not uniform, %g deviations\n", s->name,
                    surprise(s, &pairs, by_query, label));
        fail();
    }
    gr_sgd_pairs_free(&pairs);
    gr_pair_order_free(&order);
}

static void test_pairs_are_uniform(void **state)
{
    (void)state;
    for (size_t i = 0; i < SHAPES; i++)
        check_uniform(&shapes[i], false, NULL);
}

static void test_queries_are_uniform(void **state)
{
    (void)state;
    for (size_t i = 0; i < SHAPES; i++)
        check_uniform(&shapes[i], true, NULL);
}

static void test_pairs_with_a_label_are_uniform(void **state)
{
    (void)state;
    for (size_t i = 0; i < SHAPES; i++)
        for (size_t r = 0; r < shapes[i].rows; r++)
            check_uniform(&shapes[i], false, &shapes[i].labels[r]);
}

/* The statistic discriminates: draws by query are not uniform over pairs. */
static void test_the_statistic_sees_a_difference(void **state)
{
    const shape *s = &shapes[2];
    const gr_problem problem = problem_of(s);
    gr_pair_order order;
    gr_sgd_pairs pairs;

    (void)state;
    assert_int_equal(gr_pair_order_make(&problem, &order, NULL), GRADUS_OK);
    assert_int_equal(gr_pairs_make(&problem, &order, true, NULL, &pairs, NULL), GRADUS_OK);
    assert_true(surprise(s, &pairs, false, NULL) > 20.0);
    gr_sgd_pairs_free(&pairs);
    gr_pair_order_free(&order);
}

static void test_no_pairs(void **state)
{
    const shape s = { "none", 5, 2, { 0, 3, 5 }, { 1, 1, 1, 0, 0 } };
    const gr_problem problem = problem_of(&s);
    gr_pair_order order;
    gr_sgd_pairs pairs;

    (void)state;
    assert_int_equal(gr_pair_order_make(&problem, &order, NULL), GRADUS_OK);
    assert_int_equal(order.queries, 0);
    assert_int_equal(gr_pairs_make(&problem, &order, false, NULL, &pairs, NULL), GRADUS_OK);
    assert_int_equal(pairs.count, 0);
    CHECK_NEAR(pairs.pairs, 0.0, 0.0);
    gr_sgd_pairs_free(&pairs);
    gr_pair_order_free(&order);
}

/* The probabilities implied by the cell table, which no number of draws would verify as precisely.
 */
static void test_chances_of_cells_are_exact(void **state)
{
    enum { QUERIES = 500, ROWS = 20000 };
    uint64_t *starts = malloc((QUERIES + 1) * sizeof *starts);
    float *labels = malloc(ROWS * sizeof *labels);
    double *chances;
    gr_problem problem = { .rows = ROWS, .queries = QUERIES };
    gr_pair_order order;
    gr_sgd_pairs pairs;

    (void)state;
    for (size_t q = 0; q <= QUERIES; q++) /* sizes from 1 */
        starts[q] = q * (q - 1) / 2 * (ROWS - QUERIES) / (QUERIES * (QUERIES - 1) / 2) + q;
    for (size_t r = 0; r < ROWS; r++)
        labels[r] = (float)(gr_sgd_random(5, r) % 7 * (gr_sgd_random(6, r) % 3));
    problem.query_starts = starts;
    problem.labels = labels;
    assert_int_equal(gr_pair_order_make(&problem, &order, NULL), GRADUS_OK);
    assert_int_equal(gr_pairs_make(&problem, &order, false, NULL, &pairs, NULL), GRADUS_OK);
    chances = calloc(pairs.count, sizeof *chances);
    for (size_t c = 0; c < pairs.count; c++) {
        const double kept =
            pairs.cells[c].keep == UINT64_MAX ? 1.0 : (double)pairs.cells[c].keep * 0x1p-64;

        chances[c] += kept / (double)pairs.count;
        chances[pairs.cells[c].other] += (1.0 - kept) / (double)pairs.count;
    }
    for (size_t c = 0; c < pairs.count; c++) {
        const gr_pair_cell *cell = &pairs.cells[c];
        const bool alone = (c == 0 || cell[-1].query_start != cell->query_start) &&
                           (c + 1 == pairs.count || cell[1].query_start != cell->query_start);
        const double wanted = (alone ? 1.0 : 0.5) * cell->group_rows *
                              (cell->query_rows - cell->group_rows) / pairs.pairs;

        CHECK_NEAR(chances[c] / wanted, 1.0, 1e-9);
    }
    free(chances);
    free(starts);
    free(labels);
    gr_sgd_pairs_free(&pairs);
    gr_pair_order_free(&order);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_pairs_are_uniform),
        cmocka_unit_test(test_queries_are_uniform),
        cmocka_unit_test(test_pairs_with_a_label_are_uniform),
        cmocka_unit_test(test_the_statistic_sees_a_difference),
        cmocka_unit_test(test_no_pairs),
        cmocka_unit_test(test_chances_of_cells_are_exact),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
