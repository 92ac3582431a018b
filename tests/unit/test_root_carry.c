/* SPDX-License-Identifier: Apache-2.0 */
/* Roots that are carried from round to round: trees have the bits of those whose roots are scanned. */
#include "made_bins.h"
#include "query_sets.h"

#include "learners/boost/leaf_grid.h"

enum { MAX_FEATURES = 40, ROUNDS = 6, FEW_HISTOGRAMS = 8 };

typedef struct setting {
    gr_bins bins;
    gr_tree_options options;
    int8_t signs[MAX_FEATURES];
    double grid, learning_rate;
    float *labels;
    size_t batch, threads;
    bool monotone, few_histograms, wide;
} setting;

static size_t below(gr_rng *rng, size_t count)
{
    return (size_t)gr_rng_below(rng, count);
}

/* Dense and sparse features, in groups with row masks and bundles, some with missing values. */
static void draw_bins(setting *s, gr_rng *rng, size_t rows, size_t features)
{
    const unsigned width = below(rng, 3) ? 8 : 16;
    const size_t masked = below(rng, 3);
    uint32_t *table = gr_new_array(features * rows, sizeof *table);
    made_feature made[MAX_FEATURES];

    for (size_t f = 0; f < features; f++) {
        made_feature *m = &made[f];

        m->bins = 2 + (uint32_t)below(rng, width == 8 ? 250 : 500);
        m->missing = below(rng, 3) == 0;
        m->sparse = f > 0 && below(rng, 3) == 0;
        m->default_bin = (uint32_t)below(rng, m->bins);
        for (size_t r = 0; r < rows; r++)
            table[f * rows + r] = (m->sparse && below(rng, 5)) || (r % 3 == 0 && f < features / 2)
                                      ? m->default_bin
                                      : (uint32_t)below(rng, m->bins + m->missing);
    }
    s->bins = make_patchy_bins(made, features, table, rows, width, 1 + below(rng, 5), masked);
    for (size_t r = 0; r < rows; r++) {
        const uint32_t a = table[r], b = table[(features - 1) * rows + r];

        s->labels[r] = (float)((a / 40 + (a + b) % 3 + below(rng, 2)) % 5);
    }
    free(table);
}

static setting draw_setting(uint64_t number)
{
    static const size_t leaves[] = { 2, 3, 7, 31, 100, 255 }, batches[] = { 1, 2, 5, 8, 32 };
    static const size_t threads[] = { 1, 2, 5 };
    gr_rng rng = gr_rng_for(11, "settings of carried roots", number);
    const size_t rows = 300 + below(&rng, 1500), features = 2 + below(&rng, MAX_FEATURES - 2);
    setting s = { .options = { .leaves = leaves[number % 6],
                               .depth = below(&rng, 3) ? 0 : 2 + below(&rng, 6),
                               .grow = below(&rng, 3) ? GR_GROW_BEST : GR_GROW_LEVEL,
                               .min_rows = 1 + below(&rng, 20),
                               .l2 = (double)below(&rng, 3),
                               .feature_share = below(&rng, 3) ? 1 : 0.6,
                               .monotone = "" },
                  .grid = 1024,
                  .learning_rate = 0.05 + 0.5 * gr_rng_uniform(&rng),
                  .labels = gr_new_array(rows, sizeof(float)),
                  .batch = batches[number / 6 % 5],
                  .threads = threads[number % 3],
                  .monotone = below(&rng, 4) == 0 };

    draw_bins(&s, &rng, rows, features);
    for (size_t f = 0; f < MAX_FEATURES; f++)
        s.signs[f] = (int8_t)((int)below(&rng, 3) - 1);
    return s;
}

static void free_setting(setting *s)
{
    free_bins(&s->bins);
    free(s->labels);
}

static gr_grower *new_grower(const setting *s, bool scans, gr_pool *pool)
{
    gr_tree_options options = s->options;
    gr_grower *grower;

    options.scan_roots = scans;
    grower = gr_grower_new(&s->bins, 1, &options, s->monotone ? s->signs : NULL,
                           scans ? NULL : pool, NULL);
    assert_non_null(grower);
    grower->carry.always = true;
    gr_grower_limit(grower, s->wide ? 0 : GR_NARROW_ROWS,
                    s->few_histograms && !scans ? FEW_HISTOGRAMS * grower->layout.bin_sums * 8
                                                : 1 << 28);
    gr_grower_set_batch(grower, scans ? 1 : s->batch);
    return grower;
}

/* What boosting does after a tree: leaf values on the grid, and the new scores. */
static void add_tree(const setting *s, const gr_grown *grown, gr_grower *grower, double *scores)
{
    float *values = gr_new_array(grown->leaves, sizeof *values);

    for (size_t l = 0; l < grown->leaves; l++) {
        const double hessian = grown->hessians[l] + s->options.l2;

        values[l] = (float)gr_on_grid(-s->learning_rate * grown->gradients[l] / hessian, s->grid);
        for (size_t i = grown->starts[l]; i < grown->starts[l + 1]; i++)
            scores[grown->rows[i]] += (double)values[l];
    }
    gr_grower_follow(grower, values);
    free(values);
}

/* The leaf histograms that a tree has used stay within the pool. */
static void check_pool(const gr_grower *grower)
{
    assert_true(grower->histograms.idle <= grower->histograms.count);
    assert_true(!grower->carry.on ||
                grower->histograms.idle + grower->carry.leaves == grower->histograms.count);
}

