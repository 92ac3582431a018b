/* SPDX-License-Identifier: Apache-2.0 */
/* Binning: thresholds, bins of dense and sparse rows, bundles, and the guarantees of the header. */
#include "checks.h"

#include "base/context.h"
#include "base/rng.h"
#include "bins/bins.h"

#include <float.h>
#include <stdlib.h>
#include <string.h>

/* ---- Data of every kind ---- */

enum { KINDS = 16 };

static float draw(size_t kind, size_t r, gr_rng *rng)
{
    static const float hard[] = {
        INFINITY, -INFINITY, FLT_MAX, -FLT_MAX, 0.0f, -0.0f, 1e-45f, NAN
    };
    const uint64_t dice = gr_rng_below(rng, 100);
    const double normal = gr_rng_normal(rng);

    switch (kind) {
    case 0:
        return (float)normal;
    case 1: /* ties */
        return (float)gr_rng_below(rng, 7) - 3.0f;
    case 2: /* zero-heavy */
        return dice < 90 ? (dice < 45 ? 0.0f : -0.0f) : (float)exp(normal);
    case 3:
        return 42.25f;
    case 4:
        return NAN;
    case 5:
        return dice < 30 ? NAN : (float)normal;
    case 6:
        return dice < 60 ? hard[dice % 8] : (float)(1e38 * normal);
    case 7: /* thresholds between sampled values are often values themselves */
        return (float)gr_rng_below(rng, 4000);
    case 8: /* no float between neighbours */
        return (float)gr_rng_below(rng, 60) * 1e-45f - 30e-45f;
    case 9: /* the most frequent value is not zero */
        return dice < 91 ? 7.125f : dice < 95 ? 0.0f : (float)normal;
    case 10:
        return dice < 92 ? NAN : (float)normal;
    case 11: /* zero-heavy, both signs */
        return dice < 85 ? 0.0f : (float)(normal * 1e-3);
    case 12: /* constant, except for a row or two */
        return r == 1 || r == 3001 ? NAN : -1.5f;
    case 13:
        return r == 2 || r == 2002 ? -1.5f : NAN;
    case 14: /* neighbouring floats */
        return 1.0f + (float)gr_rng_below(rng, 900) * FLT_EPSILON;
    default: /* zero except for a few rows, one of them missing */
        return r % 500 == 17 ? (r == 1517 ? NAN : (float)(r % 11)) : 0.0f;
    }
}

typedef struct set {
    gradus_arrays arrays;
    float *values, *labels, *entries;
    uint64_t *starts;
    uint32_t *columns;
    gradus_dataset *dense, *sparse;
} set;

/* The same rows, dense (with a gap after each row) and sparse (some zeros written out). */
static set make_rows(size_t rows, size_t features, uint64_t seed)
{
    const size_t stride = features + 3;
    gr_rng rng = gr_rng_for(seed, "rows", 0);
    set s = { .values = calloc(rows * stride, sizeof(float)),
              .labels = calloc(rows, sizeof(float)),
              .entries = calloc(rows * features, sizeof(float)),
              .starts = calloc(rows + 1, sizeof(uint64_t)),
              .columns = calloc(rows * features, sizeof(uint32_t)) };
    size_t used = 0;

    for (size_t r = 0; r < rows; r++) {
        for (size_t f = 0; f < features; f++) {
            const float value = draw(f % KINDS, r, &rng);

            s.values[r * stride + f] = value;
            if (value == 0.0f && (r + f) % 7 != 0)
                continue;
            s.columns[used] = (uint32_t)f;
            s.entries[used++] = value;
        }
        s.starts[r + 1] = used;
    }
    s.arrays = (gradus_arrays){
        .rows = rows, .features = features, .values = s.values, .stride = stride, .labels = s.labels
    };
    s.dense = gradus_dataset_borrow(&s.arrays, NULL);
    s.arrays.values = NULL;
    s.arrays.row_starts = s.starts;
    s.arrays.columns = s.columns;
    s.arrays.entries = s.entries;
    s.sparse = gradus_dataset_borrow(&s.arrays, NULL);
    assert_non_null(s.dense);
    assert_non_null(s.sparse);
    return s;
}

