/* SPDX-License-Identifier: Apache-2.0 */
/* Every version of every kernel of kernels.def that this processor supports gives the same bits as
 * the baseline: for all small sizes, at different alignments, on random inputs. A kernel NAME needs a
 * function run_NAME here that calls all its functions and keeps what they write; without it this file
 * does not compile. Whether the results are right is tested elsewhere, on one version. */
#include "chain_tree.h"
#include "checks.h"
#include "kernel_trial.h"

#include "base/memory.h"
#include "base/rng.h"
#include "kernels/kernels.h"
#include "learners/forest/compile.h"

#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

/* ---- trees ---- */

static void run_bin_search(const gr_bin_search_kernels *kernels, trial *t)
{
    const uint32_t count = (uint32_t)(t->shift % 2 ? t->size : 20 * t->size);
    const uint32_t room = gr_table_room(count);
    int32_t *thresholds = take(t, room, sizeof *thresholds);
    int32_t *keys = take(t, 3 * t->size, sizeof *keys);
    uint32_t *halves = take(t, 3 * t->size, sizeof *halves);

    for (uint32_t i = 0; i < room; i++)
        thresholds[i] = i < count ? (int32_t)(1000 * i + below(t, 1000)) : INT32_MAX;
    for (size_t i = 0; i < 3 * t->size; i++) {
        keys[i] = i % 5 == 4 ? INT32_MAX : (int32_t)below(t, 1000 * (size_t)room);
        if (i % 5 == 1 && count > 0)
            keys[i] = thresholds[below(t, count)] - (int32_t)below(t, 2);
        halves[i] = 0;
    }
    const gr_bin_table table = { thresholds, count, room };
    const unsigned saw = kernels->search(&table, keys, 3 * t->size, t->shift % 2 ? 16 : 0, halves);

    keep(t, &saw, sizeof saw);
    keep(t, halves, 3 * t->size * sizeof *halves);
}

static void run_histogram_outputs(const gr_histogram_outputs_kernels *kernels, trial *t)
{
    const size_t words = 4 * GR_COLUMN_SUMS * GR_VECTOR_WORDS, rows = t->size + 1;
    uint64_t *sums = take_aligned(t, words * sizeof *sums);
    uint16_t *at = take(t, t->size, sizeof *at);

    memset(sums, 0, words * sizeof *sums);
    for (size_t i = 0; i < t->size; i++)
        at[i] = (uint16_t)below(t, rows);
    for (unsigned how = 0; how < 8; how++) {
        const gr_vector_scan scan = {
            .words = longs(t, 3 * rows),
            .stride = 3,
            .shift = how & 1 ? 32 : 0,
            .rows = how & 1 ? numbers(t, rows, rows) : NULL,
            .vectors = fill_longs(t, take_aligned(t, rows * 32), rows * GR_VECTOR_WORDS),
            .at = how & 2 ? at : NULL,
            .count = t->size,
            .counted = how & 4,
        };

        kernels->scan(sums, &scan);
    }
    keep(t, sums, words * sizeof *sums);
}

static void run_histogram_short(const gr_histogram_short_kernels *kernels, trial *t)
{
    uint32_t *from = numbers(t, t->size, (uint64_t)1 << 32);
    uint64_t *into = longs(t, t->size);

    kernels->empty(from, t->size, into);
    keep(t, from, t->size * sizeof *from);
    keep(t, into, t->size * sizeof *into);
}

static void run_gather(const gr_gather_kernels *kernels, trial *t)
{
    const size_t first = 7;
    const gr_row_masks masks = { bytes(t, t->size), (uint8_t)(1u << below(t, 8)) };
    const uint32_t *rows = t->shift % 2 ? NULL : numbers(t, t->size, first + t->size);
    uint32_t *picked = numbers(t, t->size, 9);
    uint64_t *sums = longs(t, t->size), *picked_sums = longs(t, t->size);
    const size_t used = kernels->rows(&masks, rows, first, sums, t->size, picked, picked_sums);

    keep(t, picked, used * sizeof *picked);
    keep(t, picked_sums, used * sizeof *picked_sums);
}

