/* SPDX-License-Identifier: Apache-2.0 */
/* Searching the bin of a value: every kernel against a plain loop. */
#include "checks.h"

#include "base/rng.h"
#include "kernels/bin_search.h"

#include <float.h>

/* Ordinary numbers, or difficult ones among very large ones. */
static float draw_float(bool hard, gr_rng *rng)
{
    static const float hards[] = {
        INFINITY, -INFINITY, FLT_MAX, -FLT_MAX, 0.0f, -0.0f, 1e-45f, NAN
    };
    const uint64_t dice = gr_rng_below(rng, 20);
    const double normal = gr_rng_normal(rng);

    if (hard)
        return dice < 8 ? hards[dice] : (float)(1e38 * normal);
    return (float)normal;
}

/* Thresholds a quarter apart, with extreme ones in some iterations. */
static gr_bin_table fill_table(int32_t *thresholds, uint32_t count, unsigned turn)
{
    const gr_bin_table table = { thresholds, count, gr_table_room(count) };

    for (uint32_t i = 0; i < table.room; i++)
        thresholds[i] = i < count ? gr_float_key((float)i * 0.25f - (float)(count / 8)) : INT32_MAX;
    if (count > 2 && turn % 3 == 1) {
        thresholds[0] = gr_float_key(-FLT_MAX);
        thresholds[count - 1] = gr_float_key(turn % 2 ? INFINITY : FLT_MAX);
    }
    return table;
}

static float draw_value(const gr_bin_table *table, unsigned turn, gr_rng *rng)
{
    if (turn == 9)
        return (float)gr_rng_below(rng, 10);
    if (turn >= 4)
        return draw_float(turn > 4, rng);
    return (float)gr_rng_normal(rng) * (float)(table->count / 8 + 1) * (turn == 3 ? 1e-6f : 1.0f);
}

static unsigned search_one_by_one(const gr_bin_table *table, const float *values, size_t length,
                                  unsigned shift, uint32_t *halves)
{
    unsigned saw = 0;

    for (size_t i = 0; i < length; i++) {
        uint32_t bin = 0;

        for (size_t t = 0; t < table->count; t++) {
            const float threshold = gr_key_float(table->thresholds[t]);

            bin += threshold <= values[i];
            if (threshold == values[i] || nextafterf(threshold, -INFINITY) == values[i])
                saw |= GR_SAW_CLOSE;
        }
        if (isnan(values[i])) {
            bin = table->count + 1;
            saw |= GR_SAW_MISSING;
        }
        halves[i] |= bin << shift;
    }
    return saw;
}

static void test_searches_agree(void **state)
{
    static int32_t thresholds[65536];
    static const uint32_t counts[] = { 0,  1,  2,   3,   14,  15,  16,  30,  31,   32,
                                       33, 63, 127, 128, 200, 254, 255, 256, 1000, 65534 };
    gr_rng rng = gr_rng_for(5, "search", 0);

    (void)state;
    for (size_t c = 0; c < 12 * sizeof counts / sizeof *counts; c++) {
        const unsigned turn = (unsigned)c % 12, shift = turn % 2 ? 0 : turn;
        const gr_bin_table table = fill_table(thresholds, counts[c / 12], turn);
        const size_t length = counts[c / 12] > 1000 ? 9 : 1 + gr_rng_below(&rng, 300);
        uint32_t start[300] = { 0 }, wanted[300], found[300];
        int32_t keys[300];
        float values[300];
        unsigned saw;

        for (size_t i = 0; i < length; i++) {
            values[i] = draw_value(&table, turn, &rng);
            keys[i] = gr_float_key(values[i]);
            start[i] = turn % 2 ? (uint32_t)i << 20 : 0;
        }
        memcpy(wanted, start, sizeof start);
        saw = search_one_by_one(&table, values, length, shift, wanted);
        for (gr_cpu cpu = 0; cpu <= gr_cpu_here(); cpu++) {
            memcpy(found, start, sizeof start);
            assert_int_equal(
                gr_bin_search_versions[cpu]->search(&table, keys, length, shift, found), saw);
            assert_memory_equal(wanted, found, length * sizeof *found);
        }
    }
}

static void test_keys_are_in_the_order_of_floats(void **state)
{
    static const float ascending[] = { -INFINITY, -FLT_MAX, -1.5f,   -1e-45f, 0.0f,
                                       1e-45f,    1.5f,     FLT_MAX, INFINITY };

    (void)state;
    for (size_t i = 0; i < 9; i++) {
        const int32_t key = gr_float_key(ascending[i]);

        assert_true(i == 0 || gr_float_key(ascending[i - 1]) < key);
        assert_true(gr_key_float(key) == ascending[i]);
        assert_false(gr_key_is_missing(key));
        if (i < 8)
            assert_true(gr_key_float(key + 1) == nextafterf(ascending[i], INFINITY));
    }
    assert_int_equal(gr_float_key(-0.0f), 0);
    assert_true(gr_key_is_missing(gr_float_key(NAN)));
    assert_true(gr_key_is_missing(gr_float_key(-NAN)));
}

static void test_keys_are_turned(void **state)
{
    float rows[9][7];
    const float *at[9];
    int32_t keys[7][11];
    gr_rng rng = gr_rng_for(6, "turn", 0);

    (void)state;
    for (size_t r = 0; r < 9; r++)
        for (size_t c = 0; c < 7; c++)
            rows[r][c] = draw_float(c < 2, &rng);
    for (size_t r = 0; r < 9; r++)
        at[r] = rows[8 - r];
    for (size_t count = 1; count <= 9; count++)
        for (size_t columns = 1; columns <= 7; columns++) {
            memset(keys, 0x55, sizeof keys);
            gr_transpose_keys(at, count, columns, keys[0], 11);
            for (size_t c = 0; c < 7; c++)
                for (size_t r = 0; r < 11; r++)
                    assert_int_equal(keys[c][r], r < count && c < columns
                                                     ? gr_float_key(rows[8 - r][c])
                                                     : 0x55555555);
        }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_searches_agree),
        cmocka_unit_test(test_keys_are_in_the_order_of_floats),
        cmocka_unit_test(test_keys_are_turned),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