static void end_rows(set *s)
{
    gradus_dataset_free(s->dense);
    gradus_dataset_free(s->sparse);
    free(s->values);
    free(s->labels);
    free(s->entries);
    free(s->starts);
    free(s->columns);
}

/* ---- Guarantees of the header ---- */

static int by_value(const void *a, const void *b)
{
    const float x = *(const float *)a, y = *(const float *)b;

    return (x > y) - (x < y);
}

/* The non-missing values of a feature, ascending. */
static size_t sort_values(const gradus_dataset *data, size_t f, float *sorted)
{
    size_t count = 0;

    for (size_t r = 0; r < data->arrays.rows; r++) {
        const float value = gr_dataset_value(data, r, f);

        if (!isnan(value))
            sorted[count++] = value + 0.0f;
    }
    qsort(sorted, count, sizeof *sorted, by_value);
    return count;
}

/* Whether a value is among the sorted ones. */
static bool has_value(const float *sorted, size_t count, float value)
{
    return bsearch(&value, sorted, count, sizeof *sorted, by_value) != NULL;
}

static size_t count_distinct(const float *sorted, size_t count)
{
    size_t distinct = count > 0;

    for (size_t i = 1; i < count; i++)
        distinct += sorted[i] != sorted[i - 1];
    return distinct;
}

static uint32_t plain_bin(const gr_cuts *cuts, size_t f, float value)
{
    uint32_t bin = 0;

    for (uint64_t t = cuts->starts[f]; t < cuts->starts[f + 1]; t++)
        bin += isnan(value) || cuts->thresholds[t] <= value;
    return bin + (isnan(value) ? 1 : 0);
}

static void check_thresholds(const gradus_dataset *data, const gr_bin_options *options,
                             const gr_bins *bins, size_t f, float *sorted)
{
    const gr_cuts *cuts = &bins->cuts;
    const size_t count = sort_values(data, f, sorted), distinct = count_distinct(sorted, count);
    const float *thresholds = cuts->thresholds + cuts->starts[f];
    const size_t cut = (size_t)(cuts->starts[f + 1] - cuts->starts[f]);

    assert_true(cut < options->bins);
    assert_int_equal(cuts->missing[f], count < data->arrays.rows);
    for (size_t t = 0; t < cut; t++) {
        assert_true(t == 0 || thresholds[t - 1] < thresholds[t]);
        assert_true(thresholds[t] > sorted[0] && thresholds[t] <= sorted[count - 1]);
        if (has_value(sorted, count, thresholds[t])) /* there was no room below */
            assert_true(has_value(sorted, count, nextafterf(thresholds[t], -INFINITY)));
    }
    if (options->sample != 0)
        return;
    if (distinct <= options->bins)
        assert_int_equal(cut + 1, distinct ? distinct : 1);
    else
        assert_true(cut + 1 >= options->bins / 2);
}

static void check_place(const gradus_dataset *data, const gr_bin_options *options,
                        const gr_bins *bins, size_t f)
{
    uint32_t *rows_in = calloc(gr_cuts_bins(&bins->cuts, f) + 1, sizeof *rows_in), most = 0;
    size_t filled = 0;

    for (size_t r = 0; r < data->arrays.rows; r++) {
        const uint32_t bin = gr_bin_at(bins, f, r);

        assert_int_equal(bin, plain_bin(&bins->cuts, f, gr_dataset_value(data, r, f)));
        most = ++rows_in[bin] > most ? rows_in[bin] : most;
        filled += rows_in[bin] == 1;
    }
    assert_int_equal(bins->place[f] == GR_NO_PLACE, filled <= 1);
    if (options->sample == 0 && filled > 1)
        assert_int_equal(bins->place[f] > GR_NO_PLACE, 5 * (size_t)most > 4 * data->arrays.rows);
    if (bins->place[f] < GR_NO_PLACE)
        assert_int_equal(bins->columns[bins->place[f]], f);
    free(rows_in);
}