static void run_sort_rows(const gr_sort_rows_kernels *kernels, trial *t)
{
    static const uint32_t strides[SHIFTS] = { 1, 8, 24, 32 };
    const uint32_t stride = strides[t->shift], shift = stride == 1 ? 0 : 8 * (uint32_t)below(t, 4);
    const gr_sides sides = { bytes(t, (t->size + 1) * stride + GR_SIDES_PAD), stride, shift,
                             (uint32_t)below(t, 256), (uint32_t)below(t, 257) };
    uint32_t *left = numbers(t, t->size, 9), *right = numbers(t, t->size, 9);
    const size_t lefts =
        kernels->sort(&sides, numbers(t, t->size, t->size + 1), t->size, left, right);

    keep(t, left, lefts * sizeof *left);
    keep(t, right, (t->size - lefts) * sizeof *right);
}

static void run_rounding(const gr_rounding_kernels *kernels, trial *t)
{
    const size_t first = 13, all = first + t->size;
    float *gradients = floats(t, all), *hessians = floats(t, all);
    const gr_rows rows = { t->shift % 2 ? numbers(t, t->size, all) : NULL, first, t->size };
    uint64_t *words = longs(t, all);

    for (size_t r = 0; r < all; r++)
        hessians[r] = fabsf(hessians[r]);
    const float *weights = t->shift < 2 ? hessians : NULL;
    const gr_rounding how = { gradients, weights, 0x1p20, 0x1p17, t->size, words, 0 };
    const gr_summing sums = { gradients, how.hessians, 0x1p52, 0x1p54 };
    const gr_extent extent = kernels->measure(gradients, &rows);
    const gr_rounded rounded = kernels->round(&how, &rows);
    int64_t sum[2];

    kernels->sum(&sums, &rows, &sum[0], &sum[1]);
    keep(t, &extent.sum, sizeof extent.sum);
    keep(t, &extent.most, sizeof extent.most);
    keep(t, &extent.negative, sizeof extent.negative);
    keep(t, &rounded, sizeof rounded);
    keep(t, sum, sizeof sum);
    keep(t, words, all * sizeof *words);
}

static void run_split_cuts(const gr_split_cuts_kernels *kernels, trial *t)
{
    const size_t padded = (t->size + GR_CUT_LANES - 1) / GR_CUT_LANES * GR_CUT_LANES;
    uint64_t *sums = longs(t, padded), sum = 0;

    for (size_t b = 0; b < padded; b++) {
        const uint64_t gradient = below(t, 2001), hessian = below(t, 50);

        sum += b < t->size ? ((gradient - 1000) << 32) + hessian : 0;
        sums[b] = b < t->size ? sum : (uint64_t)t->size * 60;
    }
    for (int more = 0; more < 2; more++) {
        const gr_split_cuts cuts = { .sums = sums,
                                     .cuts = t->size,
                                     .more_gradient = more * 77.0,
                                     .more_hessian = more * 9.0,
                                     .gradient = gr_upper_half(sum) + 99.0,
                                     .hessian = (double)t->size * 60.0,
                                     .need = t->shift % 2 ? 1.0 : 40.0,
                                     .l2 = 0.5 * (double)t->shift };
        const gr_split_cut cut = kernels->best(&cuts);

        keep(t, &cut.score, sizeof cut.score);
        keep(t, &cut.bin, sizeof cut.bin);
    }
}

/* A tree of `nodes` nodes, each replacing a random leaf or, in a chain, the right leaf of the last
 * one. */
