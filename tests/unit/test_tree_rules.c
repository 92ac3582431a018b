/* SPDX-License-Identifier: Apache-2.0 */
/* Properties of trees: hand-worked examples, limits, monotone features, quantisation that cannot
 * overflow, and identical bits for any number of threads. */
#include "made_bins.h"

#include <float.h>

/* Grows one tree with unit hessians on hand-made bins. */
typedef struct grown_tree {
    gr_bins bins;
    gr_grower *grower;
    gr_grown tree;
    float *hessians;
} grown_tree;

static grown_tree grow_unit(const made_feature *made, size_t features, const uint32_t *table,
                            const float *gradients, size_t rows, const gr_tree_options *options,
                            const int8_t *signs)
{
    grown_tree g = { .bins = make_bins(made, features, table, rows, 8, 2) };
    gr_round round = {
        .gradients = gradients, .unit = true, .count = rows, .seed = 5, .ascending = true
    };

    g.hessians = gr_new_array(rows, sizeof *g.hessians);
    for (size_t r = 0; r < rows; r++)
        g.hessians[r] = 1;
    round.hessians = g.hessians;
    g.grower = gr_grower_new(&g.bins, 1, options, signs, NULL, NULL);
    assert_non_null(g.grower);
    assert_int_equal(gr_grower_begin(g.grower, &round, NULL), GRADUS_OK);
    assert_int_equal(gr_grower_grow(g.grower, 0, &g.tree, NULL), GRADUS_OK);
    return g;
}

static void free_tree(grown_tree *g)
{
    gr_grower_free(g->grower);
    free_bins(&g->bins);
    free(g->hessians);
}

static const uint32_t hand_table[] = { 3, 0, 1, 2, 0, 1, 2, 3 };
static const float hand_gradients[] = { 3, -4, -2, 3, -4, -2, 3, 3 };

static void test_hand_worked(void **state)
{
    static const uint32_t rows[] = { 1, 4, 2, 5, 0, 3, 6, 7 };
    const made_feature made = { .bins = 4 };
    const gr_tree_options options = plain_options();
    grown_tree g = grow_unit(&made, 1, hand_table, hand_gradients, 8, &options, NULL);

    (void)state;
    /* after bin 1: (-12)^2/4 + 12^2/4 = 72, half of it gained; then 8^2/2 + 4^2/2 - 12^2/4 = 4 */
    assert_int_equal(g.tree.leaves, 3);
    assert_true(g.tree.splits[0].threshold == 1.5f && g.tree.splits[0].gain == 36);
    assert_int_equal(g.tree.splits[0].left, 1);
    assert_int_equal(g.tree.splits[0].right, ~2);
    assert_true(g.tree.splits[1].threshold == 0.5f && g.tree.splits[1].gain == 2);
    assert_int_equal(g.tree.splits[1].left, ~0);
    assert_int_equal(g.tree.splits[1].right, ~1);
    assert_memory_equal(g.tree.rows, rows, sizeof rows);
    assert_int_equal(g.tree.starts[1], 2);
    assert_int_equal(g.tree.starts[2], 4);
    assert_true(g.tree.gradients[0] == -8 && g.tree.gradients[1] == -4 &&
                g.tree.gradients[2] == 12);
    assert_true(g.tree.hessians[0] == 2 && g.tree.hessians[2] == 4);
    free_tree(&g);
}

static size_t leaves_with(gr_tree_options options)
{
    const made_feature made = { .bins = 4 };
    grown_tree g = grow_unit(&made, 1, hand_table, hand_gradients, 8, &options, NULL);
    const size_t leaves = g.tree.leaves;

    free_tree(&g);
    return leaves;
}

static void test_limits(void **state)
{
    gr_tree_options options = plain_options();

    (void)state;
    options.min_rows = 3;
    assert_int_equal(leaves_with(options), 2);
    options.min_rows = 5;
    assert_int_equal(leaves_with(options), 1);
    options = plain_options();
    options.min_weight = 2.5;
    assert_int_equal(leaves_with(options), 2);
    options = plain_options();
    options.depth = 1;
    assert_int_equal(leaves_with(options), 2);
    options.depth = 2;
    options.leaves = 0;
    assert_int_equal(leaves_with(options), 3);
    options = plain_options();
    options.leaves = 2;
    assert_int_equal(leaves_with(options), 2);
    options = plain_options();
    options.min_gain = 2; /* the gain must exceed it */
    assert_int_equal(leaves_with(options), 2);
    options.leaves = 65536; /* more than rows */
    options.min_gain = 0;
    assert_int_equal(leaves_with(options), 3);
    options.leaves = options.depth = 0;
    assert_int_equal(leaves_with(options), 3);
}