static void check_bundles(const gr_bins *bins)
{
    size_t next = 0;

    for (size_t s = 0; s < bins->bundles; s++) {
        const gr_bundle *bundle = &bins->bundle[s];
        size_t codes = 0;

        assert_int_equal(bundle->first, next);
        for (size_t i = bundle->first; i < bundle->end; i++) {
            assert_int_equal(bins->place[bins->sparse[i].feature], ~(uint32_t)i);
            assert_int_equal(bins->sparse[i].code, codes);
            codes += gr_cuts_bins(&bins->cuts, bins->sparse[i].feature);
        }
        assert_int_equal(bundle->codes, codes);
        assert_true(codes <= 65536 && bundle->row_starts[0] == 0);
        for (size_t r = 0; r < bins->rows; r++)
            for (uint64_t e = bundle->row_starts[r]; e < bundle->row_starts[r + 1]; e++)
                assert_true(
                    bundle->entries[e] < codes &&
                    (e == bundle->row_starts[r] || bundle->entries[e - 1] < bundle->entries[e]));
        next = bundle->end;
    }
    for (size_t s = 0; s < bins->bundles; s++)
        for (size_t r = 0; r < bins->rows && bins->bundle[s].mask_bit; r++) {
            const uint64_t *starts = bins->bundle[s].row_starts;
            const uint8_t *row_masks = bins->row_masks.at;

            assert_int_equal((row_masks[r] & bins->bundle[s].mask_bit) == 0,
                             starts[r] == starts[r + 1]);
        }
    assert_int_equal(next, bins->sparses);
}

static void check_groups(const gr_bins *bins)
{
    const uint8_t *row_masks = bins->row_masks.at;
    size_t next = 0;

    for (size_t g = 0; g < bins->groups; g++) {
        const gr_group *group = &bins->group[g];

        assert_true(group->first == next && group->end > next && group->end <= next + 4);
        assert_true(!group->mask_bit || g == 0 || bins->group[g - 1].mask_bit);
        assert_true(!group->mask_bit || group->end * 8 <= bins->dense);
        for (; next < group->end; next++)
            assert_int_equal(bins->group_of[next], g);
        for (size_t r = 0; r < bins->rows && group->mask_bit; r++) {
            bool default_bin = true;

            for (size_t c = group->first * 8; c < group->end * 8; c++)
                default_bin &= gr_dense_bin(bins, c, r) == bins->default_bin[c];
            assert_int_equal((row_masks[r] & group->mask_bit) == 0, default_bin);
        }
    }
    assert_int_equal(next, bins->blocks);
}

static void check_bins(const gradus_dataset *data, const gr_bin_options *options,
                       const gr_bins *bins)
{
    float *sorted = calloc(data->arrays.rows, sizeof *sorted);
    size_t placed = 0;

    assert_int_equal(bins->rows, data->arrays.rows);
    assert_int_equal(bins->features, data->arrays.features);
    assert_int_equal(bins->width, options->bins > 255 ? 16 : 8);
    assert_int_equal(bins->blocks, (bins->dense * bins->width + 63) / 64);
    for (size_t f = 0; f < bins->features; f++) {
        check_thresholds(data, options, bins, f, sorted);
        check_place(data, options, bins, f);
        placed += bins->place[f] != GR_NO_PLACE;
    }
    assert_int_equal(placed, bins->dense + bins->sparses);
    check_bundles(bins);
    check_groups(bins);
    free(sorted);
}

static void assert_same_bins(const gr_bins *a, const gr_bins *b)
{
    const size_t features = a->features, rows = a->rows;

    assert_memory_equal(a->cuts.starts, b->cuts.starts, (features + 1) * sizeof(uint64_t));
    assert_memory_equal(a->cuts.thresholds, b->cuts.thresholds,
                        (size_t)a->cuts.starts[features] * sizeof(float));
    assert_memory_equal(a->cuts.missing, b->cuts.missing, features);
    assert_memory_equal(a->place, b->place, features * sizeof *a->place);
    assert_int_equal(a->dense, b->dense);
    assert_memory_equal(a->words.at, b->words.at, a->blocks * rows * sizeof(uint64_t));
    assert_int_equal(a->sparses, b->sparses);
    assert_memory_equal(a->sparse, b->sparse, a->sparses * sizeof *a->sparse);
    assert_int_equal(a->bundles, b->bundles);
    for (size_t s = 0; s < a->bundles; s++) {
        const gr_bundle *x = &a->bundle[s], *y = &b->bundle[s];

        assert_true(x->first == y->first && x->end == y->end && x->codes == y->codes);
        assert_memory_equal(x->row_starts, y->row_starts, (rows + 1) * sizeof(uint64_t));
        assert_memory_equal(x->entries, y->entries, x->row_starts[rows] * sizeof(uint16_t));
    }
}

