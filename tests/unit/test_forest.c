/* SPDX-License-Identifier: Apache-2.0 */
/* Forests: evaluation by every kernel against a plain tree walk, and limits of the compiled form.
 */
#include "random_forest.h"

static const gr_split three[] = {
    /* value 0 below 0.5, then value 1 below -2 on the right; missing goes left, then right */
    { 0, 0.5f, ~0, 1, 3.25f, 1 },
    { 1, -2.0f, ~2, ~1, 1.5f, 0 },
};
static const float three_leaves[] = { 0.125f, -3.5f, 7.75f };
static const uint32_t three_covers[] = { 5, 2, 1 };

static void start_three(gr_forest *forest, size_t copies)
{
    const double base = 10.0;

    assert_int_equal(gr_forest_start(forest, 2, 1, &base, NULL), GRADUS_OK);
    for (size_t i = 0; i < copies; i++)
        assert_int_equal(gr_forest_add(forest, three, 3, three_leaves, three_covers, NULL),
                         GRADUS_OK);
}

static void test_rows_fall_in_the_leaves_worked_by_hand(void **state)
{
    static const struct {
        float row[2];
        uint32_t leaf;
    } cases[] = {
        { { 0.49f, 9.0f }, 0 },     { { 0.5f, -2.5f }, 2 }, { { 0.5f, -2.0f }, 1 },
        { { NAN, NAN }, 0 },        { { 3.0f, NAN }, 1 },   { { INFINITY, -INFINITY }, 2 },
        { { -INFINITY, 0.0f }, 0 }, { { 0.75f, 0.0f }, 1 },
    };
    gr_forest forest;

    (void)state;
    start_three(&forest, 2);
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        double raw;

        assert_int_equal(gr_forest_leaf(&forest, 1, cases[i].row), cases[i].leaf);
        gr_forest_row(&forest, cases[i].row, SIZE_MAX, &raw);
        CHECK_NEAR(raw, 10.0 + 2.0 * (double)three_leaves[cases[i].leaf], 0.0);
        gr_forest_row(&forest, cases[i].row, 1, &raw);
        CHECK_NEAR(raw, 10.0 + (double)three_leaves[cases[i].leaf], 0.0);
    }
    gr_forest_free(&forest);
}

static void test_forests_grow_and_are_cut(void **state)
{
    const double bases[] = { 1.5, -0.25 };
    const float one_leaf = 4.0f;
    const uint32_t cover = 77;
    gr_forest forest;

    (void)state;
    assert_int_equal(gr_forest_start(&forest, 2, 2, bases, NULL), GRADUS_OK);
    assert_int_equal(gr_forest_rounds(&forest), 0);
    for (size_t i = 0; i < 700; i++) {
        assert_int_equal(gr_forest_add(&forest, three, 3, three_leaves, three_covers, NULL),
                         GRADUS_OK);
        assert_int_equal(gr_forest_add(&forest, NULL, 1, &one_leaf, &cover, NULL), GRADUS_OK);
    }
    assert_int_equal(gr_forest_rounds(&forest), 700);
    assert_int_equal(gr_forest_check(&forest, NULL), GRADUS_OK);
    gr_forest_cut(&forest, 800);
    assert_int_equal(gr_forest_rounds(&forest), 700);
    gr_forest_cut(&forest, 3);
    assert_int_equal(forest.trees, 6);
    assert_int_equal(forest.starts[6], 6);
    assert_int_equal(gr_forest_add(&forest, NULL, 1, &one_leaf, &cover, NULL), GRADUS_OK);
    assert_int_equal(forest.starts[7], 6);
    assert_int_equal(forest.covers[forest.starts[6] + 6], 77);
    assert_int_equal(forest.covers[forest.starts[4] + 4 + 1], 2);
    gr_forest_free(&forest);
    gr_forest_free(&forest); /* now empty */
}

