/* SPDX-License-Identifier: Apache-2.0 */
/* The histogram kernels against trivially correct loops. */
#include "checks.h"

#include "base/rng.h"
#include "kernels/histogram.h"
#include "kernels/histogram_outputs.h"
#include "kernels/gather.h"
#include "kernels/rounding.h"
#include "kernels/sort_rows.h"
#include "learners/tree/quantize.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { ROWS = 3000, MAX_BLOCKS = 4, COLUMN = GR_COLUMN_SUMS, SLOTS = MAX_BLOCKS * 8 * COLUMN };

typedef struct data {
    uint64_t words[ROWS * MAX_BLOCKS], sums[ROWS];
    uint32_t rows[ROWS];
    uint64_t found[2 * SLOTS], wanted[2 * SLOTS];
} data;

static void setup(data *d, gr_rng *rng, size_t columns)
{
    for (size_t i = 0; i < ROWS * MAX_BLOCKS; i++) {
        const size_t block = i % MAX_BLOCKS;

        d->words[i] = gr_rng_long(rng);
        if (columns < 8 * (block + 1)) /* absent columns have bin 0 */
            d->words[i] &= columns <= 8 * block ? 0 : ((uint64_t)1 << (columns % 8 * 8)) - 1;
    }
    for (size_t i = 0; i < ROWS; i++)
        d->sums[i] = gr_rng_long(rng);
    for (size_t i = 0; i < 2 * SLOTS; i++)
        d->found[i] = d->wanted[i] = i; /* kernels add to existing sums */
}

/* Roughly every step-th row. */
static size_t pick_rows(data *d, gr_rng *rng, size_t step)
{
    size_t count = 0;

    for (size_t r = 0; r < ROWS; r++)
        if (gr_rng_below(rng, step) == 0)
            d->rows[count++] = (uint32_t)r;
    return count;
}

static void add_slowly(data *d, size_t bin_sum, uint64_t sum, bool wide)
{
    if (wide) {
        d->wanted[2 * bin_sum] += (uint64_t)((int64_t)sum >> 32);
        d->wanted[2 * bin_sum + 1] += sum & 0xffffffffu;
    } else {
        d->wanted[bin_sum] += sum;
    }
}

static void check_8(data *d, size_t blocks, size_t columns, size_t count, bool picked, bool wide)
{
    gr_scan scan = { .words = d->words,
                     .stride = MAX_BLOCKS,
                     .blocks = blocks,
                     .last = (columns - 8 * (blocks - 1) + 1) / 2 * 2,
                     .rows = picked ? d->rows : NULL,
                     .sums = d->sums,
                     .count = count };

    if (picked) { /* in two scans, the first of which prefetches rows of the second */
        scan.count = count / 3;
        scan.more = count - scan.count;
        (wide ? gr_histogram_8_wide : gr_histogram_8)(d->found, &scan);
        scan.rows += scan.count;
        scan.sums += scan.count;
        scan.count = scan.more;
        scan.more = 0;
    }
    (wide ? gr_histogram_8_wide : gr_histogram_8)(d->found, &scan);
    for (size_t i = 0; i < count; i++)
        for (size_t c = 0; c < 8 * blocks; c++) {
            const size_t row = picked ? d->rows[i] : i;
            const uint64_t word = d->words[row * MAX_BLOCKS + c / 8];

            add_slowly(d, COLUMN * c + (word >> (c % 8 * 8) & 255), d->sums[i], wide);
        }
    for (size_t c = 0; c < columns; c++) {
        const size_t from = COLUMN * c * (wide ? 2 : 1), length = COLUMN * (wide ? 2 : 1);

        assert_memory_equal(d->found + from, d->wanted + from, length * sizeof *d->found);
    }
}

static void test_eight_bits(void **state)
{
    static const size_t counts[] = { 0, 1, 15, 16, 17, 255, 256, 257, 511, 512, 513, 2000, ROWS };
    data *d = calloc(1, sizeof *d);
    gr_rng rng = gr_rng_for(1, "kernels", 0);

    (void)state;
    assert_non_null(d);
    for (size_t columns = 1; columns <= 32; columns++)
        for (size_t c = columns % 3; c < sizeof counts / sizeof *counts; c += 3) {
            setup(d, &rng, columns);
            check_8(d, (columns + 7) / 8, columns, counts[c], false, c % 4 == 0);
        }
    for (size_t step = 1; step <= 40; step++) {
        const size_t columns = 1 + step * 7 % 32;

        setup(d, &rng, columns);
        check_8(d, (columns + 7) / 8, columns, pick_rows(d, &rng, step), true, step % 5 == 0);
    }
    free(d);
}