static const gr_bin_options variants[] = {
    { GR_BINS_QUANTILE, 255, 0, 1 },     { GR_BINS_QUANTILE, 255, 700, 1 },
    { GR_BINS_QUANTILE, 2, 0, 1 },       { GR_BINS_QUANTILE, 17, 1500, 7 },
    { GR_BINS_QUANTILE, 256, 0, 1 },     { GR_BINS_QUANTILE, 65535, 0, 1 },
    { GR_BINS_QUANTILE, 1000, 2000, 1 }, { GR_BINS_ADAPTIVE, 255, 0, 1 },
    { GR_BINS_ADAPTIVE, 2, 900, 1 },     { GR_BINS_ADAPTIVE, 600, 0, 1 },
};
enum { VARIANTS = sizeof variants / sizeof *variants };

static void test_bins_hold_what_is_promised(void **state)
{
    set s = make_rows(2600, 2 * KINDS + 5, 1);

    (void)state;
    for (size_t v = 0; v < VARIANTS; v++) {
        gr_bins bins;

        assert_int_equal(gr_bins_new(s.dense, &variants[v], NULL, &bins, NULL), GRADUS_OK);
        check_bins(s.dense, &variants[v], &bins);
        gr_bins_free(&bins);
    }
    end_rows(&s);
}

static void test_sparse_rows_give_the_bins_of_dense_ones(void **state)
{
    set s = make_rows(1700, 3 * KINDS, 2);

    (void)state;
    for (size_t v = 0; v < VARIANTS; v++) {
        gr_bins dense, sparse;

        assert_int_equal(gr_bins_new(s.dense, &variants[v], NULL, &dense, NULL), GRADUS_OK);
        assert_int_equal(gr_bins_new(s.sparse, &variants[v], NULL, &sparse, NULL), GRADUS_OK);
        assert_same_bins(&dense, &sparse);
        gr_bins_free(&dense);
        gr_bins_free(&sparse);
    }
    end_rows(&s);
}

static void test_threads_do_not_matter(void **state)
{
    const size_t threads[] = { 1, 2, 3, 8 };
    set s = make_rows(9000, KINDS + 3, 3);

    (void)state;
    for (size_t i = 0; i < 2; i++)
        for (size_t v = 0; v < 2; v++) {
            gr_bins first, bins;

            assert_int_equal(gr_bins_new(i ? s.sparse : s.dense, &variants[v], NULL, &first, NULL),
                             GRADUS_OK);
            for (size_t t = 0; t < 4; t++) {
                gradus_context *context = gradus_context_new(threads[t], NULL);

                assert_int_equal(
                    gr_bins_new(i ? s.sparse : s.dense, &variants[v], context, &bins, NULL),
                    GRADUS_OK);
                assert_same_bins(&first, &bins);
                gr_bins_free(&bins);
                gradus_context_free(context);
            }
            gr_bins_free(&first);
        }
    end_rows(&s);
}

static void test_weights_do_not_matter(void **state)
{
    set s = make_rows(1500, KINDS, 4);
    float *weights = calloc(1500, sizeof *weights);
    gradus_dataset *weighted;
    gr_bins bins, same;

    (void)state;
    for (size_t r = 0; r < 1500; r++)
        weights[r] = (float)(r % 3);
    s.arrays.row_weights = weights;
    weighted = gradus_dataset_borrow(&s.arrays, NULL);
    assert_int_equal(gr_bins_new(s.sparse, &variants[3], NULL, &bins, NULL), GRADUS_OK);
    assert_int_equal(gr_bins_new(weighted, &variants[3], NULL, &same, NULL), GRADUS_OK);
    assert_same_bins(&bins, &same);
    gr_bins_free(&bins);
    gr_bins_free(&same);
    gradus_dataset_free(weighted);
    free(weights);
    end_rows(&s);
}