static void draw_tree(gr_place_tree *tree, gr_rng *rng, size_t nodes, bool chain)
{
    size_t depths[GR_MAP_NODES] = { 1 };

    for (size_t n = 0; n < nodes; n++) {
        const size_t parent = n == 0 ? 0 : chain ? n - 1 : (size_t)gr_rng_below(rng, n);
        const bool left = !chain && gr_rng_below(rng, 2) == 0;
        uint8_t *child = (left ? tree->left : tree->right) + parent;

        tree->left[n] = (uint8_t)n;
        tree->right[n] = (uint8_t)(GR_RIGHT_LEAF + n);
        tree->most[n] = (uint8_t)gr_rng_below(rng, chain ? 20 : 256);
        tree->equal[n] = (uint8_t)gr_rng_below(rng, 256);
        tree->bin[n] = (uint8_t)(gr_rng_below(rng, tree->groups) * GR_PLACE_BYTES);
        tree->bin[n] =
            (uint8_t)(tree->bin[n] + gr_rng_below(rng, tree->group[tree->bin[n] / 32].stride));
        if (n == 0 || (*child < GR_MAP_NODES && *child != parent))
            continue; /* the root, or an unreachable node */
        *child = (uint8_t)n;
        depths[n] = depths[parent] + 1;
        tree->depth = depths[n] > tree->depth ? depths[n] : tree->depth;
    }
}

static void run_leaf_lookup(const gr_leaf_lookup_kernels *kernels, trial *t)
{
    static const size_t chains[] = { 15, 16, 17, 18, 32, 63 };
    gr_place_tree tree = { .depth = 1, .groups = 1 + t->size % GR_PLACE_GROUPS };
    uint32_t *leaves = numbers(t, t->size, 9);

    for (size_t g = 0; g < tree.groups; g++) {
        const size_t stride = 8 * (1 + below(t, 4));

        tree.group[g] = (gr_place_group){ bytes(t, (t->size + 1) * stride), stride };
    }
    for (uint32_t l = 0; l < GR_MAP_NAMES; l++)
        tree.leaf[l] = 1000 * l;
    if (t->shift == 0)
        draw_tree(&tree, &t->rng, chains[t->size % 6], true);
    else
        draw_tree(&tree, &t->rng, 1 + below(t, GR_MAP_NODES - 1), false);
    kernels->find(&tree, numbers(t, t->size, t->size + 1), t->size, leaves);
    keep(t, leaves, t->size * sizeof *leaves);
}

/* Each split replaces a random leaf. */
static void add_random_tree(trial *t, gr_forest *forest, size_t splits, size_t features)
{
    gr_split made[MAX_SIZE];
    float leaves[MAX_SIZE + 1];
    uint32_t covers[MAX_SIZE + 1];

    for (size_t s = 0; s < splits; s++) {
        const int32_t leaf = ~(int32_t)below(t, s + 1);

        for (size_t parent = 0; parent < s; parent++)
            if (made[parent].left == leaf)
                made[parent].left = (int32_t)s;
            else if (made[parent].right == leaf)
                made[parent].right = (int32_t)s;
        made[s] = (gr_split){ .feature = (uint32_t)below(t, features),
                              .threshold = (float)below(t, 30),
                              .left = leaf,
                              .right = ~(int32_t)(s + 1),
                              .gain = 1.0f,
                              .missing_left = (uint32_t)below(t, 2) };
    }
    for (size_t l = 0; l <= splits; l++) {
        leaves[l] = (float)gr_rng_normal(&t->rng);
        covers[l] = 1;
    }
    assert_int_equal(gr_forest_add(forest, made, splits + 1, leaves, covers, NULL), GRADUS_OK);
}

/* Through a compiled forest, which the kernels were made for. */
static void run_forest_masks(const gr_forest_kernels *kernels, trial *t)
{
    const size_t features = 1 + t->size % 9, rows = t->size * (1 + t->shift), trees = 5;
    float *values = take(t, rows * features, sizeof *values);
    double *sums = doubles(t, rows);
    const double base = 0.25;
    gr_forest forest;

    assert_int_equal(gr_forest_start(&forest, features, 1, &base, NULL), GRADUS_OK);
    for (size_t i = 0; i < trees; i++)
        add_random_tree(t, &forest, 1 + below(t, MAX_SIZE - 1), features);
    assert_int_equal(gr_forest_check(&forest, NULL), GRADUS_OK);
    for (size_t i = 0; i < rows * features; i++)
        values[i] = t->shift % 2 && below(t, 9) == 0 ? NAN : (float)below(t, 60) * 0.5f;
    gr_compiled *compiled = gr_compile_for(&forest, 0, trees, kernels, NULL);

    assert_non_null(compiled);
    gr_compiled_run(compiled, values, rows, features, sums, rows,
                    take_aligned(t, gr_compiled_scratch(compiled, rows)));
    keep(t, sums, rows * sizeof *sums);
    gr_compiled_free(compiled);
    gr_forest_free(&forest);
}