static void test_importance_adds_gains_and_counts_splits(void **state)
{
    double gains[2];
    uint64_t splits[2];
    gr_forest forest;

    (void)state;
    start_three(&forest, 3);
    gr_forest_importance(&forest, gains, splits);
    CHECK_NEAR(gains[0], 9.75, 0.0);
    CHECK_NEAR(gains[1], 4.5, 0.0);
    assert_int_equal(splits[0], 3);
    assert_int_equal(splits[1], 3);
    gr_forest_importance(&forest, NULL, splits);
    gr_forest_cut(&forest, 1);
    gr_forest_importance(&forest, gains, NULL);
    CHECK_NEAR(gains[0], 3.25, 0.0);
    gr_forest_free(&forest);
}

typedef void (*spoil)(gr_forest *forest);

static void point_to_itself(gr_forest *f)
{
    f->splits[3].right = 1;
}
static void point_to_the_root(gr_forest *f)
{
    f->splits[3].left = 0;
}
static void point_past_the_splits(gr_forest *f)
{
    f->splits[2].right = 2;
}
static void point_past_the_leaves(gr_forest *f)
{
    f->splits[2].left = ~3;
}
static void share_a_leaf(gr_forest *f)
{
    f->splits[2].left = ~1;
}
static void point_far_below(gr_forest *f)
{
    f->splits[2].left = INT32_MIN;
}
static void leave_an_orphan(gr_forest *f)
{
    f->splits[2].right = ~1;
    f->splits[3].left = 1;
    f->splits[3].right = ~2;
}
static void no_threshold(gr_forest *f)
{
    f->splits[3].threshold = NAN;
}
static void no_gain(gr_forest *f)
{
    f->splits[1].gain = INFINITY;
}
static void no_direction(gr_forest *f)
{
    f->splits[1].missing_left = 2;
}
static void no_feature(gr_forest *f)
{
    f->splits[0].feature = 2;
}
static void no_value(gr_forest *f)
{
    f->leaves[5] = NAN;
}
static void no_base(gr_forest *f)
{
    f->bases[0] = -INFINITY;
}
static void end_early(gr_forest *f)
{
    f->starts[1] = 5;
}
static void begin_late(gr_forest *f)
{
    f->starts[0] = 1;
}
static void half_a_round(gr_forest *f)
{
    f->outputs = 3;
}
static void no_outputs(gr_forest *f)
{
    f->outputs = 0;
}

static void test_check_refuses_what_is_no_tree(void **state)
{
    static const spoil spoils[] = { point_to_itself,
                                    point_to_the_root,
                                    point_past_the_splits,
                                    point_past_the_leaves,
                                    share_a_leaf,
                                    point_far_below,
                                    leave_an_orphan,
                                    no_threshold,
                                    no_gain,
                                    no_direction,
                                    no_feature,
                                    no_value,
                                    no_base,
                                    end_early,
                                    begin_late,
                                    half_a_round,
                                    no_outputs };

    (void)state;
    for (size_t i = 0; i < sizeof spoils / sizeof *spoils; i++) {
        gradus_error err = { GRADUS_OK, "" };
        gr_forest forest;

        start_three(&forest, 2);
        assert_int_equal(gr_forest_check(&forest, &err), GRADUS_OK);
        spoils[i](&forest);
        if (gr_forest_check(&forest, &err) != GRADUS_BAD_FORMAT || !err.message[0])
            fail_msg("spoilt forest %zu passes the check", i);
        gr_forest_free(&forest);
    }
}