/* Narrow histogram entries give the same sums, for any number of rows, up to the largest gradients.
 */
static void test_short_slots(void **state)
{
    data *d = calloc(1, sizeof *d);
    gr_rng rng = gr_rng_for(1, "short bin_sums", 0);
    uint32_t *rows = gr_new_array(3 * ROWS, sizeof *rows);
    uint64_t *sums = gr_new_array(3 * ROWS, sizeof *sums);

    (void)state;
    assert_true(d && rows && sums && 3 * ROWS > 2 * GR_SHORT_ROWS);
    for (size_t step = 0; step < 60; step++) {
        const size_t columns = 1 + step * 7 % 32, most = 3 * ROWS;
        const int64_t largest = step % 4 == 0 ? GR_SHORT_MAX : -GR_SHORT_MAX;
        gr_scan scan = { .words = d->words,
                         .stride = MAX_BLOCKS,
                         .blocks = (columns + 7) / 8,
                         .last = ((columns - 1) % 8 + 2) / 2 * 2,
                         .rows = rows,
                         .sums = sums,
                         .count = step < 6 ? step : most - (size_t)gr_rng_below(&rng, most / 2) };

        setup(d, &rng, columns);
        for (size_t i = 0; i < scan.count; i++) {
            const int64_t drawn = (int64_t)gr_rng_below(&rng, 2 * GR_SHORT_MAX + 1) - GR_SHORT_MAX;

            rows[i] = (uint32_t)(step % 5 == 0 ? 0 : gr_rng_below(&rng, ROWS));
            sums[i] = ((uint64_t)(step % 5 == 0 ? largest : drawn) << 32) + 1;
        }
        gr_histogram_8(d->wanted, &scan);
        scan.more = scan.count / 3; /* rows of a second scan */
        scan.count -= scan.more;
        gr_histogram_8_short(d->found, &scan);
        scan.rows += scan.count;
        scan.sums += scan.count;
        scan.count = scan.more;
        scan.more = 0;
        gr_histogram_8_short(d->found, &scan);
        assert_memory_equal(d->found, d->wanted, 8 * COLUMN * columns / 8 * sizeof *d->found);
    }
    free(rows);
    free(sums);
    free(d);
}

static void test_sixteen_bits(void **state)
{
    static const size_t offsets[8] = { 0, 100, 200, 300, 400, 500, 600, 700 };
    data *d = calloc(1, sizeof *d);
    gr_rng rng = gr_rng_for(1, "kernels", 1);

    (void)state;
    assert_non_null(d);
    for (int wide = 0; wide < 2; wide++) {
        gr_scan scan = {
            .words = d->words, .stride = MAX_BLOCKS, .blocks = 2, .rows = d->rows, .sums = d->sums
        };

        setup(d, &rng, 32);
        for (size_t i = 0; i < ROWS * MAX_BLOCKS; i++) {
            d->words[i] = 0;
            for (size_t c = 0; c < 4; c++)
                d->words[i] |= gr_rng_below(&rng, 100) << (16 * c);
        }
        scan.count = pick_rows(d, &rng, 3);
        (wide ? gr_histogram_16_wide : gr_histogram_16)(d->found, offsets, &scan);
        for (size_t i = 0; i < scan.count; i++)
            for (size_t c = 0; c < 8; c++) {
                const uint64_t word = d->words[d->rows[i] * MAX_BLOCKS + c / 4];

                add_slowly(d, 100 * c + (word >> (c % 4 * 16) & 65535), d->sums[i], wide);
            }
        assert_memory_equal(d->found, d->wanted, sizeof d->found);
    }
    free(d);
}