/* Grows the same trees with and without scans of roots. Returns how many roots were carried. */
static size_t compare(const setting *s, size_t *leaves)
{
    const size_t rows = s->bins.rows;
    gr_pool *pool = gr_pool_new(s->threads, NULL);
    gr_grower *growers[2] = { new_grower(s, false, pool), new_grower(s, true, NULL) };
    double *scores[2] = { gr_new_array(rows, sizeof(double)), gr_new_array(rows, sizeof(double)) };
    float *gradients = gr_new_array(rows, sizeof *gradients);
    size_t folds;

    for (uint64_t number = 0; number < ROUNDS; number++) {
        gr_grown grown[2];

        for (size_t side = 0; side < 2; side++) {
            const gr_round round = { .gradients = gradients,
                                     .unit = true,
                                     .ones = true,
                                     .ascending = s->batch % 2 == 0,
                                     .count = rows,
                                     .seed = 5,
                                     .round = number,
                                     .grid = s->grid };

            for (size_t r = 0; r < rows; r++)
                gradients[r] = (float)(scores[side][r] - (double)s->labels[r]);
            assert_int_equal(gr_grower_begin(growers[side], &round, NULL), GRADUS_OK);
            assert_int_equal(gr_grower_grow(growers[side], 0, &grown[side], NULL), GRADUS_OK);
            check_pool(growers[side]);
            add_tree(s, &grown[side], growers[side], scores[side]);
        }
        assert_int_equal(grown[0].leaves, grown[1].leaves);
        if (grown[0].leaves > 1)
            assert_memory_equal(grown[0].splits, grown[1].splits,
                                (grown[0].leaves - 1) * sizeof *grown[0].splits);
        assert_memory_equal(grown[0].covers, grown[1].covers,
                            grown[0].leaves * sizeof *grown[0].covers);
        assert_memory_equal(scores[0], scores[1], rows * sizeof(double));
        *leaves += grown[0].leaves;
    }
    folds = growers[0]->carry.folds;
    assert_int_equal(growers[1]->carry.folds, 0);
    for (size_t side = 0; side < 2; side++) {
        gr_grower_free(growers[side]);
        free(scores[side]);
    }
    free(gradients);
    gr_pool_free(pool);
    return folds;
}

static void test_same_trees(void **state)
{
    size_t leaves = 0;

    (void)state;
    for (uint64_t number = 0; number < 90; number++) {
        setting s = draw_setting(number);

        assert_int_equal(compare(&s, &leaves), ROUNDS - 1);
        free_setting(&s);
    }
    assert_true(leaves > (size_t)90 * ROUNDS * 10);
}

/* Gradients that are not exact, too few histograms, wide sums: roots are scanned. */
static void test_scanned(void **state)
{
    size_t leaves = 0;

    (void)state;
    for (uint64_t number = 0; number < 24; number++) {
        setting s = draw_setting(number);

        s.few_histograms = number % 4 == 0;
        s.wide = number % 4 == 1;
        if (number % 4 == 2)
            s.grid = GR_EXACT_GRADIENT; /* some gradients are above 1 */
        if (number % 4 == 3)
            s.grid = 0x1p30; /* the scale is lower */
        if (s.few_histograms) {
            s.options.leaves = FEW_HISTOGRAMS + number;
            s.options.depth = 0;
        }
        assert_int_equal(compare(&s, &leaves), 0);
        free_setting(&s);
    }
}

/* Without gr_grower_follow, or after values off the grid, the next root is scanned. */
static void test_unknown_scores(void **state)
{
    setting s = draw_setting(3);
    gr_grower *grower = new_grower(&s, false, NULL);
    double *scores = gr_new_array(s.bins.rows, sizeof *scores);
    float *gradients = gr_new_array(s.bins.rows, sizeof *gradients);
    const float half[] = { 0.00001f };
    size_t folds = 0;

    (void)state;
    for (uint64_t number = 0; number < 8; number++) {
        const gr_round round = { .gradients = gradients,
                                 .unit = true,
                                 .ones = true,
                                 .count = s.bins.rows,
                                 .round = number,
                                 .grid = s.grid };
        gr_grown grown;

        for (size_t r = 0; r < s.bins.rows; r++)
            gradients[r] = (float)(scores[r] - (double)s.labels[r]);
        assert_int_equal(gr_grower_begin(grower, &round, NULL), GRADUS_OK);
        assert_int_equal(grower->carry.folds, folds);
        assert_int_equal(gr_grower_grow(grower, 0, &grown, NULL), GRADUS_OK);
        if (number % 3 == 0)
            continue;
        add_tree(&s, &grown, grower, scores);
        folds += number % 3 == 1;
        if (number % 3 == 2) {
            grower->carry.leaves = 1;
            gr_grower_follow(grower, half); /* a value off the grid */
        }
    }
    assert_true(folds > 0);
    gr_grower_free(grower);
    free(scores);
    free(gradients);
    free_setting(&s);
}

/* Whole trainings with carried roots: threads, resuming, and level-wise trees whose last level would
 * need too many scans. */
static void test_trainings(void **state)
{
    query_set train = make_query_set(6800, 21, true), valid = make_query_set(30, 22, true);

    (void)state;
    assert_true(train.rows >= GR_GRID_ROWS);
    check_thread_counts(&train, &valid, "regression", "rounds=4 leaves=12");
    check_thread_counts(&train, NULL, "regression", "rounds=4 leaves=0 depth=4 grow=level");
    check_resumed(&train, &valid, 2, "regression", "rounds=5 leaves=12");
    end_query_set(&train);
    end_query_set(&valid);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_same_trees),
        cmocka_unit_test(test_scanned),
        cmocka_unit_test(test_unknown_scores),
        cmocka_unit_test(test_trainings),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