static void test_few_rows(void **state)
{
    (void)state;
    for (size_t rows = 1; rows <= 5; rows++) {
        set s = make_rows(rows, KINDS, 10 + rows);
        gr_bins bins;

        for (size_t i = 0; i < 2; i++) {
            assert_int_equal(gr_bins_new(i ? s.sparse : s.dense, &variants[0], NULL, &bins, NULL),
                             GRADUS_OK);
            check_bins(i ? s.sparse : s.dense, &variants[0], &bins);
            assert_true(rows > 1 || (bins.dense == 0 && bins.sparses == 0));
            gr_bins_free(&bins);
        }
        end_rows(&s);
    }
}

/* More (feature, bin) pairs than sparse bundles should have: 16 entries per row, about a hundred
 * per feature, all different. */
static void test_wide_data_have_few_bundles(void **state)
{
    enum { ROWS = 72000, EACH = 16, GROUPS = 704, FEATURES = GROUPS * EACH };
    const gr_bin_options options = { GR_BINS_QUANTILE, 255, 0, 1 };
    uint64_t *starts = calloc(ROWS + 1, sizeof *starts);
    uint32_t *columns = calloc(ROWS * EACH, sizeof *columns);
    float *entries = calloc(ROWS * EACH, sizeof *entries), *labels = calloc(ROWS, sizeof *labels);
    const gradus_arrays arrays = { .rows = ROWS,
                                   .features = FEATURES,
                                   .row_starts = starts,
                                   .columns = columns,
                                   .entries = entries,
                                   .labels = labels };
    gradus_dataset *data;
    gr_bins bins;
    size_t codes = 0;

    (void)state;
    for (size_t r = 0; r < ROWS; r++) {
        starts[r + 1] = (r + 1) * EACH;
        for (size_t i = 0; i < EACH; i++) {
            columns[r * EACH + i] = (uint32_t)(r % GROUPS * EACH + i);
            entries[r * EACH + i] = (float)(r / GROUPS) + (i % 2 ? 1.0f : -50.5f);
        }
    }
    data = gradus_dataset_borrow(&arrays, NULL);
    assert_int_equal(gr_bins_new(data, &options, NULL, &bins, NULL), GRADUS_OK);
    for (size_t s = 0; s < bins.bundles; s++)
        codes += bins.bundle[s].codes;
    assert_true(codes <= (size_t)EACH * 65536 && bins.dense == 0 && bins.sparses == FEATURES);
    check_bundles(&bins);
    for (size_t f = 0; f < FEATURES; f += 997) {
        check_place(data, &(gr_bin_options){ .sample = 1 }, &bins, f);
        for (size_t r = 0; r < ROWS; r++) /* zeros share no bin with other values */
            assert_int_equal(gr_bin_at(&bins, f, r) == bins.sparse[~bins.place[f]].default_bin,
                             gr_dataset_value(data, r, f) == 0.0f);
    }
    gr_bins_free(&bins);
    gradus_dataset_free(data);
    free(starts);
    free(columns);
    free(entries);
    free(labels);
}

/* The thresholds of a single feature. */
static size_t cut_one(const float *values, size_t rows, const gr_bin_options *options,
                      float *thresholds)
{
    float *labels = calloc(rows, sizeof *labels);
    const gradus_arrays arrays = {
        .rows = rows, .features = 1, .values = values, .stride = 1, .labels = labels
    };
    gradus_dataset *data = gradus_dataset_borrow(&arrays, NULL);
    gr_bins bins;
    size_t count;

    assert_int_equal(gr_bins_new(data, options, NULL, &bins, NULL), GRADUS_OK);
    count = (size_t)bins.cuts.starts[1];
    memcpy(thresholds, bins.cuts.thresholds, count * sizeof *thresholds);
    gr_bins_free(&bins);
    gradus_dataset_free(data);
    free(labels);
    return count;
}

