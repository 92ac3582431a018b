/* SPDX-License-Identifier: Apache-2.0 */
/* The tree engine against its plain reference, bit by bit, over random data and options. */
#include "emulated_device.h"
#include "made_bins.h"

enum { MAX_FEATURES = 48, MAX_ROWS = 400, MANY_ROWS = 3 * GR_PARTITION_CHUNK };

typedef struct setting {
    gr_bins bins;
    gr_tree_options options;
    int8_t signs[MAX_FEATURES];
    bool monotone, wide, few_histograms;
    gr_round round;
    size_t outputs;
    float *gradients, *hessians, *weights;
    uint32_t *sample;
} setting;

static size_t below(gr_rng *rng, size_t count)
{
    return (size_t)gr_rng_below(rng, count);
}

static bool one_in(gr_rng *rng, size_t count)
{
    return gr_rng_below(rng, count) == 0;
}

static void draw_bins(setting *s, gr_rng *rng, size_t rows, size_t features)
{
    const unsigned width = one_in(rng, 3) ? 16 : 8;
    uint32_t *table = gr_new_array(features * rows, sizeof *table);
    made_feature made[MAX_FEATURES];
    const size_t masked = below(rng, 4);
    bool *bare = gr_new_array(rows, sizeof *bare); /* rows whose first half has the default bin
                                                      throughout */

    for (size_t r = 0; r < rows; r++)
        bare[r] = masked && one_in(rng, 2);
    for (size_t f = 0; f < features; f++) {
        made_feature *m = &made[f];
        const uint32_t most = one_in(rng, 3) ? (width == 8 ? 255 : 1000) : 12;

        m->bins = 1 + (uint32_t)below(rng, most);
        m->missing = one_in(rng, 3);
        m->sparse = one_in(rng, 3);
        m->default_bin = (uint32_t)below(rng, m->bins + m->missing);
        for (size_t r = 0; r < rows; r++)
            table[f * rows + r] = (m->sparse && !one_in(rng, 5)) || (bare[r] && f < features / 2)
                                      ? m->default_bin
                                      : (uint32_t)below(rng, m->bins + m->missing);
    }
    s->bins = make_patchy_bins(made, features, table, rows, width, 1 + below(rng, 5), masked);
    free(bare);
    free(table);
}

/* A weight up to 1; some are 0, and some tiny. */
static double draw_weight(gr_rng *rng)
{
    return one_in(rng, 5) ? 0 : gr_rng_uniform(rng) * (one_in(rng, 3) ? 0.01 : 1);
}

static void draw_numbers(setting *s, gr_rng *rng, size_t rows)
{
    const double spread = gr_exp(20 * gr_rng_uniform(rng) - 10);

    s->gradients = gr_new_array(s->outputs * rows, sizeof(float));
    s->hessians = gr_new_array(s->outputs * rows, sizeof(float));
    s->weights = gr_new_array(rows, sizeof(float));
    for (size_t i = 0; i < s->outputs * rows; i++) {
        const uint32_t bin = gr_dense_bin(&s->bins, 0, i % rows);

        s->gradients[i] = (float)(spread * (gr_rng_normal(rng) + (bin % 4 == 1)));
        s->hessians[i] = s->round.unit && !s->round.weights ? 1 : (float)draw_weight(rng);
        if (s->hessians[i] <= 0)
            s->gradients[i] = 0;
    }
    for (size_t r = 0; r < rows; r++)
        s->weights[r] = s->round.unit ? 1 : (float)(draw_weight(rng) * spread);
}

static void draw_options(setting *s, gr_rng *rng)
{
    s->options = (gr_tree_options){ .leaves = one_in(rng, 4) ? 0 : 2 + below(rng, 40),
                                    .depth = one_in(rng, 3) ? 1 + below(rng, 8) : 0,
                                    .grow = one_in(rng, 3) ? GR_GROW_LEVEL : GR_GROW_BEST,
                                    .min_rows = below(rng, 12),
                                    .min_hessian = one_in(rng, 2) ? 0 : 2 * gr_rng_uniform(rng),
                                    .min_weight = one_in(rng, 2) ? 0 : 2 * gr_rng_uniform(rng),
                                    .l2 = one_in(rng, 2) ? 0 : 3 * gr_rng_uniform(rng),
                                    .min_gain = one_in(rng, 4) ? gr_rng_uniform(rng) : 0,
                                    .feature_share = one_in(rng, 3) ? gr_rng_uniform(rng) : 1,
                                    .monotone = "" };
    s->monotone = one_in(rng, 4);
    for (size_t f = 0; f < MAX_FEATURES; f++)
        s->signs[f] = (int8_t)((int)below(rng, 3) - 1);
    s->wide = one_in(rng, 4);
    s->few_histograms = one_in(rng, 3);
}