static void test_missing_values(void **state)
{
    static const uint32_t table[] = { 0, 0, 1, 1, 2 };
    static const float to_left[] = { -1, -1, 2, 2, -1 }, alone[] = { 1, 1, 1, 1, -5 };
    static const float nothing[] = { -1, -1, 2, 2, 0 };
    const made_feature made = { .bins = 2, .missing = true };
    gr_tree_options options = plain_options();
    grown_tree g;

    (void)state;
    options.leaves = 2;
    g = grow_unit(&made, 1, table, to_left, 5, &options, NULL);
    assert_true(g.tree.splits[0].threshold == 0.5f && g.tree.splits[0].missing_left == 1);
    CHECK_NEAR((double)g.tree.splits[0].gain, 0.5 * (3 + 8 - 0.2), 1e-6);
    free_tree(&g);
    g = grow_unit(&made, 1, table, alone, 5, &options, NULL);
    assert_true(isinf(g.tree.splits[0].threshold) && g.tree.splits[0].missing_left == 0);
    assert_int_equal(g.tree.starts[1], 4);
    free_tree(&g);
    /* no missing value in the node: to the side with more rows */
    g = grow_unit(&(made_feature){ .bins = 3 }, 1, table, nothing, 5, &options, NULL);
    assert_true(g.tree.splits[0].threshold == 0.5f && g.tree.splits[0].missing_left == 0);
    free_tree(&g);
}

static size_t leaves_of(const uint32_t *table, const float *gradients, size_t rows)
{
    const made_feature made[] = { { .bins = 4 }, { .bins = 4, .sparse = true } };
    const gr_tree_options options = plain_options();
    grown_tree g = grow_unit(made, 2, table, gradients, rows, &options, NULL);
    const size_t leaves = g.tree.leaves;

    assert_int_equal(g.tree.starts[leaves], rows);
    free_tree(&g);
    return leaves;
}

static void test_nothing_to_split(void **state)
{
    uint32_t table[400] = { 0 };
    float gradients[200];

    (void)state;
    for (size_t r = 0; r < 200; r++)
        gradients[r] = (float)r * 0.37f;
    assert_int_equal(leaves_of(table, gradients, 1), 1);
    assert_int_equal(leaves_of(table, gradients, 200), 1); /* all rows equal */
    for (size_t i = 0; i < 400; i++)
        table[i] = (uint32_t)(i * 7 % 4);
    assert_true(leaves_of(table, gradients, 200) > 1);
    for (float value = 1e-30f; value < 1e30f; value *= 977) { /* quantisation makes them differ */
        for (size_t r = 0; r < 200; r++)
            gradients[r] = value;
        assert_int_equal(leaves_of(table, gradients, 200), 1);
        assert_int_equal(leaves_of(table, gradients, 7), 1);
    }
    memset(gradients, 0, sizeof gradients);
    assert_int_equal(leaves_of(table, gradients, 200), 1);
}

static void test_no_features_and_no_rows(void **state)
{
    static const uint32_t table[8] = { 0 }, none[1] = { 0 };
    const made_feature made = { .bins = 1 }, two = { .bins = 2 };
    const gr_tree_options options = plain_options();
    grown_tree g = grow_unit(&made, 1, table, hand_gradients, 8, &options, NULL);
    gr_round empty = {
        .gradients = hand_gradients, .hessians = g.hessians, .unit = true, .rows = none, .count = 0
    };
    gr_grower *grower;

    (void)state;
    assert_int_equal(g.tree.leaves, 1);
    assert_true(g.tree.gradients[0] == 0 && g.tree.hessians[0] == 8);
    free_bins(&g.bins);
    g.bins = make_bins(&two, 1, table, 8, 8, 1);
    grower = gr_grower_new(&g.bins, 1, &options, NULL, NULL, NULL);
    assert_int_equal(gr_grower_begin(grower, &empty, NULL), GRADUS_OK);
    assert_int_equal(gr_grower_grow(grower, 0, &g.tree, NULL), GRADUS_OK);
    assert_true(g.tree.leaves == 1 && g.tree.starts[1] == 0 && g.tree.gradients[0] == 0);
    gr_grower_free(grower);
    free_tree(&g);
}