/* ---- gradients ---- */

static void run_lambda(const gr_lambda_kernels *kernels, trial *t)
{
    const size_t length = (t->size + GR_LAMBDA_STEP - 1) / GR_LAMBDA_STEP * GR_LAMBDA_STEP;
    float *arrays[5];
    gr_lambda_sums sums;

    for (size_t a = 0; a < 5; a++)
        arrays[a] = aligned_floats(t, length);
    for (size_t first = 0; first <= t->size; first += 1 + t->shift) {
        const float sigma = t->shift % 2 ? 1.0f : 1.3f;
        const gr_lambda_pairs pairs = { first,     t->size,   6.0f,      0.1f,  0.7f,
                                        arrays[0], arrays[1], arrays[2], sigma, 0.01f,
                                        1.0f,      arrays[3], arrays[4] };

        kernels->row(&pairs, &sums);
        keep(t, &sums, sizeof sums);
    }
    for (size_t a = 0; a < 5; a++)
        keep(t, arrays[a], length * sizeof(float));
}

static void run_ranks(const gr_ranks_kernels *kernels, trial *t)
{
    const size_t room = (t->size + GR_RANKS_STEP - 1) / GR_RANKS_STEP * GR_RANKS_STEP;
    int32_t *keys = take_aligned(t, 4 * room), *ranks = take_aligned(t, 4 * room);

    for (size_t i = 0; i < room; i++)
        keys[i] = (int32_t)below(t, 50) - 25;
    kernels->above(keys, t->size, ranks);
    keep(t, ranks, t->size * sizeof *ranks);
}

static void run_shap_tree(const gr_shap_kernels *kernels, trial *t)
{
    const size_t splits = t->size + 1, points = GR_SHAP_LANES * (1 + t->size % 4);
    float *values = floats(t, 9), *leaves = floats(t, splits + 1);
    double *factors = doubles(t, (splits + 2) * 2 * points), *sums = doubles(t, 9 * points);
    gr_shap_node *nodes = take(t, splits, sizeof *nodes);
    const gr_shap_tree tree = chain_tree(&t->rng, splits, 3, points, nodes, leaves, factors);
    void *work = take_aligned(t, gr_shap_work(splits, points));

    kernels->add(&tree, values, 3, 3, work, sums, 3 * points);
    keep(t, sums, 9 * points * sizeof *sums);
}

static void run_sigmoid(const gr_sigmoid_kernels *kernels, trial *t)
{
    const size_t count = t->size, outputs = 3, stride = count + 2;
    double *scores = doubles(t, outputs * stride), *targets = doubles(t, count);
    double *weights = doubles(t, count), *chances = doubles(t, outputs * count);
    float *gradients = floats(t, 2 * count), *hessians = floats(t, 2 * count);

    for (size_t i = 0; i < outputs * stride; i++)
        scores[i] *= 20.0;
    kernels->softmax(scores, stride, outputs, count, chances);
    kernels->logistic(scores, targets, weights, count, gradients, hessians);
    kernels->chance(chances, targets, weights, count, gradients + count, hessians + count);
    kernels->exp_minus(scores, count, targets);
    keep(t, chances, outputs * count * sizeof *chances);
    keep(t, gradients, 2 * count * sizeof *gradients);
    keep(t, hessians, 2 * count * sizeof *hessians);
    keep(t, targets, count * sizeof *targets);
}