static void test_lists(void **state)
{
    data *d = calloc(1, sizeof *d);
    uint64_t *starts = calloc(ROWS + 1, sizeof *starts);
    uint16_t *entries = calloc(ROWS * 9, sizeof *entries);
    gr_rng rng = gr_rng_for(1, "kernels", 2);

    (void)state;
    assert_true(d && starts && entries);
    for (size_t r = 0; r < ROWS; r++) {
        const size_t length = (size_t)gr_rng_below(&rng, r % 10 == 0 ? 10 : 3);

        starts[r + 1] = starts[r] + length;
        for (size_t e = 0; e < length; e++)
            entries[starts[r] + e] = (uint16_t)gr_rng_below(&rng, 500);
    }
    for (size_t c = 0; c < 8; c++) {
        const bool wide = c & 1, picked = c & 2;
        /* an array of exactly that size: reading past its end is detected */
        uint16_t *exact = malloc(starts[ROWS] * sizeof *exact);
        const gr_row_lists lists = { starts, exact, starts[ROWS] };
        gr_scan scan = { .rows = picked ? d->rows : NULL, .sums = d->sums, .count = ROWS };

        assert_non_null(exact);
        memcpy(exact, entries, starts[ROWS] * sizeof *exact);
        setup(d, &rng, 8);
        if (picked)
            scan.count = pick_rows(d, &rng, c & 4 ? 1 : 5);
        (wide ? gr_histogram_lists_wide : gr_histogram_lists)(d->found, &lists, &scan);
        for (size_t i = 0; i < scan.count; i++) {
            const size_t row = picked ? d->rows[i] : i;

            for (uint64_t e = starts[row]; e < starts[row + 1]; e++)
                add_slowly(d, entries[e], d->sums[i], wide);
        }
        assert_memory_equal(d->found, d->wanted, sizeof d->found);
        free(exact);
    }
    free(d);
    free(starts);
    free(entries);
}

/* All outputs at once, and each separately; some: every third row only. */
static void compare_outputs(data *d, gr_rng *rng, size_t outputs, bool counted, bool picked,
                            bool some)
{
    uint64_t *bin_sums = aligned_alloc(32, 4 * COLUMN * GR_VECTOR_WORDS * sizeof(uint64_t));
    uint64_t *vectors = aligned_alloc(32, ROWS * GR_VECTOR_WORDS * sizeof(uint64_t));
    uint64_t *words = calloc(outputs * ROWS, sizeof *words);
    uint16_t *at = calloc(ROWS, sizeof *at);
    const size_t count = picked ? pick_rows(d, rng, 3) : ROWS, step = some ? 3 : 1;
    const gr_vector_scan scan = { .words = d->words,
                                  .stride = MAX_BLOCKS,
                                  .shift = 32,
                                  .rows = picked ? d->rows : NULL,
                                  .vectors = vectors,
                                  .at = some ? at : NULL,
                                  .count = (count + step - 1) / step,
                                  .counted = counted };

    assert_true(bin_sums && words && vectors && at);
    for (size_t i = 0; i < ROWS; i++)
        at[i] = (uint16_t)(3 * i);
    memset(bin_sums, 0, 4 * COLUMN * GR_VECTOR_WORDS * sizeof(uint64_t));
    for (size_t i = 0; i < outputs * ROWS; i++) {
        const int64_t g = (int64_t)gr_rng_below(rng, 200001) - 100000;

        words[i] = ((uint64_t)g << 32) + (counted ? 1 : gr_rng_below(rng, 100000));
    }
    gr_vectors_make(vectors, words, ROWS, outputs, scan.rows, 0, count, counted);
    gr_histogram_outputs_here()->scan(bin_sums, &scan);
    for (size_t k = 0; k < outputs; k++) {
        memset(d->wanted, 0, sizeof d->wanted);
        gr_vectors_take(d->found, bin_sums, 4 * COLUMN, k, counted);
        for (size_t i = 0; i < count; i += step)
            for (size_t c = 0; c < 4; c++) {
                const size_t row = picked ? d->rows[i] : i;
                const uint64_t word = d->words[row * MAX_BLOCKS] >> 32;

                add_slowly(d, COLUMN * c + (word >> 8 * c & 255), words[k * ROWS + row], false);
            }
        assert_memory_equal(d->found, d->wanted, 4 * COLUMN * sizeof *d->found);
    }
    free(bin_sums);
    free(words);
    free(vectors);
    free(at);
}