/* Scores rows in one call of each kernel and compares with the reference bit for bit. */
static void run_and_compare(const gr_forest *forest, const gr_compiled *compiled, size_t rounds,
                            const float *values, size_t rows, size_t stride)
{
    const size_t outputs = forest->outputs, raw_stride = rows + 3;
    double *raw = gr_new_array(raw_stride * outputs, sizeof *raw), wanted[16];
    /* Exactly as much scratch memory as requested, so that the sanitizer detects overruns. */
    const size_t bytes = gr_compiled_scratch(compiled, rows);
    void *scratch = aligned_alloc(64, (bytes + 63) / 64 * 64);

    memset(scratch, 0xa5, bytes);
    for (size_t i = 0; i < raw_stride * outputs; i++)
        raw[i] = -77.0;
    gr_compiled_run(compiled, values, rows, stride, raw, raw_stride, scratch);
    for (size_t r = 0; r < rows; r++) {
        gr_forest_row(forest, values + r * stride, rounds, wanted);
        for (size_t k = 0; k < outputs; k++)
            if (memcmp(&raw[k * raw_stride + r], &wanted[k], sizeof *wanted) != 0)
                fail_msg("row %zu of %zu, output %zu: %.17g, not %.17g", r, rows, k,
                         raw[k * raw_stride + r], wanted[k]);
    }
    for (size_t k = 0; k < outputs; k++)
        for (size_t r = rows; r < raw_stride; r++)
            CHECK_NEAR(raw[k * raw_stride + r], -77.0, 0.0);
    free(scratch);
    free(raw);
}

static void hold_to_reference(const forest_plan *plan, uint64_t seed)
{
    static const size_t counts[] = { 1, 2, 8, 9, 60, 61, 63, 64, 65, 130, 200, 256, 331 };
    const size_t most = counts[sizeof counts / sizeof *counts - 1], stride = plan->features + 1;
    gr_rng rng = gr_rng_for(seed, "forests", plan->leaves);
    gr_forest forest;

    random_forest(&rng, plan, &forest);
    assert_int_equal(gr_forest_check(&forest, NULL), GRADUS_OK);
    float *values = random_rows(&rng, plan, &forest, most, stride);

    for (gr_cpu cpu = 0; cpu <= gr_cpu_here(); cpu++) {
        const gr_forest_kernels *kernels = gr_forest_masks_versions[cpu];
        gr_compiled *whole = gr_compile_for(&forest, 0, plan->rounds, kernels, NULL);
        gr_compiled *half = gr_compile_for(&forest, 0, plan->rounds / 2, kernels, NULL);

        assert_non_null(whole);
        assert_non_null(half);
        for (size_t c = 0; c < sizeof counts / sizeof *counts; c++)
            run_and_compare(&forest, whole, SIZE_MAX, values, counts[c], stride);
        run_and_compare(&forest, half, plan->rounds / 2, values, 70, stride);
        gr_compiled_free(whole);
        gr_compiled_free(half);
    }
    free(values);
    gr_forest_free(&forest);
}

static void test_compiled_trees_give_the_bits_of_plain_walking(void **state)
{
    static const forest_plan plans[] = {
        { 5, 1, 40, 64, true, 0, SHAPE_RANDOM },
        { 7, 1, 30, 64, false, 9, SHAPE_RANDOM },
        { 3, 1, 20, 64, true, 0, SHAPE_CHAIN },
        { 3, 1, 12, 65, true, 0, SHAPE_CHAIN },
        { 11, 1, 20, 32, true, 100, SHAPE_LEVELS },
        { 11, 1, 10, 33, true, 100, SHAPE_LEVELS },
        { 90, 1, 40, 31, false, 3, SHAPE_RANDOM },
        { 140, 1, 40, 63, false, 5, SHAPE_RANDOM },
        { 300, 1, 40, 40, false, 5, SHAPE_RANDOM },
        { 2, 1, 50, 2, false, 0, SHAPE_RANDOM },
        { 2, 1, 20, 1, true, 0, SHAPE_RANDOM },
        { 6, 1, 6, 256, true, 0, SHAPE_RANDOM },
        { 6, 1, 4, 257, true, 50, SHAPE_RANDOM },
        { 6, 1, 12, 300, false, 0, SHAPE_RANDOM },
        { 4, 1, 4, 256, true, 0, SHAPE_CHAIN },
        { 9, 5, 9, 50, false, 30, SHAPE_RANDOM },
        { 9, 3, 5, 300, false, 30, SHAPE_RANDOM },
        { 1, 1, 40, 64, true, 0, SHAPE_RANDOM }, /* 2,500 thresholds of one feature */
        { 4, 2, 0, 8, true, 0, SHAPE_RANDOM },   /* no trees */
    };

    (void)state;
    for (size_t i = 0; i < sizeof plans / sizeof *plans; i++)
        hold_to_reference(&plans[i], 1000 + i);
}