static void test_thresholds_lie_in_the_middle(void **state)
{
    const gr_bin_options options = { GR_BINS_QUANTILE, 255, 0, 1 };
    const float next = nextafterf(2.0f, 3.0f);
    const float values[] = { 3.5f, next, -INFINITY, 2.0f, NAN, INFINITY, -1.25f, 2.0f };
    float found[8];

    (void)state;
    assert_int_equal(cut_one(values, 8, &options, found), 5);
    assert_true(found[0] == -FLT_MAX);
    assert_true(found[1] == 0.375f);
    assert_true(found[2] == next); /* no float between */
    assert_true(found[3] == 2.75f || found[3] == nextafterf(2.75f, 3.0f));
    assert_true(found[4] == FLT_MAX);
}

/* Ten rows each of 1, 2, 3, ..., and 500 of 0: zero has its own bin, and the others share the rest
 * evenly. */
static void test_heavy_values_have_bins_of_their_own(void **state)
{
    const gr_bin_options options = { GR_BINS_QUANTILE, 11, 0, 1 };
    float values[1500], found[16];

    (void)state;
    for (size_t i = 0; i < 1500; i++)
        values[i] = i < 500 ? 0.0f : (float)(i % 100) + 1.0f;
    assert_int_equal(cut_one(values, 1500, &options, found), 10);
    for (size_t t = 0; t < 10; t++)
        assert_true(found[t] == 10.0f * (float)t + 0.5f);
}

static void test_adaptive_bins_have_one_length(void **state)
{
    const gr_bin_options options = { GR_BINS_ADAPTIVE, 8, 0, 1 };
    float values[64], found[16];

    (void)state;
    for (size_t i = 0; i < 64; i++) /* two distant clusters: no bin is wasted on the gap */
        values[i] = (float)(i % 32) + (i < 32 ? 0.0f : 1e6f);
    assert_int_equal(cut_one(values, 64, &options, found), 7);
    for (size_t t = 0; t < 7; t++)
        assert_true(found[t] == (t < 3    ? 8.0f * (float)t + 7.5f
                                 : t == 3 ? 500015.5f
                                          : 1e6f + 8.0f * (float)(t - 4) + 7.5f));
}

static void test_a_threshold_gives_way_to_a_value(void **state)
{
    const gr_bin_options options = { GR_BINS_QUANTILE, 16, 40, 3 };
    float values[4000], found[16], sorted[4000];
    size_t count;

    (void)state;
    for (size_t i = 0; i < 4000; i++)
        values[i] = sorted[i] = (float)(i * 769 % 4001);
    qsort(sorted, 4000, sizeof *sorted, by_value);
    count = cut_one(values, 4000, &options, found);
    assert_int_equal(count, 15);
    for (size_t t = 0; t < count; t++)
        assert_false(has_value(sorted, 4000, found[t]));
}

/* The threshold between -1 and 1 would be 0, which one row has implicitly. */
static void test_a_threshold_gives_way_to_an_absent_entry(void **state)
{
    enum { ROWS = 4000, ABSENT = 17 };
    const gr_bin_options options = { GR_BINS_QUANTILE, 16, 40, 3 };
    static uint64_t starts[ROWS + 1];
    static uint32_t columns[ROWS];
    static float entries[ROWS], labels[ROWS];
    const gradus_arrays arrays = { .rows = ROWS,
                                   .features = 1,
                                   .row_starts = starts,
                                   .columns = columns,
                                   .entries = entries,
                                   .labels = labels };
    gradus_dataset *data;
    gr_bins bins;

    (void)state;
    for (size_t r = 0; r < ROWS; r++) {
        entries[r] = r % 2 ? 1.0f : -1.0f;
        starts[r + 1] = starts[r] + (r != ABSENT);
    }
    data = gradus_dataset_borrow(&arrays, NULL);
    assert_int_equal(gr_bins_new(data, &options, NULL, &bins, NULL), GRADUS_OK);
    assert_int_equal(bins.cuts.starts[1], 1); /* the row is not in the sample */
    assert_true(bins.cuts.thresholds[0] == nextafterf(0.0f, -1.0f));
    assert_int_equal(gr_bin_at(&bins, 0, ABSENT), 1);
    gr_bins_free(&bins);
    gradus_dataset_free(data);
}