static void test_outputs(void **state)
{
    data *d = calloc(1, sizeof *d);
    gr_rng rng = gr_rng_for(1, "kernels", 3);

    (void)state;
    assert_non_null(d);
    setup(d, &rng, 32);
    for (size_t outputs = 1; outputs <= GR_COUNTED_OUTPUTS; outputs++)
        for (int how = 0; how < 4; how++)
            compare_outputs(d, &rng, outputs, true, how & 1, how & 2);
    for (size_t outputs = 1; outputs <= GR_VECTOR_OUTPUTS; outputs++)
        for (int how = 0; how < 4; how++)
            compare_outputs(d, &rng, outputs, false, how & 1, how & 2);
    free(d);
}

/* Every length, bins and missing values on both sides of the threshold, 8- and 16-bit columns;
 * nothing is written past count. */
static void test_rows_to_sides(void **state)
{
    enum { COUNT = 600, MAX_STRIDE = 32, FENCE = 0x5eed };
    static uint8_t bytes[COUNT * MAX_STRIDE + GR_SIDES_PAD];
    uint32_t rows[COUNT], sides[2][COUNT + 1];
    gr_rng rng = gr_rng_for(1, "kernels", 4);

    (void)state;
    for (size_t count = 0; count <= COUNT; count++) {
        static const uint32_t strides[] = { 1, 8, 24, 32 };
        const uint32_t stride = strides[count % 4];
        const uint32_t shift = stride == 1 ? 0 : 8 * (uint32_t)gr_rng_below(&rng, 4);
        const gr_sides how = { bytes, stride, shift, (uint32_t)gr_rng_below(&rng, 256),
                               (uint32_t)gr_rng_below(&rng, 257) };
        for (size_t i = 0; i < sizeof bytes; i++)
            bytes[i] = (uint8_t)gr_rng_below(&rng, 256);
        for (size_t r = 0; r < COUNT; r++)
            rows[r] = (uint32_t)gr_rng_below(&rng, COUNT);
        sides[0][count] = sides[1][count] = FENCE;
        assert_true(gr_sort_rows_here()->sort(&how, rows, count, sides[0], sides[1]) <= count);
        assert_int_equal(sides[0][count], FENCE);
        assert_int_equal(sides[1][count], FENCE);
        for (size_t i = 0, l = 0; i < count; i++) {
            const uint32_t bin = bytes[rows[i] * stride + shift / 8];

            if (bin <= how.most || bin == how.missing)
                assert_int_equal(sides[0][l++], rows[i]);
            else
                assert_int_equal(sides[1][i - l], rows[i]);
        }
    }
}

/* Words one by one, as defined in learners/tree/quantize.h. */
static gr_rounded round_plainly(const gr_rounding *how, const gr_rows *rows)
{
    gr_rounded found = { 0 };

    for (size_t i = 0; i < rows->count; i++) {
        const size_t r = rows->list ? rows->list[i] : rows->first + i;
        const uint64_t hash = gr_row_hash(how->key, r);
        const int64_t g = gr_round_number((double)how->gradients[r] * how->gradient_scale,
                                          (uint32_t)(hash >> 32));
        const int64_t h =
            how->hessians
                ? gr_round_number((double)how->hessians[r] * how->hessian_scale, (uint32_t)hash)
                : 1;

        how->words[r] = ((uint64_t)g << 32) + (uint64_t)h;
        found.gradients += g;
        found.hessians += h;
        found.most = h > found.most ? h : found.most;
    }
    return found;
}

static gr_extent measure_plainly(const float *values, const gr_rows *rows)
{
    double lines[8] = { 0 };
    gr_extent found = { 0 };

    for (size_t i = 0; i < rows->count; i++) {
        const float value = values[rows->list ? rows->list[i] : rows->first + i];

        lines[i % 8] += fabs((double)value);
        found.most = fmax(found.most, fabs((double)value));
        found.negative |= value < 0;
    }
    for (size_t line = 0; line < 8; line++)
        found.sum += lines[line];
    return found;
}