/* A row with value v descends v levels before it reaches a leaf. */
static void add_chain(gr_forest *forest, size_t depth, bool leftwards)
{
    gr_split splits[MAX_SPLITS];
    float leaves[MAX_SPLITS + 1];
    uint32_t covers[MAX_SPLITS + 1];

    for (size_t s = 0; s < depth; s++) {
        const int32_t next = s + 1 < depth ? (int32_t)s + 1 : ~(int32_t)depth;
        const float threshold = leftwards ? (float)-s : (float)(s + 1);

        splits[s] = leftwards ? (gr_split){ 0, threshold, next, ~(int32_t)s, 1.0f, 0 }
                              : (gr_split){ 0, threshold, ~(int32_t)s, next, 1.0f, 0 };
    }
    for (size_t l = 0; l <= depth; l++) {
        leaves[l] = (float)(l + 1) * 0.37f;
        covers[l] = 1;
    }
    gr_forest_add(forest, splits, depth + 1, leaves, covers, NULL);
}

static void test_rows_go_down_to_the_deepest_leaf(void **state)
{
    static const size_t depths[] = { 1, 7, 8, 9, 15, 16, 17, 31, 32, 33, 62, 63, 64 };

    (void)state;
    for (size_t i = 0; i < sizeof depths / sizeof *depths; i++) {
        const double base = 0.25;
        gr_forest forest;

        gr_forest_start(&forest, 1, 1, &base, NULL);
        for (size_t t = 0; t < 7; t++)
            add_chain(&forest, depths[i], t % 2);
        for (gr_cpu cpu = 0; cpu <= gr_cpu_here(); cpu++) {
            gr_compiled *compiled =
                gr_compile_for(&forest, 0, 7, gr_forest_masks_versions[cpu], NULL);

            for (float value = -66.5f; value <= 66.5f; value += 0.5f)
                run_and_compare(&forest, compiled, SIZE_MAX, &value, 1, 1);
            gr_compiled_free(compiled);
        }
        gr_forest_free(&forest);
    }
}

/* 254 thresholds fit in a code, one more does not. */
static void test_columns_hold_254_thresholds(void **state)
{
    (void)state;
    for (size_t thresholds = 253; thresholds <= 256; thresholds++) {
        const double base = 0.0;
        const float leaves[] = { 1.0f, -1.0f };
        const uint32_t covers[] = { 1, 1 };
        gr_forest forest;

        gr_forest_start(&forest, 1, 1, &base, NULL);
        for (size_t i = 0; i < thresholds; i++) {
            const gr_split split = { 0, (float)i, ~0, ~1, 1.0f, 1 };

            gr_forest_add(&forest, &split, 2, leaves, covers, NULL);
        }
        gr_compiled *compiled = gr_compile(&forest, SIZE_MAX, NULL);

        assert_int_equal(compiled->columns, thresholds <= 254 ? 1 : 2);
        for (float value = -1.0f; value <= 258.0f; value += 0.5f)
            run_and_compare(&forest, compiled, SIZE_MAX, &value, 1, 1);
        gr_compiled_free(compiled);
        gr_forest_free(&forest);
    }
}

/* The same numbers as dense or as sparse rows; `features` may be fewer than the forest's. */
typedef struct both_forms {
    gradus_dataset *dense, *sparse;
    uint64_t *starts;
    uint32_t *columns;
    float *entries, *labels;
} both_forms;