static void test_bad_numbers(void **state)
{
    static const float bad[] = { NAN, INFINITY, -INFINITY, -1 };
    const made_feature made = { .bins = 4 };
    const gr_tree_options options = plain_options();
    gr_bins bins = make_bins(&made, 1, hand_table, 8, 8, 1);
    gr_grower *grower = gr_grower_new(&bins, 1, &options, NULL, NULL, NULL);

    (void)state;
    for (size_t b = 0; b < 4; b++)
        for (size_t where = 0; where < 3; where++) {
            float numbers[3][8];
            gr_round round = {
                .gradients = numbers[0], .hessians = numbers[1], .weights = numbers[2], .count = 8
            };
            gradus_error err;

            if (b == 3 && where == 0)
                continue; /* gradients may be negative */
            for (size_t i = 0; i < 24; i++)
                numbers[i / 8][i % 8] = 1;
            numbers[where][5] = bad[b];
            assert_int_equal(gr_grower_begin(grower, &round, &err), GRADUS_BAD_NUMBER);
            assert_non_null(strstr(err.message, "row 6"));
            numbers[where][5] = 2;
            assert_int_equal(gr_grower_begin(grower, &round, &err), GRADUS_OK);
        }
    gr_grower_free(grower);
    free_bins(&bins);
}

/* Quantised words whose sums over any rows must stay in their lanes: the worst case is all rows of
 * one sign. */
static void check_rounding(const float *gradients, const float *hessians, size_t rows, bool wide)
{
    const gr_round round = { .gradients = gradients, .hessians = hessians, .count = rows };
    uint64_t *words = gr_new_array(rows, sizeof *words);
    int64_t up = 0, down = 0, sum = 0;
    double error = 0;
    gr_lanes lanes;

    assert_int_equal(gr_round_words(&round, rows, 1, 0, wide, NULL, words, &lanes, NULL),
                     GRADUS_OK);
    for (size_t r = 0; r < rows; r++) {
        const int64_t g = (int64_t)words[r] >> 32, h = (int64_t)(words[r] & 0xffffffffu);

        assert_true(fabs((double)g - (double)gradients[r] * lanes.gradient_scale) < 1);
        assert_true(fabs((double)h - (double)hessians[r] * lanes.hessian_scale) < 1);
        up += g > 0 ? g : 0;
        down += g < 0 ? g : 0;
        sum += h;
        error += (double)g - (double)gradients[r] * lanes.gradient_scale;
    }
    assert_true((double)(up + down) == lanes.gradient_total && (double)sum == lanes.hessian_total);
    assert_true(fabs(error) <= 4 * sqrt((double)rows)); /* unbiased */
    if (wide)
        assert_true(up - down < (int64_t)1 << 53 && sum < (int64_t)1 << 53);
    else
        assert_true(up <= INT32_MAX && down >= INT32_MIN && sum <= UINT32_MAX);
    /* full precision is used: the sum of all rows is within a factor of two of its lane, or one
     * row's if wide */
    assert_true(up - down == 0 || wide || up - down > ((int64_t)1 << 29) - (int64_t)rows);
    free(words);
}

static void test_lanes_never_overflow(void **state)
{
    enum { ROWS = 20000 };
    float *gradients = gr_new_array(ROWS, sizeof *gradients);
    float *hessians = gr_new_array(ROWS, sizeof *hessians);
    gr_rng rng = gr_rng_for(3, "numbers", 0);

    (void)state;
    for (int kind = 0; kind < 8; kind++)
        for (size_t rows = 1; rows <= ROWS; rows *= 12) {
            for (size_t r = 0; r < rows; r++) {
                const float tiny = (float)gr_rng_uniform(&rng) * 1e-44f;
                const float any = (float)gr_exp(170 * gr_rng_uniform(&rng) - 85);

                gradients[r] = kind == 0   ? (r == 1 ? FLT_MAX : tiny)
                               : kind == 1 ? FLT_MAX
                               : kind == 2 ? -FLT_MIN
                               : kind == 3 ? tiny
                               : kind == 4 ? (r % 2 ? any : -any)
                               : kind == 5 ? -any
                               : kind == 6 ? 0
                                           : (float)gr_rng_normal(&rng);
                hessians[r] = kind % 2 ? fabsf(gradients[r]) : tiny;
            }
            check_rounding(gradients, hessians, rows, false);
            check_rounding(gradients, hessians, rows, true);
        }
    free(gradients);
    free(hessians);
}

enum { MANY = 40000, FEATURES = 11 };

typedef struct many {
    gr_bins bins;
    uint32_t *table;
    float *gradients, *hessians;
} many;