static void run_ordinal(const gr_ordinal_kernels *kernels, trial *t)
{
    enum { NUMBERS = 2 + GR_ODDS_TERMS + GR_LINE_TERMS };
    const size_t count = t->size;
    double *in[6], *out[NUMBERS];
    float *gradients = floats(t, 2 * count), *hessians = floats(t, 2 * count);

    for (size_t i = 0; i < 6; i++)
        in[i] = doubles(t, count);
    for (size_t i = 0; i < NUMBERS; i++)
        out[i] = doubles(t, count);
    for (size_t r = 0; r < count; r++) {
        in[0][r] *= t->shift % 2 ? 200.0 : 2.0;
        for (size_t i = 1; i < 5; i++)
            in[i][r] = fabs(in[i][r]);
    }
    const gr_odds_rows rows = { in[0], in[1], in[2], in[3], t->shift < 2 ? in[4] : NULL, count };

    kernels->powers(in[0], count, out[0], out[1]);
    kernels->odds_terms(&rows, out + 2);
    kernels->line(in[0], in[5], 0.7, rows.weights, count, out + 2 + GR_ODDS_TERMS);
    kernels->odds_gradients(&rows, gradients, hessians);
    kernels->pairs(in[0], in[1], in[2], rows.weights, count, gradients + count, hessians + count);
    for (size_t i = 0; i < NUMBERS; i++)
        keep(t, out[i], count * sizeof(double));
    keep(t, gradients, 2 * count * sizeof *gradients);
    keep(t, hessians, 2 * count * sizeof *hessians);
}

static void run_adaboost_cut(const gr_adaboost_cut_kernels *kernels, trial *t)
{
    const size_t bins = t->size + 1, groups = 1 + t->shift, apart = (bins + 1) * GR_EDGE_LANES;
    int64_t *slots = take_aligned(t, groups * apart * sizeof *slots);
    int64_t *totals = take_aligned(t, groups * GR_EDGE_LANES * sizeof *totals);

    memset(totals, 0, groups * GR_EDGE_LANES * sizeof *totals);
    for (size_t i = 0; i < groups * apart; i++) {
        slots[i] = (int64_t)(gr_rng_normal(&t->rng) * 0x1p50);
        totals[i / apart * GR_EDGE_LANES + i % GR_EDGE_LANES] += slots[i];
    }
    for (unsigned how = 0; how < 4; how++) {
        const gr_edge_scan scan = { .slots = slots,
                                    .groups = groups,
                                    .apart = apart,
                                    .bins = bins,
                                    .missing = how & 1,
                                    .totals = totals,
                                    .opposed = how & 2 };
        const gr_edge_cut cut = kernels->best(&scan);

        keep(t, &cut.edge, sizeof cut.edge);
        keep(t, &cut.bin, sizeof cut.bin);
        keep(t, &cut.missing_left, sizeof cut.missing_left);
    }
}

/* ---- linear algebra ---- */

static void spoil(trial *t, float *values, size_t count)
{
    for (size_t i = 0; i < count; i++)
        if (below(t, 7) == 0)
            values[i] = below(t, 2) ? NAN : INFINITY;
}

/* Weights are padded to whole strips. */
#define RUN_ROWS(name, real, table)                                                                \
    static void run_##name(const table *kernels, trial *t)                                         \
    {                                                                                              \
        const size_t count = t->size, padded = (count + 15) / 16 * 16;                             \
        float *a = floats(t, count), *b = floats(t, count);                                        \
        uint32_t *columns = numbers(t, count, 1);                                                  \
        const gr_row_values sparse = { a, columns, count };                                        \
        real *weights = take(t, 2 * padded, sizeof *weights), made[10];                            \
                                                                                                   \
        for (size_t i = 0; i < 2 * padded; i++)                                                    \
            weights[i] = i < count ? (real)gr_rng_normal(&t->rng) : 0;                             \
        for (size_t i = 0; i < count; i++)                                                         \
            columns[i] = (uint32_t)(2 * i + below(t, 2));                                          \
        made[0] = kernels->dot(a, weights, count);                                                 \
        made[1] = kernels->dot_pair(a, b, weights, count);                                         \
        made[2] = kernels->add(a, (real)0.7, weights, count);                                      \
        made[3] = kernels->add_pair(a, b, (real)-0.3, weights, count);                             \
        made[4] = kernels->sparse_dot(&sparse, weights);                                           \
        made[5] = kernels->sparse_add(&sparse, (real)0.4, weights);                                \
        spoil(t, a, count);                                                                        \
        spoil(t, b, count);                                                                        \
        made[6] = kernels->careful_dot(a, weights, count);                                         \
        made[7] = kernels->careful_dot_pair(a, b, weights, count);                                 \
        made[8] = kernels->careful_add(a, (real)0.7, weights, count);                              \
        made[9] = kernels->careful_add_pair(a, b, (real)-0.3, weights, count);                     \
        keep(t, made, sizeof made);                                                                \
        keep(t, weights, 2 * padded * sizeof *weights);                                            \
    }