static setting draw_setting(uint64_t number)
{
    gr_rng rng = gr_rng_for(7, "settings of trees", number);
    const size_t rows = 1 + below(&rng, one_in(&rng, 20) ? MANY_ROWS : MAX_ROWS);
    const size_t features = 1 + below(&rng, MAX_FEATURES - 1);
    setting s = { .outputs = 1 + below(&rng, one_in(&rng, 4) ? 9 : 2) };
    const bool weighted = one_in(&rng, 3);

    do
        draw_bins(&s, &rng, rows, features);
    while (s.bins.dense == 0 && (free_bins(&s.bins), true));
    draw_options(&s, &rng);
    s.round = (gr_round){ .unit = one_in(&rng, 2),
                          .count = rows,
                          .seed = number,
                          .round = 3,
                          .may_be_short = one_in(&rng, 2) };
    s.round.newton = !s.round.unit && one_in(&rng, 3);
    s.round.weights = weighted ? (const float *)1 : NULL; /* passed to draw_numbers, set below */
    draw_numbers(&s, &rng, rows);
    s.sample = gr_new_array(rows, sizeof *s.sample);
    if (one_in(&rng, 3)) {
        s.round.count = 0;
        for (size_t r = 0; r < rows; r++)
            if (!one_in(&rng, 3))
                s.sample[s.round.count++] = (uint32_t)r;
        s.round.rows = s.sample;
    }
    if (one_in(&rng, 4))
        s.round.grid = ldexp(1, (int)below(&rng, 24));
    s.round.gradients = s.gradients;
    s.round.hessians = s.hessians;
    s.round.weights = weighted ? s.weights : NULL;
    return s;
}

static void free_setting(setting *s)
{
    free_bins(&s->bins);
    free(s->gradients);
    free(s->hessians);
    free(s->weights);
    free(s->sample);
}

static size_t leaf_of(const setting *s, const gr_grown *grown, size_t row)
{
    int32_t at = grown->leaves > 1 ? 0 : -1;

    while (at >= 0) {
        const gr_split *split = &grown->splits[at];
        const uint32_t bin = gr_bin_at(&s->bins, split->feature, row);
        const bool missing = s->bins.cuts.missing[split->feature] &&
                             bin + 1 == gr_cuts_bins(&s->bins.cuts, split->feature);

        if (missing ? split->missing_left : (float)bin < split->threshold)
            at = split->left;
        else
            at = split->right;
    }
    return (size_t)~at;
}

/* The runs have each row of the leaves once, ascending within each run. */
static void check_runs(const setting *s, const gr_grown *grown)
{
    const gr_runs *runs = &grown->runs;

    assert_int_equal(runs->starts[0], 0);
    assert_int_equal(runs->starts[runs->count], s->round.count);
    for (size_t run = 0; run < runs->count; run++) {
        const uint32_t leaf = runs->leaves[run], first = runs->starts[run];

        assert_true(first < runs->starts[run + 1]);
        assert_true(first >= grown->starts[leaf] &&
                    runs->starts[run + 1] <= grown->starts[leaf + 1]);
        for (size_t i = first; i + 1 < runs->starts[run + 1]; i++)
            assert_true(runs->rows[i] < runs->rows[i + 1]);
    }
}

static int compare_rows(const void *a, const void *b)
{
    const uint32_t left = *(const uint32_t *)a, right = *(const uint32_t *)b;

    return left < right ? -1 : left > right;
}

/* Sorts the rows of each leaf, as the reference has them. */
static void sort_leaves(const gr_grown *grown)
{
    for (size_t l = 0; l < grown->leaves; l++)
        qsort((uint32_t *)(uintptr_t)grown->rows + grown->starts[l],
              grown->starts[l + 1] - grown->starts[l], sizeof *grown->rows, compare_rows);
}

/* Each row is in the sample, or once in the out-of-bag list, with the leaf it falls into. */
static void check_others(const setting *s, const gr_grown *grown)
{
    bool *seen = gr_new_array(s->bins.rows, sizeof *seen);

    assert_int_equal(grown->other_count, s->bins.rows - s->round.count);
    for (size_t i = 0; i < s->round.count; i++)
        seen[s->round.rows ? s->round.rows[i] : i] = true;
    for (size_t i = 0; i < grown->other_count; i++) {
        const uint32_t row = grown->others[i];

        assert_true(row < s->bins.rows && !seen[row]);
        seen[row] = true;
        assert_int_equal(grown->other_leaves[i], leaf_of(s, grown, row));
    }
    free(seen);
}