static many make_many(size_t outputs)
{
    many m = { .table = gr_new_array(MANY * FEATURES, sizeof(uint32_t)),
               .gradients = gr_new_array(MANY * outputs, sizeof(float)),
               .hessians = gr_new_array(MANY * outputs, sizeof(float)) };
    made_feature made[FEATURES];
    gr_rng rng = gr_rng_for(3, "many rows", outputs);

    for (size_t f = 0; f < FEATURES; f++) {
        made[f] = (made_feature){
            .bins = f < 3 ? 5 : 200, .missing = f % 4 == 1, .sparse = f % 5 == 4, .default_bin = 3
        };
        for (size_t r = 0; r < MANY; r++)
            m.table[f * MANY + r] =
                made[f].sparse && gr_rng_below(&rng, 6)
                    ? made[f].default_bin
                    : (uint32_t)gr_rng_below(&rng, made[f].bins + made[f].missing);
    }
    for (size_t i = 0; i < MANY * outputs; i++) {
        const size_t r = i % MANY, f = i / MANY % FEATURES;

        m.gradients[i] = (float)gr_rng_normal(&rng) +
                         0.01f * (float)m.table[f * MANY + r] * (float)(m.table[2 * MANY + r] % 3);
        m.hessians[i] = 1;
    }
    m.bins = make_bins(made, FEATURES, m.table, MANY, 8, 1);
    return m;
}

static void free_many(many *m)
{
    free_bins(&m->bins);
    free(m->table);
    free(m->gradients);
    free(m->hessians);
}

/* A row descends by its values to the leaf that contains it; every row is in exactly one. */
static void check_rows(const many *m, const gr_grown *tree)
{
    bool *seen = gr_new_array(MANY, sizeof *seen);

    for (size_t leaf = 0; leaf < tree->leaves; leaf++)
        for (size_t i = tree->starts[leaf]; i < tree->starts[leaf + 1]; i++) {
            const uint32_t r = tree->rows[i];
            int32_t at = tree->leaves > 1 ? 0 : ~0;

            assert_true(!seen[r] && (i == tree->starts[leaf] || tree->rows[i - 1] < r));
            seen[r] = true;
            while (at >= 0) {
                const gr_split *split = &tree->splits[at];
                const uint32_t bin = m->table[split->feature * MANY + r];
                const bool missing = m->bins.cuts.missing[split->feature] &&
                                     bin + 1 == gr_cuts_bins(&m->bins.cuts, split->feature);

                at = (missing ? split->missing_left : (float)bin < split->threshold) ? split->left
                                                                                     : split->right;
            }
            assert_int_equal(~at, leaf);
        }
    assert_int_equal(tree->starts[tree->leaves], MANY);
    free(seen);
}

static void check_threads(size_t outputs, bool unit)
{
    static const size_t threads[] = { 1, 2, 3, 8 };
    many m = make_many(outputs);
    const gr_tree_options options = plain_options();
    const gr_round round = { .gradients = m.gradients,
                             .hessians = m.hessians,
                             .unit = unit,
                             .count = MANY,
                             .ascending = true,
                             .seed = 9,
                             .round = 4 };
    gr_grown *plain = gr_new_array(outputs, sizeof *plain);

    for (size_t k = 0; k < outputs; k++)
        assert_int_equal(reference_tree_grow(&m.bins, outputs, k, &options, NULL, &round, false,
                                             &plain[k], NULL),
                         GRADUS_OK);
    for (size_t t = 0; t < 4; t++) {
        gr_pool *pool = gr_pool_new(threads[t], NULL);
        gr_grower *grower = gr_grower_new(&m.bins, outputs, &options, NULL, pool, NULL);
        gr_grown tree;

        if (t == 2) /* no memory for shared roots, or for parents */
            gr_grower_limit(grower, GR_NARROW_ROWS, 0);
        assert_int_equal(gr_grower_begin(grower, &round, NULL), GRADUS_OK);
        for (size_t k = 0; k < outputs; k++) {
            assert_int_equal(gr_grower_grow(grower, k, &tree, NULL), GRADUS_OK);
            check_same_tree(&tree, &plain[k], MANY);
            assert_true(tree.leaves > 10);
            check_rows(&m, &tree);
        }
        gr_grower_free(grower);
        gr_pool_free(pool);
    }
    for (size_t k = 0; k < outputs; k++)
        reference_tree_free(&plain[k]);
    free(plain);
    free_many(&m);
}

static void test_threads(void **state)
{
    (void)state;
    check_threads(1, true);
    check_threads(2, false);
    check_threads(5, true);
}

/* The value of the leaf that contains a point of two features. */
static double value_at(const gr_grown *tree, double l2, const float *point)
{
    int32_t at = tree->leaves > 1 ? 0 : ~0;

    while (at >= 0)
        at = point[tree->splits[at].feature] < tree->splits[at].threshold ? tree->splits[at].left
                                                                          : tree->splits[at].right;
    return -tree->gradients[~at] / (tree->hessians[~at] + l2);
}