/* Every length, rows in order and listed, with and without hessians. */
static void test_rounding(void **state)
{
    enum { COUNT = 70, ALL = 200 };
    float gradients[ALL], hessians[ALL];
    uint64_t words[2][ALL];
    uint32_t list[COUNT];
    gr_rng rng = gr_rng_for(1, "kernels", 6);

    (void)state;
    for (size_t number = 0; number < (size_t)COUNT * 4; number++) {
        const bool by_list = number & 1, unit = number & 2;
        const gr_rows rows = { by_list ? list : NULL, by_list ? 0 : 13, number / 4 };
        gr_rounding how = {
            gradients, unit ? NULL : hessians, 0x1p20, 0x1p17, number, words[0], 0
        };
        const gr_summing sums = { gradients, unit ? NULL : hessians, 0x1p52, 0x1p54 };
        int64_t expected[2] = { 0, 0 };

        for (size_t r = 0; r < ALL; r++) {
            gradients[r] = (float)(gr_rng_uniform(&rng) - (number % 3 ? 0.5 : 0.0));
            hessians[r] = (float)gr_rng_uniform(&rng);
        }
        for (size_t i = 0; i < COUNT; i++)
            list[i] = (uint32_t)(2 * i + gr_rng_below(&rng, 2));
        memset(words, 0, sizeof words);
        const gr_rounded rounded = round_plainly(&how, &rows);
        const gr_extent measured = measure_plainly(gradients, &rows);
        for (size_t i = 0; i < rows.count; i++) {
            const size_t r = by_list ? list[i] : rows.first + i;

            expected[0] += (int64_t)((double)gradients[r] * sums.gradient_scale);
            expected[1] += unit ? 0 : (int64_t)((double)hessians[r] * sums.hessian_scale);
        }
        how.words = words[1];
        const gr_rounding_kernels *kernels = gr_rounding_here();
        const gr_extent m = kernels->measure(gradients, &rows);
        int64_t found[2];

        memset(words[1], 0, sizeof words[1]);
        const gr_rounded r = kernels->round(&how, &rows);
        assert_memory_equal(words[0], words[1], sizeof words[0]);
        assert_true(r.gradients == rounded.gradients && r.hessians == rounded.hessians &&
                    r.most == rounded.most);
        assert_true(m.sum == measured.sum && m.most == measured.most &&
                    m.negative == measured.negative);
        kernels->sum(&sums, &rows, &found[0], &found[1]);
        assert_memory_equal(found, expected, sizeof found);
    }
}

/* Every length, rows in order and not; nothing is written past count. */
static void test_rows_with_a_bit(void **state)
{
    enum { COUNT = 100, FIRST = 7, FENCE = 0x5eed };
    uint8_t bytes[COUNT];
    uint32_t rows[COUNT], picked[COUNT + 1];
    uint64_t sums[COUNT], picked_sums[COUNT + 1];
    gr_rng rng = gr_rng_for(1, "kernels", 5);

    (void)state;
    for (size_t i = 0; i < 2 * (COUNT + 1); i++) {
        const size_t count = i / 2;
        const bool in_order = i % 2;
        const gr_row_masks masks = { bytes + COUNT - count,
                                     (uint8_t)(1u << gr_rng_below(&rng, 8)) };
        size_t found = 0;

        for (size_t r = 0; r < sizeof bytes; r++)
            bytes[r] = (uint8_t)gr_rng_below(&rng, 256);
        for (size_t r = 0; r < COUNT; r++) {
            rows[r] = (uint32_t)gr_rng_below(&rng, FIRST + COUNT);
            sums[r] = gr_rng_long(&rng);
        }
        picked[count] = FENCE;
        picked_sums[count] = FENCE;
        const size_t used = gr_gather_here()->rows(&masks, in_order ? NULL : rows, FIRST, sums,
                                                   count, picked, picked_sums);

        assert_int_equal(picked[count], FENCE);
        assert_int_equal(picked_sums[count], FENCE);
        for (size_t r = 0; r < count; r++) {
            const uint32_t row = in_order ? (uint32_t)(FIRST + r) : rows[r];

            if (!(masks.at[r] & masks.bit))
                continue;
            assert_int_equal(picked[found], row);
            assert_true(picked_sums[found++] == sums[r]);
        }
        assert_int_equal(found, used);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_eight_bits),      cmocka_unit_test(test_short_slots),
        cmocka_unit_test(test_sixteen_bits),    cmocka_unit_test(test_lists),
        cmocka_unit_test(test_outputs),         cmocka_unit_test(test_rows_to_sides),
        cmocka_unit_test(test_rows_with_a_bit), cmocka_unit_test(test_rounding),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
