/* SPDX-License-Identifier: Apache-2.0 */
/* Components of boosting: row samples, and monotone constraints. */
#include "synthetic_sets.h"

#include "learners/boost/monotone.h"
#include "learners/boost/boost_sample.h"

static size_t sample(const gr_problem *problem, const gr_boost_options *options, uint64_t round,
                     gr_pool *pool, uint32_t *rows)
{
    size_t count = 0;

    assert_int_equal(gr_sample_rows(problem, options, round, pool, rows, &count, NULL, NULL),
                     GRADUS_OK);
    return count;
}

static void test_samples_have_the_share_and_change_by_round(void **state)
{
    enum { QUERIES = 500, EACH = 20, ROWS = QUERIES * EACH };
    uint64_t starts[QUERIES + 1];
    uint32_t *rows = calloc(ROWS, sizeof *rows), *again = calloc(ROWS, sizeof *again);
    const gr_problem problem = { .rows = ROWS, .queries = QUERIES, .query_starts = starts };
    gr_boost_options options = { .row_share = 0.3, .query_share = 1.0, .seed = 5 };

    (void)state;
    for (size_t q = 0; q <= QUERIES; q++)
        starts[q] = q * EACH;
    size_t count = sample(&problem, &options, 0, NULL, rows);
    CHECK_NEAR((double)count / ROWS, 0.3, 0.02);
    for (size_t i = 1; i < count; i++)
        assert_true(rows[i - 1] < rows[i]);
    assert_int_equal(sample(&problem, &options, 0, NULL, again), count);
    assert_memory_equal(rows, again, count * sizeof *rows);
    count = sample(&problem, &options, 1, NULL, again);
    assert_true(memcmp(rows, again, count * sizeof *rows) != 0);

    gr_pool *pool = gr_pool_new(3, NULL);
    assert_int_equal(sample(&problem, &options, 1, pool, rows), count);
    assert_memory_equal(rows, again, count * sizeof *rows);
    gr_pool_free(pool);

    options = (gr_boost_options){ .row_share = 1.0, .query_share = 0.5, .seed = 5 };
    count = sample(&problem, &options, 0, NULL, rows);
    CHECK_NEAR((double)count / ROWS, 0.5, 0.08);
    for (size_t i = 0; i < count; i += EACH) /* queries are kept whole */
        for (uint32_t j = 0; j < EACH; j++)
            assert_true(rows[i] % EACH == 0 && rows[i + j] == rows[i] + j);

    options = (gr_boost_options){ .row_share = 1e-6, .query_share = 1e-6, .seed = 5 };
    count = sample(&problem, &options, 0, NULL, rows);
    assert_true(count >= 1 && rows[0] < ROWS);
    free(rows);
    free(again);
}

static void test_samples_of_many_rows_are_of_stretches(void **state)
{
    enum { ROWS = GR_LARGE_ROWS + 3 };
    const uint64_t starts[] = { 0, 1001, ROWS };
    const gr_problem problem = { .rows = ROWS, .queries = 2, .query_starts = starts };
    const gr_boost_options options = { .row_share = 0.5, .query_share = 1.0, .seed = 5 };
    uint32_t *rows = calloc(ROWS, sizeof *rows);
    size_t stretches = 0;

    (void)state;
    const size_t count = sample(&problem, &options, 0, NULL, rows);
    CHECK_NEAR((double)count / ROWS, 0.5, 0.02);
    for (size_t i = 0; i < count; i++) {
        if (rows[i] % GR_SAMPLE_CHUNK == 0)
            stretches++;
        else
            assert_int_equal(rows[i], rows[i - 1] + 1);
        if (i + 1 < count && rows[i + 1] % GR_SAMPLE_CHUNK == 0)
            assert_int_equal(rows[i] % GR_SAMPLE_CHUNK, GR_SAMPLE_CHUNK - 1);
    }
    assert_true(stretches > ROWS / GR_SAMPLE_CHUNK / 3);
    free(rows);
}

/* A random tree over two features; after clamping, no leaf left of a split on feature 0 may exceed
 * a leaf right of it. */
static void walk(const gr_grown *grown, const double *values, int32_t node, double *low,
                 double *high, const int8_t *signs)
{
    double left[2], right[2];

    if (node < 0) {
        *low = *high = values[~node];
        return;
    }
    walk(grown, values, grown->splits[node].left, &left[0], &left[1], signs);
    walk(grown, values, grown->splits[node].right, &right[0], &right[1], signs);
    if (signs[grown->splits[node].feature] > 0)
        assert_true(left[1] <= right[0]);
    if (signs[grown->splits[node].feature] < 0)
        assert_true(left[0] >= right[1]);
    *low = fmin(left[0], right[0]);
    *high = fmax(left[1], right[1]);
}

static void test_clamped_trees_are_monotone(void **state)
{
    enum { LEAVES = 20 };
    static const int8_t signs[] = { 1, 0, -1 };
    gr_rng rng = gr_rng_for(11, "monotone", 0);
    int varied = 0;

    (void)state;
    for (int turn = 0; turn < 100; turn++) {
        gr_split splits[LEAVES - 1];
        uint32_t covers[LEAVES];
        int32_t where[LEAVES]; /* the split above each leaf, and its side */
        double values[LEAVES], scratch[4 * LEAVES], low, high;
        size_t leaves = 1;

        where[0] = -1;
        while (leaves < LEAVES) {
            const size_t split = leaves - 1, leaf = gr_rng_below(&rng, leaves);

            splits[split] = (gr_split){ .feature = (uint32_t)gr_rng_below(&rng, 3),
                                        .left = ~(int32_t)leaf,
                                        .right = ~(int32_t)leaves };
            if (where[leaf] >= 0)
                *(where[leaf] % 2 ? &splits[where[leaf] / 2].right
                                  : &splits[where[leaf] / 2].left) = (int32_t)split;
            where[leaf] = (int32_t)(2 * split);
            where[leaves++] = (int32_t)(2 * split + 1);
        }
        for (size_t l = 0; l < LEAVES; l++) {
            covers[l] = 1 + (uint32_t)gr_rng_below(&rng, 9);
            values[l] = gr_rng_normal(&rng);
        }
        const gr_grown grown = { .leaves = LEAVES, .splits = splits, .covers = covers };

        gr_monotone_clamp(&grown, signs, values, scratch);
        walk(&grown, values, 0, &low, &high, signs);
        varied += low < high;
    }
    assert_true(varied > 50); /* not all are clamped to one value */
}

static void test_monotone_texts(void **state)
{
    static const char *const wrong[] = { "1", "1:", "1:*", ":+", "9:+", "1:+,,2:-", "1:+;2:-" };
    gradus_dataset *data = make_synth(1, "mixture", PAIRS("rows", "30"));
    gradus_error err;
    int8_t *signs;

    (void)state;
    assert_int_equal(gr_monotone_parse("", data, &signs, &err), GRADUS_OK);
    assert_null(signs);
    assert_int_equal(gr_monotone_parse("1:-", data, &signs, &err), GRADUS_OK);
    assert_int_equal(signs[0], -1);
    free(signs);
    for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++) {
        assert_int_equal(gr_monotone_parse(wrong[i], data, &signs, &err), GRADUS_BAD_ARGUMENT);
        assert_null(signs);
    }
    gradus_dataset_free(data);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_samples_have_the_share_and_change_by_round),
        cmocka_unit_test(test_samples_of_many_rows_are_of_stretches),
        cmocka_unit_test(test_clamped_trees_are_monotone),
        cmocka_unit_test(test_monotone_texts),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
