/* SPDX-License-Identifier: Apache-2.0 */
/* Trees of several processes (threads here: rank_team.h), each with its rows and its features, against
 * those of one process with all rows, over random data and options; and how features are divided. */
#include "made_bins.h"
#include "rank_team.h"

#include "backend/share.h"

enum { MAX_FEATURES = 40, MAX_ROWS = 500, MAX_RANKS = 24, MAX_OUTPUTS = 5 };

/* What is compared of a tree. */
typedef struct tree_copy {
    size_t leaves;
    gr_split *splits;
    uint32_t *covers;
    double *gradients, *hessians;
} tree_copy;

typedef struct setting {
    size_t rows, ranks, threads, outputs;
    made_feature made[MAX_FEATURES];
    size_t features;
    uint64_t starts[MAX_RANKS * 2 + 1]; /* of queries, two per rank */
    gr_bins all, of_rank[MAX_RANKS];
    gr_tree_options options;
    int8_t signs[MAX_FEATURES];
    bool monotone, wide, few_histograms;
    gr_round round;
    float *gradients, *hessians, *weights;
    bool *sampled;
    tree_copy one[MAX_OUTPUTS], many[MAX_RANKS][MAX_OUTPUTS];
} setting;

static size_t below(gr_rng *rng, size_t count)
{
    return (size_t)gr_rng_below(rng, count);
}

static bool one_in(gr_rng *rng, size_t count)
{
    return gr_rng_below(rng, count) == 0;
}

/* Of 8 or 16 bits, few or many, sparse in bundles, masked, with missing values. */
static void draw_bins(setting *s, gr_rng *rng)
{
    const unsigned width = one_in(rng, 3) ? 16 : 8;
    const size_t masked = below(rng, 4), per_bundle = 1 + below(rng, 5), rows = s->rows;
    uint32_t *table = gr_new_array(s->features * rows, sizeof *table);

    for (size_t f = 0; f < s->features; f++) {
        const uint32_t most = one_in(rng, 3) ? (width == 8 ? 255 : 1000) : 12;
        made_feature *m = &s->made[f];

        m->bins = 2 + (uint32_t)below(rng, most - 1);
        m->missing = one_in(rng, 3);
        m->sparse = f > 0 && one_in(rng, 3);
        m->default_bin = (uint32_t)below(rng, m->bins + m->missing);
        for (size_t r = 0; r < rows; r++)
            table[f * rows + r] =
                (m->sparse && !one_in(rng, 5)) || (masked && r % 3 && f < s->features / 2)
                    ? m->default_bin
                    : (uint32_t)below(rng, m->bins + m->missing);
    }
    s->all = make_patchy_bins(s->made, s->features, table, rows, width, per_bundle, masked);
    for (size_t rank = 0; rank < s->ranks; rank++) {
        const size_t first = (size_t)s->starts[2 * rank];
        const size_t count = (size_t)s->starts[2 * rank + 2] - first;
        uint32_t *own = gr_new_array(s->features * count, sizeof *own);

        for (size_t f = 0; f < s->features; f++)
            memcpy(own + f * count, table + f * rows + first, count * sizeof *own);
        s->of_rank[rank] =
            make_patchy_bins(s->made, s->features, own, count, width, per_bundle, masked);
        free(own);
    }
    free(table);
}

static void draw_numbers(setting *s, gr_rng *rng, bool weighted)
{
    const size_t rows = s->rows;

    s->gradients = gr_new_array(s->outputs * rows, sizeof(float));
    s->hessians = gr_new_array(s->outputs * rows, sizeof(float));
    s->weights = gr_new_array(rows, sizeof(float));
    s->sampled = gr_new_array(rows, sizeof *s->sampled);
    for (size_t i = 0; i < s->outputs * rows; i++) {
        const uint32_t bin = gr_dense_bin(&s->all, 0, i % rows);

        s->gradients[i] = (float)(gr_rng_normal(rng) + (bin % 4 == 1));
        s->hessians[i] = s->round.unit && !weighted ? 1 : (float)gr_rng_uniform(rng);
    }
    for (size_t r = 0; r < rows; r++) {
        s->weights[r] = s->round.unit ? 1 : (float)(0.1 + gr_rng_uniform(rng));
        s->sampled[r] = !one_in(rng, 3);
    }
}