/* batch: the nodes expanded at once, which must not change the tree; 0: as usual. device: NULL: none. */
static size_t check_setting(const setting *s, size_t batch, gr_pool *pool,
                            const gradus_device *device, size_t *runs)
{
    const int8_t *signs = s->monotone ? s->signs : NULL;
    gr_grower *grower = gr_grower_new(&s->bins, s->outputs, &s->options, signs, pool, NULL);
    gr_grown fast, plain;
    size_t leaves = 0;

    assert_non_null(grower);
    assert_int_equal(gr_grower_use_device(grower, device, 0, NULL), GRADUS_OK);
    gr_grower_limit(grower, s->wide ? 0 : GR_NARROW_ROWS, s->few_histograms ? 0 : 1 << 24);
    if (batch > 0)
        gr_grower_set_batch(grower, batch);
    if (batch > 1 && grower->most_expansions > grower->leaves + batch)
        grower->most_expansions = grower->leaves + batch; /* few may be wasted */
    assert_int_equal(gr_grower_begin(grower, &s->round, NULL), GRADUS_OK);
    for (size_t k = 0; k < s->outputs; k++) {
        assert_int_equal(gr_grower_grow(grower, k, &fast, NULL), GRADUS_OK);
        assert_true(grower->expansions <= grower->most_expansions);
        assert_int_equal(reference_tree_grow(&s->bins, s->outputs, k, &s->options, signs, &s->round,
                                             s->wide, &plain, NULL),
                         GRADUS_OK);
        check_runs(s, &fast);
        if (!s->round.ascending)
            sort_leaves(&fast);
        check_same_tree(&fast, &plain, s->round.count);
        check_others(s, &fast);
        leaves += fast.leaves;
        *runs += fast.runs.count;
        reference_tree_free(&plain);
    }
    gr_grower_free(grower);
    return leaves;
}

static void test_same_as_reference(void **state)
{
    static const size_t threads[] = { 1, 2, 3, 8 }, batches[] = { 0, 1, 5, GR_MAX_BATCH };
    size_t leaves = 0, trees = 0, runs = 0;

    (void)state;
    for (size_t t = 0; t < 4; t++) {
        gr_pool *pool = gr_pool_new(threads[t], NULL);

        for (uint64_t number = t; number < 240; number += 4) {
            setting s = draw_setting(number);

            s.round.ascending = number / 16 % 2;
            leaves += check_setting(&s, batches[number / 4 % 4], pool, NULL, &runs);
            trees += s.outputs;
            free_setting(&s);
        }
        gr_pool_free(pool);
    }
    assert_true(leaves > 5 * trees); /* under these settings trees do grow ... */
    assert_true(runs > leaves);      /* ... and some expansions are wasted */
}

/* Gradients that depend on pairs of bins: children gain more than their parents, so that many expanded
 * nodes are displaced. */
static void test_many_displaced(void **state)
{
    gr_pool *pool = gr_pool_new(2, NULL);
    size_t runs = 0;

    (void)state;
    for (uint64_t number = 0; number < 60; number++) {
        setting s = draw_setting(number);

        s.options = (gr_tree_options){
            .leaves = 30 + 2 * number, .min_rows = 1, .feature_share = 1, .monotone = ""
        };
        s.monotone = s.few_histograms = false;
        for (size_t i = 0; i < s.outputs * s.bins.rows; i++) {
            const size_t r = i % s.bins.rows, last = s.bins.dense - 1;
            const uint32_t sum = gr_dense_bin(&s.bins, 0, r) / 2 + gr_dense_bin(&s.bins, last, r) +
                                 gr_dense_bin(&s.bins, last / 2, r) / 3;

            s.gradients[i] = sum % 2 ? s.hessians[i] : -s.hessians[i];
        }
        check_setting(&s, 2 + number % 30, pool, NULL, &runs);
        free_setting(&s);
    }
    gr_pool_free(pool);
}

/* The kernels of a device, emulated. */
static void test_device_same_as_reference(void **state)
{
    static const size_t batches[] = { 0, 1, 5, GR_MAX_BATCH };
    size_t leaves = 0, trees = 0, runs = 0;

    (void)state;
    for (uint64_t number = 0; number < 240; number++) {
        setting s = draw_setting(number);

        s.round.ascending = number / 16 % 2;
        leaves += check_setting(&s, batches[number / 4 % 4], NULL, &emulated_device, &runs);
        trees += s.outputs;
        free_setting(&s);
    }
    assert_true(leaves > 5 * trees);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_same_as_reference),
        cmocka_unit_test(test_many_displaced),
        cmocka_unit_test(test_device_same_as_reference),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
