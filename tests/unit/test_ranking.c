/* SPDX-License-Identifier: Apache-2.0 */
/* Ranking documents, and the effect of each tie rule. */
#include "checks.h"

#include "base/rng.h"
#include "ranking/rank.h"

#include <stdlib.h>
#include <string.h>

enum { N = 6 };

/*                                 0    1    2    3    4    5 */
static const double scores[N] = { 1.0, 2.0, 1.0, 2.0, 1.0, -3.0 };
static const double labels[N] = { 1.0, 0.0, 2.0, 1.0, 0.0, 4.0 };
static const char names[] = "d2\0d1\0d9\0d10\0d20\0d3";
static const uint64_t name_starts[N] = { 0, 3, 6, 9, 13, 17 };
static const gr_candidates example = { N, scores, labels, names, name_starts };

static void check_order(const gr_candidates *candidates, gr_ties ties, const size_t *wanted,
                        size_t groups, const size_t *wanted_ends)
{
    size_t order[N], ends[N];
    gr_rank_space space = { .capacity = 0 };

    assert_true(gr_rank_space_reserve(&space, N));
    assert_int_equal(gr_rank(candidates, ties, order, ends, &space), groups);
    for (size_t i = 0; i < N; i++)
        assert_int_equal(order[i], wanted[i]);
    for (size_t g = 0; g < groups; g++)
        assert_int_equal(ends[g], wanted_ends[g]);
    gr_rank_space_free(&space);
}

static const size_t singles[N] = { 1, 2, 3, 4, 5, 6 };

static void test_ties_keep_the_order_of_the_data(void **state)
{
    (void)state;
    check_order(&example, GR_TIES_INPUT, (const size_t[]){ 1, 3, 0, 2, 4, 5 }, N, singles);
}

static void test_ties_by_name_are_in_descending_order_of_bytes(void **state)
{
    (void)state;
    /* d10 > d1; d9 > d20 > d2 */
    check_order(&example, GR_TIES_DOCNO, (const size_t[]){ 3, 1, 2, 4, 0, 5 }, N, singles);
}

static void test_without_names_ties_keep_the_order_of_the_data(void **state)
{
    const gr_candidates nameless = { N, scores, labels, NULL, NULL };

    (void)state;
    check_order(&nameless, GR_TIES_DOCNO, (const size_t[]){ 1, 3, 0, 2, 4, 5 }, N, singles);
}

static void test_pessimists_put_lower_labels_first(void **state)
{
    (void)state;
    check_order(&example, GR_TIES_PESSIMISTIC, (const size_t[]){ 1, 3, 4, 0, 2, 5 }, N, singles);
}

static void test_optimists_put_higher_labels_first(void **state)
{
    (void)state;
    check_order(&example, GR_TIES_OPTIMISTIC, (const size_t[]){ 3, 1, 2, 0, 4, 5 }, N, singles);
}

static void test_expected_keeps_groups(void **state)
{
    (void)state;
    check_order(&example, GR_TIES_EXPECTED, (const size_t[]){ 3, 1, 2, 0, 4, 5 }, 3,
                (const size_t[]){ 2, 5, 6 });
}

static void test_minus_zero_equals_zero(void **state)
{
    const double zeros[2] = { -0.0, 0.0 }, two[2] = { 0.0, 1.0 };
    const gr_candidates candidates = { 2, zeros, two, NULL, NULL };
    gr_rank_space space = { .capacity = 0 };
    size_t order[2], ends[2];

    (void)state;
    assert_true(gr_rank_space_reserve(&space, 2));
    assert_int_equal(gr_rank(&candidates, GR_TIES_EXPECTED, order, ends, &space), 1);
    assert_int_equal(order[0], 1);
    gr_rank_space_free(&space);
}

static void test_an_empty_list_has_no_groups(void **state)
{
    const gr_candidates none = { 0, scores, labels, NULL, NULL };
    gr_rank_space space = { .capacity = 0 };
    size_t order[1], ends[1];

    (void)state;
    assert_true(gr_rank_space_reserve(&space, 0));
    assert_int_equal(gr_rank(&none, GR_TIES_EXPECTED, order, ends, &space), 0);
    gr_rank_space_free(&space);
}

/* Long lists with many ties: every rule gives a permutation in which scores descend, ties follow
 * the rule, and remaining ties follow the order of the data. */
static void check_long(const gr_candidates *c, gr_ties ties, const size_t *order)
{
    bool *seen = calloc(c->count, sizeof *seen);

    for (size_t i = 0; i < c->count; i++) {
        assert_false(seen[order[i]]);
        seen[order[i]] = true;
        if (i == 0)
            continue;
        const size_t a = order[i - 1], b = order[i];
        const double sign = ties == GR_TIES_PESSIMISTIC ? 1.0 : ties == GR_TIES_INPUT ? 0.0 : -1.0;

        assert_true(c->scores[a] >= c->scores[b]);
        if (c->scores[a] == c->scores[b]) {
            assert_true(sign * c->labels[a] <= sign * c->labels[b]);
            if (sign * c->labels[a] == sign * c->labels[b])
                assert_true(a < b);
        }
    }
    free(seen);
}

static void test_long_lists_are_ordered_totally(void **state)
{
    enum { LONG = 5000 };
    double *random_scores = malloc(LONG * sizeof(double)), *random = malloc(LONG * sizeof(double));
    size_t *order = malloc(LONG * sizeof(size_t)), *ends = malloc(LONG * sizeof(size_t));
    gr_rng rng = gr_rng_for(1, "ranking", 0);
    gr_rank_space space = { .capacity = 0 };
    const gr_candidates c = { LONG, random_scores, random, NULL, NULL };
    static const gr_ties rules[] = { GR_TIES_INPUT, GR_TIES_PESSIMISTIC, GR_TIES_OPTIMISTIC,
                                     GR_TIES_EXPECTED };

    (void)state;
    for (size_t i = 0; i < LONG; i++) {
        random_scores[i] = (double)gr_rng_below(&rng, 40) - 20.0;
        random[i] = (double)gr_rng_below(&rng, 5);
    }
    assert_true(gr_rank_space_reserve(&space, LONG));
    for (size_t rule = 0; rule < 4; rule++) {
        gr_rank(&c, rules[rule], order, ends, &space);
        check_long(&c, rules[rule], order);
    }
    gr_rank_space_free(&space);
    free(random_scores);
    free(random);
    free(order);
    free(ends);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_ties_keep_the_order_of_the_data),
        cmocka_unit_test(test_ties_by_name_are_in_descending_order_of_bytes),
        cmocka_unit_test(test_without_names_ties_keep_the_order_of_the_data),
        cmocka_unit_test(test_pessimists_put_lower_labels_first),
        cmocka_unit_test(test_optimists_put_higher_labels_first),
        cmocka_unit_test(test_expected_keeps_groups),
        cmocka_unit_test(test_minus_zero_equals_zero),
        cmocka_unit_test(test_an_empty_list_has_no_groups),
        cmocka_unit_test(test_long_lists_are_ordered_totally),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