static setting *draw_setting(uint64_t number)
{
    gr_rng rng = gr_rng_for(8, "trees of processes", number);
    setting *s = gr_new_array(1, sizeof *s);
    const bool weighted = one_in(&rng, 3);

    s->ranks = 2 + below(&rng, number % 2 ? MAX_RANKS - 1 : 4);
    s->threads = 1 + below(&rng, 2);
    s->features = 1 + below(&rng, number % 3 ? MAX_FEATURES : 6);
    s->outputs = 1 + (one_in(&rng, 3) ? below(&rng, MAX_OUTPUTS) : 0);
    for (size_t q = 0; q < 2 * s->ranks; q++)
        s->starts[q + 1] = s->starts[q] + 1 + below(&rng, MAX_ROWS / s->ranks);
    s->rows = (size_t)s->starts[2 * s->ranks];
    draw_bins(s, &rng);
    s->options = (gr_tree_options){ .leaves = 2 + below(&rng, 40),
                                    .depth = one_in(&rng, 3) ? 1 + below(&rng, 8) : 0,
                                    .grow = one_in(&rng, 3) ? GR_GROW_LEVEL : GR_GROW_BEST,
                                    .min_rows = below(&rng, 12),
                                    .min_hessian = one_in(&rng, 2) ? 0 : 2 * gr_rng_uniform(&rng),
                                    .l2 = one_in(&rng, 2) ? 0 : 3 * gr_rng_uniform(&rng),
                                    .feature_share = one_in(&rng, 3) ? gr_rng_uniform(&rng) : 1,
                                    .monotone = "" };
    s->monotone = one_in(&rng, 4);
    for (size_t f = 0; f < s->features; f++)
        s->signs[f] = (int8_t)((int)below(&rng, 3) - 1);
    s->wide = one_in(&rng, 4);
    s->few_histograms = one_in(&rng, 4);
    s->round = (gr_round){
        .unit = one_in(&rng, 3), .seed = number, .round = 3, .may_be_short = one_in(&rng, 2)
    };
    s->round.newton = !s->round.unit && !one_in(&rng, 3);
    draw_numbers(s, &rng, weighted);
    s->round.weights = weighted ? s->weights : NULL;
    if (!one_in(&rng, 3))
        memset(s->sampled, true, s->rows);
    return s;
}

static tree_copy copy_tree(const gr_grown *grown)
{
    tree_copy copy = { grown->leaves, gr_new_array(grown->leaves, sizeof *copy.splits),
                       gr_new_array(grown->leaves, sizeof *copy.covers),
                       gr_new_array(grown->leaves, sizeof *copy.gradients),
                       gr_new_array(grown->leaves, sizeof *copy.hessians) };

    memcpy(copy.splits, grown->splits, (grown->leaves - 1) * sizeof *copy.splits);
    memcpy(copy.covers, grown->covers, grown->leaves * sizeof *copy.covers);
    memcpy(copy.gradients, grown->gradients, grown->leaves * sizeof *copy.gradients);
    memcpy(copy.hessians, grown->hessians, grown->leaves * sizeof *copy.hessians);
    return copy;
}

static void free_tree(tree_copy *tree)
{
    free(tree->splits);
    free(tree->covers);
    free(tree->gradients);
    free(tree->hessians);
}

static void free_setting(setting *s)
{
    for (size_t rank = 0; rank < s->ranks; rank++) {
        free_bins(&s->of_rank[rank]);
        for (size_t k = 0; k < s->outputs; k++)
            free_tree(&s->many[rank][k]);
    }
    for (size_t k = 0; k < s->outputs; k++)
        free_tree(&s->one[k]);
    free_bins(&s->all);
    free(s->gradients);
    free(s->hessians);
    free(s->weights);
    free(s->sampled);
    free(s);
}