static both_forms make_both(float *values, size_t rows, size_t features, size_t stride)
{
    both_forms both = { .starts = gr_new_array(rows + 1, sizeof(uint64_t)),
                        .columns = gr_new_array(rows * features, sizeof(uint32_t)),
                        .entries = gr_new_array(rows * features, sizeof(float)),
                        .labels = gr_new_array(rows, sizeof(float)) };
    gradus_arrays arrays = { .rows = rows,
                             .features = features,
                             .values = values,
                             .stride = stride,
                             .labels = both.labels };
    uint64_t used = 0;

    for (size_t r = 0; r < rows; r++) {
        for (size_t f = 0; f < features; f++) {
            if ((r + f) % 3 == 0)
                values[r * stride + f] = 0.0f;
            else {
                both.columns[used] = (uint32_t)f;
                both.entries[used++] = values[r * stride + f];
            }
        }
        both.starts[r + 1] = used;
    }
    both.dense = gradus_dataset_borrow(&arrays, NULL);
    arrays.values = NULL;
    arrays.row_starts = both.starts;
    arrays.columns = both.columns;
    arrays.entries = both.entries;
    both.sparse = gradus_dataset_borrow(&arrays, NULL);
    assert_non_null(both.dense);
    assert_non_null(both.sparse);
    return both;
}

static void free_both(both_forms *both)
{
    gradus_dataset_free(both->dense);
    gradus_dataset_free(both->sparse);
    free(both->starts);
    free(both->columns);
    free(both->entries);
    free(both->labels);
}

/* The expected result of gr_forest_add_scores, tree by tree. */
static void add_plainly(const gr_forest *forest, size_t first, size_t end,
                        const gradus_dataset *data, double *scores)
{
    const size_t outputs = forest->outputs, rows = data->arrays.rows;

    for (size_t r = 0; r < rows; r++) {
        float row[64] = { 0 };

        gr_dataset_row(data, r, row);
        for (size_t t = first * outputs; t < end * outputs; t++)
            scores[t % outputs * rows + r] +=
                (double)forest->leaves[forest->starts[t] + t + gr_forest_leaf(forest, t, row)];
    }
}

static void adds_scores(size_t features, size_t first, size_t end)
{
    enum { ROWS = 1100, OUTPUTS = 2 };
    const forest_plan plan = { 20, OUTPUTS, 30, 40, false, 0, SHAPE_RANDOM };
    gr_rng rng = gr_rng_for(7, "adding", features);
    gr_pool *pool = gr_pool_new(3, NULL);
    gr_forest forest;
    double wanted[ROWS * OUTPUTS], found[ROWS * OUTPUTS];

    random_forest(&rng, &plan, &forest);
    float *values = random_rows(&rng, &plan, &forest, ROWS, 33);
    both_forms both = make_both(values, ROWS, features, 33);

    for (size_t form = 0; form < 4; form++) {
        const gradus_dataset *data = form % 2 ? both.sparse : both.dense;

        for (size_t i = 0; i < ROWS * OUTPUTS; i++)
            wanted[i] = found[i] = 0.1 * (double)i;
        add_plainly(&forest, first, end, data, wanted);
        assert_int_equal(
            gr_forest_add_scores(&forest, first, end, data, found, form < 2 ? pool : NULL, NULL),
            GRADUS_OK);
        assert_memory_equal(found, wanted, sizeof wanted);
    }
    free_both(&both);
    free(values);
    gr_forest_free(&forest);
    gr_pool_free(pool);
}

static void test_scores_get_their_trees_in_order(void **state)
{
    (void)state;
    for (size_t features = 17; features <= 23; features += 3) { /* fewer than 20, 20, and more */
        adds_scores(features, 0, 30);
        adds_scores(features, 11, 12);
        adds_scores(features, 4, 29);
        adds_scores(features, 9, 9);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_rows_fall_in_the_leaves_worked_by_hand),
        cmocka_unit_test(test_forests_grow_and_are_cut),
        cmocka_unit_test(test_importance_adds_gains_and_counts_splits),
        cmocka_unit_test(test_check_refuses_what_is_no_tree),
        cmocka_unit_test(test_compiled_trees_give_the_bits_of_plain_walking),
        cmocka_unit_test(test_rows_go_down_to_the_deepest_leaf),
        cmocka_unit_test(test_columns_hold_254_thresholds),
        cmocka_unit_test(test_scores_get_their_trees_in_order),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