/* Two groups of eight features each that a row has all or none of, among features that all rows
 * have. */
static void test_features_of_absent_parts_stand_together(void **state)
{
    enum { ROWS = 2000, FEATURES = 27 };
    float *values = calloc((size_t)ROWS * FEATURES, sizeof *values);
    float *labels = calloc(ROWS, sizeof *labels);
    const gradus_arrays arrays = {
        .rows = ROWS, .features = FEATURES, .values = values, .stride = FEATURES, .labels = labels
    };
    gr_rng rng = gr_rng_for(3, "parts", 0);
    gradus_dataset *data;
    gr_bins bins;

    (void)state;
    for (size_t r = 0; r < ROWS; r++) {
        const bool absent[3] = { false, gr_rng_below(&rng, 5) > 1, gr_rng_below(&rng, 4) > 0 };

        for (size_t f = 0; f < FEATURES; f++)
            values[r * FEATURES + f] = absent[f % 3] ? 0 : (float)(1 + gr_rng_below(&rng, 300));
    }
    data = gradus_dataset_borrow(&arrays, NULL);
    assert_non_null(data);
    assert_int_equal(gr_bins_new(data, &variants[0], NULL, &bins, NULL), GRADUS_OK);
    check_bins(data, &variants[0], &bins);
    assert_true(bins.group[0].mask_bit == 1 && bins.group[1].mask_bit == 2 &&
                bins.group[2].mask_bit == 0);
    for (size_t c = 0; c < 16; c++) /* skipping the group that fewer rows have saves more */
        assert_int_equal(bins.columns[c] % 3, c < 8 ? 2 : 1);
    gr_bins_free(&bins);
    gradus_dataset_free(data);
    free(values);
    free(labels);
}

static void test_bad_options_are_refused(void **state)
{
    const gr_bin_options few = { GR_BINS_QUANTILE, 1, 0, 1 }, many = { 0, 65536, 0, 1 };
    set s = make_rows(10, 3, 1);
    gradus_error err;
    gr_bins bins;

    (void)state;
    assert_int_equal(gr_bins_new(s.dense, &few, NULL, &bins, &err), GRADUS_BAD_ARGUMENT);
    assert_string_equal(err.message, "'bins' is 1 but must be from 2 to 65535");
    assert_int_equal(gr_bins_new(s.dense, &many, NULL, &bins, &err), GRADUS_BAD_ARGUMENT);
    end_rows(&s);
}

static bool stop_at(void *user, const char *what, double done)
{
    assert_string_equal(what, "binning");
    return done < *(double *)user;
}

static void test_work_can_be_cancelled(void **state)
{
    double limits[] = { 0.5, 0.6, 1.0 };
    set s = make_rows(30000, 4, 1);
    gradus_context *context = gradus_context_new(1, NULL);

    (void)state;
    for (size_t i = 0; i < 3; i++) {
        gradus_error err;
        gr_bins bins;

        gradus_context_on_progress(context, stop_at, &limits[i]);
        assert_int_equal(gr_bins_new(s.dense, &variants[0], context, &bins, &err),
                         GRADUS_CANCELLED);
        assert_string_equal(err.message, "binning was cancelled");
    }
    gradus_context_free(context);
    end_rows(&s);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        one_thread_test(test_bins_hold_what_is_promised),
        one_thread_test(test_sparse_rows_give_the_bins_of_dense_ones),
        cmocka_unit_test(test_threads_do_not_matter),
        one_thread_test(test_weights_do_not_matter),
        one_thread_test(test_few_rows),
        one_thread_test(test_wide_data_have_few_bundles),
        one_thread_test(test_thresholds_lie_in_the_middle),
        one_thread_test(test_heavy_values_have_bins_of_their_own),
        one_thread_test(test_adaptive_bins_have_one_length),
        one_thread_test(test_a_threshold_gives_way_to_a_value),
        one_thread_test(test_a_threshold_gives_way_to_an_absent_entry),
        one_thread_test(test_features_of_absent_parts_stand_together),
        one_thread_test(test_bad_options_are_refused),
        one_thread_test(test_work_can_be_cancelled),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