static float *rows_of(const float *values, size_t rows, size_t outputs, size_t first, size_t count)
{
    float *some = gr_new_array(outputs * count, sizeof *some);

    for (size_t k = 0; k < outputs; k++)
        memcpy(some + k * count, values + k * rows + first, count * sizeof *some);
    return some;
}

/* Grows the trees of the rows of a process; share NULL: of all. */
static bool grow(const setting *s, const gr_bins *bins, const gr_share *share, tree_copy *trees)
{
    const size_t first = gr_share_first_row(share), count = bins->rows;
    gr_pool *pool = s->threads > 1 ? gr_pool_new(s->threads, NULL) : NULL;
    gr_grower *grower =
        gr_grower_new(bins, s->outputs, &s->options, s->monotone ? s->signs : NULL, pool, NULL);
    float *gradients = rows_of(s->gradients, s->rows, s->outputs, first, count);
    float *hessians = rows_of(s->hessians, s->rows, s->outputs, first, count);
    uint32_t *sample = gr_new_array(count, sizeof *sample);
    gr_round round = s->round;
    gr_grown grown;
    bool good = grower != NULL;

    round.share = share;
    round.gradients = gradients;
    round.hessians = hessians;
    round.weights = round.weights ? s->weights + first : NULL;
    for (size_t r = 0; r < s->rows; r++) {
        if (s->sampled[r] && r >= first && r < first + count)
            sample[round.count++] = (uint32_t)(r - first);
        round.all += s->sampled[r];
    }
    round.rows = round.all < s->rows ? sample : NULL;
    if (good) {
        gr_grower_limit(grower, s->wide ? 0 : GR_NARROW_ROWS, s->few_histograms ? 0 : 1 << 24);
        good = gr_grower_begin(grower, &round, NULL) == GRADUS_OK;
    }
    for (size_t k = 0; k < s->outputs && good; k++) {
        good = gr_grower_grow(grower, k, &grown, NULL) == GRADUS_OK;
        if (good)
            trees[k] = copy_tree(&grown);
    }
    gr_grower_free(grower);
    gr_pool_free(pool);
    free(gradients);
    free(hessians);
    free(sample);
    return good;
}

static bool grow_rank(const gradus_collectives *with, void *user)
{
    setting *s = user;
    gr_bins *bins = &s->of_rank[with->rank];
    uint64_t starts[MAX_RANKS + 1];
    gr_share *share;
    bool good;

    for (size_t i = 0; i <= with->size; i++)
        starts[i] = s->starts[2 * i];
    share = gr_share_new(with, starts, with->size, NULL);
    bins->share = share;
    good = share && grow(s, bins, share, s->many[with->rank]);
    bins->share = NULL;
    gr_share_free(share);
    return good;
}

static void check_trees(const tree_copy *a, const tree_copy *b)
{
    assert_int_equal(a->leaves, b->leaves);
    for (size_t i = 0; i + 1 < a->leaves; i++) {
        assert_int_equal(a->splits[i].feature, b->splits[i].feature);
        assert_memory_equal(&a->splits[i], &b->splits[i], sizeof a->splits[i]);
    }
    assert_memory_equal(a->covers, b->covers, a->leaves * sizeof *a->covers);
    assert_memory_equal(a->gradients, b->gradients, a->leaves * sizeof *a->gradients);
    assert_memory_equal(a->hessians, b->hessians, a->leaves * sizeof *a->hessians);
}

static void test_same_trees(void **state)
{
    const uint64_t settings = UNDER_TSAN ? 20 : 80;
    size_t leaves = 0, trees = 0;

    (void)state;
    for (uint64_t number = 0; number < settings; number++) {
        setting *s = draw_setting(number);

        assert_true(grow(s, &s->all, NULL, s->one));
        assert_int_equal(
            rank_team_run(s->ranks, number % 8 ? 0 : number + 1, grow_rank, s, NULL, NULL), 0);
        for (size_t rank = 0; rank < s->ranks; rank++)
            for (size_t k = 0; k < s->outputs; k++)
                check_trees(&s->many[rank][k], &s->one[k]);
        for (size_t k = 0; k < s->outputs; k++)
            leaves += s->one[k].leaves;
        trees += s->outputs;
        free_setting(s);
    }
    assert_true(leaves > 5 * trees);
}