static void test_monotone(void **state)
{
    enum { ROWS = 3000, BINS = 12 };
    static const int8_t signs[] = { 1, 0, -1 };
    const made_feature made[] = { { .bins = BINS }, { .bins = BINS }, { .bins = BINS } };
    gr_tree_options options = plain_options();
    uint32_t *table = gr_new_array(3 * ROWS, sizeof *table);
    float *gradients = gr_new_array(ROWS, sizeof *gradients);
    gr_rng rng = gr_rng_for(3, "monotone", 0);
    grown_tree g;

    (void)state;
    for (size_t i = 0; i < 3 * ROWS; i++)
        table[i] = (uint32_t)gr_rng_below(&rng, BINS);
    for (size_t r = 0; r < ROWS; r++) /* integers: unchanged by quantisation */
        gradients[r] = (float)((int)gr_rng_below(&rng, 40) - 20 - (int)table[r] +
                               (int)(table[ROWS + r] * table[r] % 7) + (int)table[2 * ROWS + r]);
    options.l2 = 2;
    options.leaves = 60;
    g = grow_unit(made, 3, table, gradients, ROWS, &options, signs);
    assert_true(g.tree.leaves > 20);
    for (int i = 0; i < BINS * BINS; i++)
        for (int b = 0; b + 1 < BINS; b++) {
            const float i0 = (float)(i / BINS), i1 = (float)(i % BINS);
            const float here = (float)b, next = (float)(b + 1);

            assert_true(value_at(&g.tree, options.l2, (float[]){ here, i0, i1 }) <=
                        value_at(&g.tree, options.l2, (float[]){ next, i0, i1 }));
            assert_true(value_at(&g.tree, options.l2, (float[]){ i0, i1, here }) >=
                        value_at(&g.tree, options.l2, (float[]){ i0, i1, next }));
        }
    free_tree(&g);
    free(table);
    free(gradients);
}

/* More features than cached columns: each is correct on first use, and again after eviction. */
static void test_columns_of_bytes(void **state)
{
    enum { COLUMNS = GR_MAX_COLUMNS + 9, ROWS = 3000 };
    made_feature made[COLUMNS];
    uint32_t *table = gr_new_array(COLUMNS * ROWS, sizeof *table);
    gr_rng rng = gr_rng_for(12, "columns", 0);
    gr_columns columns = { .uses = 0 };
    const uint8_t *last = NULL;
    gr_bins bins;

    (void)state;
    for (size_t f = 0; f < COLUMNS; f++) {
        made[f] = (made_feature){ 2 + (uint32_t)gr_rng_below(&rng, 200), false, f % 5 == 0, 1 };
        for (size_t r = 0; r < ROWS; r++)
            table[f * ROWS + r] = made[f].sparse && gr_rng_below(&rng, 10)
                                      ? 1
                                      : (uint32_t)gr_rng_below(&rng, made[f].bins);
    }
    bins = make_bins(made, COLUMNS, table, ROWS, 8, 3);
    assert_true(gr_columns_start(&columns, &bins));
    assert_null(gr_column_of(&columns, &bins, 0, ROWS / 5, NULL)); /* not worth caching */
    for (size_t turn = 0; turn < 2 * COLUMNS; turn++) {
        const size_t f = turn % COLUMNS;
        const uint8_t *column = gr_column_of(&columns, &bins, (uint32_t)f, ROWS / 4, NULL);

        assert_non_null(column);
        for (size_t r = 0; r < ROWS; r++)
            assert_int_equal(column[r], table[f * ROWS + r]);
        assert_ptr_equal(gr_column_of(&columns, &bins, (uint32_t)f, 1, NULL), column);
        if (last) /* the previous one is still cached */
            assert_ptr_equal(
                gr_column_of(&columns, &bins, (uint32_t)((f + COLUMNS - 1) % COLUMNS), 1, NULL),
                last);
        last = column;
    }
    gr_columns_free(&columns);
    free_bins(&bins);
    free(table);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_columns_of_bytes), cmocka_unit_test(test_hand_worked),
        cmocka_unit_test(test_limits),           cmocka_unit_test(test_missing_values),
        cmocka_unit_test(test_nothing_to_split), cmocka_unit_test(test_no_features_and_no_rows),
        cmocka_unit_test(test_bad_numbers),      cmocka_unit_test(test_lanes_never_overflow),
        cmocka_unit_test(test_threads),          cmocka_unit_test(test_monotone),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