RUN_ROWS(float_rows, float, gr_float_rows)
RUN_ROWS(double_rows, double, gr_double_rows)

static void run_dot(const gr_dot_kernels *kernels, trial *t)
{
    enum { ROWS = 40, STRIDE = ROWS + 3 };
    const size_t features = t->size;
    const double *left = doubles(t, features * GR_DOT);
    double *dots = doubles(t, STRIDE * GR_DOT), *sums = doubles(t, features);
    const float *row = floats(t, features);
    uint64_t *starts = longs(t, ROWS + 1);
    uint32_t *columns = numbers(t, ROWS * features, 1);

    starts[0] = 0;
    for (size_t r = 0; r < ROWS; r++) {
        starts[r + 1] = starts[r];
        for (uint32_t f = 0; f < features; f++)
            if (below(t, 2))
                columns[starts[r + 1]++] = f;
    }
    const gr_dot_rows rows[2] = {
        { .features = features, .strips = floats(t, ROWS * features) },
        { .features = features,
          .starts = starts,
          .columns = columns,
          .entries = floats(t, ROWS * features) },
    };

    for (size_t sparse = 0; sparse < 2; sparse++)
        for (size_t from = 0; from < ROWS; from += 16) {
            kernels->one(left, &rows[sparse], from, ROWS - t->shift, dots);
            keep(t, dots, STRIDE * GR_DOT * sizeof *dots);
            kernels->all(left, &rows[sparse], from, ROWS - t->shift, dots, STRIDE);
            keep(t, dots, STRIDE * GR_DOT * sizeof *dots);
        }
    const double dot = kernels->dot(left, row, features);

    kernels->add(sums, row, 0.3, features);
    keep(t, &dot, sizeof dot);
    keep(t, sums, features * sizeof *sums);
}

static void run_gram(const gr_gram_kernels *kernels, trial *t)
{
    const size_t features = 1 + t->size % 21, rows = t->size, stride = features + t->shift;
    const size_t strips = (features + GR_STRIP - 1) / GR_STRIP, columns = strips * GR_STRIP;
    float *values = floats(t, (rows + 1) * stride);
    double *panel = doubles(t, rows * columns), *products = doubles(t, columns * columns);
    double *means = doubles(t, features), *sums = doubles(t, features);

    if (t->shift % 2)
        spoil(t, values, (rows + 1) * stride);
    const gr_pack pack = { .values = values,
                           .stride = stride,
                           .features = features,
                           .numbers = t->shift < 2 ? numbers(t, rows, rows + 1) : NULL,
                           .rows = rows,
                           .means = means };

    kernels->pack(&pack, panel);
    kernels->gram(panel, panel, rows, strips, products, columns);
    const double dot = kernels->dot(panel, panel, rows * columns);
    const bool whole = kernels->total(values, features, 0.3, sums);

    keep(t, panel, rows * columns * sizeof *panel);
    keep(t, products, columns * columns * sizeof *products);
    keep(t, sums, features * sizeof *sums);
    keep(t, &dot, sizeof dot);
    keep(t, &whole, sizeof whole);
}

static void run_m5_products(const gr_m5_products_kernels *kernels, trial *t)
{
    const size_t rows = t->size, width = GR_M5_TILE * (1 + t->shift);
    double *products = doubles(t, width * width);

    kernels->products(doubles(t, rows * width), doubles(t, rows * width), rows, width, products);
    keep(t, products, width * width * sizeof *products);
}