/* ---- how features are divided ---- */

/* Checks the parts of all ranks against the layout; returns the most features of one. */
static size_t check_cut(const gr_bins *bins, size_t size)
{
    const size_t features = bins->dense + bins->sparses;
    uint64_t all = 0, largest = 0, most = 0;
    size_t widest = 0, next = 0;
    gr_layout layout;

    assert_int_equal(gr_layout_new(&layout, bins, NULL), GRADUS_OK);
    for (size_t i = 0; i < features; i++) {
        const uint64_t work = gr_owner_work(&layout, bins, i, size);

        all += work;
        largest = work > largest ? work : largest;
    }
    for (size_t rank = 0; rank < size; rank++) {
        const gradus_collectives with = { .rank = rank, .size = size };
        const gr_share share = { .with = &with };
        gr_bins own = *bins;
        gr_grower grower = { .bins = &own, .layout = layout };
        uint64_t work = 0;

        own.share = &share;
        assert_int_equal(gr_features_cut(&grower.cuts, &layout, &own, &share, NULL), GRADUS_OK);
        const gr_feature_cuts *cuts = &grower.cuts;
        size_t sum = cuts->sums[rank];

        assert_int_equal(cuts->first_feature, next);
        next = cuts->end_feature;
        assert_int_equal(cuts->sums[0], 0);
        assert_int_equal(cuts->sums[size], layout.bin_sums);
        assert_int_equal(cuts->unused[rank] == SIZE_MAX, cuts->first == cuts->end);
        /* the parts of units have the features and bin_sums of the process, in order */
        for (size_t u = cuts->first, i = cuts->first_feature; u < cuts->end; u++) {
            const gr_unit_part part = gr_own_part(&grower, u);

            assert_true(part.first == i && part.end > i && part.sum == sum);
            i = part.end;
            sum += part.sums;
            assert_true(u + 1 < cuts->end || i == cuts->end_feature);
        }
        assert_int_equal(sum, cuts->sums[rank + 1]);
        if (cuts->first < cuts->end)
            assert_true(cuts->unused[rank] >= cuts->sums[rank] && cuts->unused[rank] < sum);
        for (size_t i = cuts->first_feature; i < cuts->end_feature; i++)
            work += gr_owner_work(&layout, bins, i, size);
        most = work > most ? work : most;
        if (cuts->end_feature - cuts->first_feature > widest)
            widest = cuts->end_feature - cuts->first_feature;
        gr_features_cut_free(&grower.cuts);
    }
    assert_int_equal(next, features);
    assert_true(most * size <= all + (largest + 1) * size);
    gr_layout_free(&layout);
    return widest;
}

static void test_cuts(void **state)
{
    enum { FEATURES = 136 };
    static const size_t sizes[][2] = { { 2, 68 }, { 3, 46 }, { 16, 9 },
                                       { 17, 8 }, { 64, 3 }, { 200, 1 } };
    made_feature made[FEATURES];
    uint32_t table[FEATURES] = { 0 };

    (void)state;
    for (size_t f = 0; f < FEATURES; f++)
        made[f] = (made_feature){ .bins = 255 };
    gr_bins bins = make_bins(made, FEATURES, table, 1, 8, 4);

    for (size_t i = 0; i < sizeof sizes / sizeof *sizes; i++)
        assert_int_equal(check_cut(&bins, sizes[i][0]), sizes[i][1]);
    free_bins(&bins);
    for (uint64_t number = 0; number < 30; number++) {
        setting *s = draw_setting(number);

        for (size_t size = 1; size < 60; size += 1 + size / 4)
            check_cut(&s->all, size);
        free_setting(s);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_cuts),
        cmocka_unit_test(test_same_trees),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