static void run_m5_spread(const gr_m5_spread_kernels *kernels, trial *t)
{
    const gr_m5_sums all = { 10.0 + 3.0 * (double)t->size, 1800.0, 500000.0 };
    gr_m5_cuts *cuts = take(t, 1, sizeof *cuts);
    double *spreads = take(t, GR_CUTS_AT_ONCE, sizeof *spreads);

    for (size_t i = 0; i < t->size; i++) {
        cuts->weights[i] = 1.0 + 2.0 * (double)i + gr_rng_uniform(&t->rng);
        cuts->sums[i] = 20.0 * gr_rng_normal(&t->rng);
        cuts->squares[i] = 4000.0 * gr_rng_uniform(&t->rng);
    }
    kernels->spread(cuts, t->size, &all, spreads);
    keep(t, spreads, t->size * sizeof *spreads);
}

static void run_net_layers(const gr_net_kernels *kernels, trial *t)
{
    const size_t rows = t->size, features = 1 + t->size % 11, pitch = GR_UNITS * (1 + t->shift % 2);
    const size_t stride = features + t->shift;
    const gr_layer layer = { .features = features,
                             .pitch = pitch,
                             .activation = t->shift < 2 ? GR_TANH : GR_RELU,
                             .weights = floats(t, features * pitch),
                             .biases = floats(t, pitch),
                             .output = floats(t, pitch) };
    const gr_layer_sums sums = { floats(t, features * pitch), floats(t, pitch), floats(t, pitch) };
    const float *values = floats(t, rows * stride), *slopes = floats(t, rows);
    float *units = floats(t, rows * pitch), *scores = floats(t, rows);

    kernels->forward(&layer, values, rows, stride, units, scores);
    keep(t, units, rows * pitch * sizeof *units);
    keep(t, scores, rows * sizeof *scores);
    kernels->backward(&layer, values, rows, stride, units, slopes, &sums);
    keep(t, units, rows * pitch * sizeof *units);
    keep(t, sums.weights, features * pitch * sizeof(float));
    keep(t, sums.biases, pitch * sizeof(float));
    keep(t, sums.output, pitch * sizeof(float));
}

/* ---- the table ---- */

#define GR_KERNEL(name, ...)                                                                       \
    static void call_##name(gr_cpu cpu, trial *t)                                                  \
    {                                                                                              \
        run_##name(gr_##name##_versions[cpu], t);                                                  \
    }
#include "kernels/kernels.def"
#undef GR_KERNEL

typedef void call_function(gr_cpu cpu, trial *t);
static call_function *const calls[GR_KERNEL_COUNT] = {
#define GR_KERNEL(name, ...) call_##name,
#include "kernels/kernels.def"
#undef GR_KERNEL
};

static trial run(size_t kernel, gr_cpu cpu, size_t size, size_t shift)
{
    trial t = { .size = size, .shift = shift, .rng = gr_rng_for(size, "versions", shift) };

    calls[kernel](cpu, &t);
    return t;
}

static void test_versions(void **state)
{
    const size_t kernel = (size_t)((const gr_kernel_entry *)*state - gr_kernel_table);
    const char *const *versions = gr_kernel_table[kernel].versions;
    size_t compared = 0;

    for (size_t size = 0; size <= MAX_SIZE; size++)
        for (size_t shift = 0; shift < SHIFTS; shift++) {
            trial wanted = run(kernel, GR_CPU_BASELINE, size, shift);

            for (gr_cpu cpu = 1; cpu <= gr_cpu_here(); cpu++) {
                if (strcmp(versions[cpu], versions[cpu - 1]) == 0)
                    continue;
                trial found = run(kernel, cpu, size, shift);

                if (found.used != wanted.used ||
                    (found.used && memcmp(found.kept, wanted.kept, found.used) != 0))
                    fail_msg("%s: version %s differs from %s (size %zu, shift %zu)",
                             gr_kernel_table[kernel].name, versions[cpu], versions[0], size, shift);
                end_trial(&found);
            }
            compared += wanted.used;
            end_trial(&wanted);
        }
    assert_true(compared > 0);
}

int main(void)
{
    struct CMUnitTest tests[GR_KERNEL_COUNT];

    for (size_t k = 0; k < GR_KERNEL_COUNT; k++)
        tests[k] = (struct CMUnitTest){ .name = gr_kernel_table[k].name,
                                        .test_func = test_versions,
                                        .initial_state = (void *)(uintptr_t)&gr_kernel_table[k] };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
