/* SPDX-License-Identifier: Apache-2.0 */
/* Random streams: known answers of Philox; draws are reproducible, unbiased and independent. */
#include "checks.h"

#include "base/rng.h"

#include <string.h>

/* kat_vectors of Random123 1.14.0: philox4x32-10 */
static void test_philox_gives_the_known_answers(void **state)
{
    static const struct {
        uint32_t counter[4], key[2], wanted[4];
    } known[] = {
        { { 0, 0, 0, 0 }, { 0, 0 }, { 0x6627e8d5, 0xe169c58d, 0xbc57ac4c, 0x9b00dbd8 } },
        { { 0xffffffff, 0xffffffff, 0xffffffff, 0xffffffff },
          { 0xffffffff, 0xffffffff },
          { 0x408f276d, 0x41c83b0e, 0xa20bc7c6, 0x6d5451fd } },
        { { 0x243f6a88, 0x85a308d3, 0x13198a2e, 0x03707344 },
          { 0xa4093822, 0x299f31d0 },
          { 0xd16cfe09, 0x94fdcceb, 0x5001e420, 0x24126ea1 } },
    };

    (void)state;
    for (size_t i = 0; i < 3; i++) {
        uint32_t out[4];

        gr_philox(known[i].counter, known[i].key, out);
        assert_memory_equal(out, known[i].wanted, sizeof out);
    }
}

static void test_a_stream_is_a_function_of_seed_purpose_and_index(void **state)
{
    gr_rng first = gr_rng_for(1, "split", 7), again = gr_rng_for(1, "split", 7);
    gr_rng others[] = { gr_rng_for(2, "split", 7), gr_rng_for(1, "splits", 7),
                        gr_rng_for(1, "split", 8), gr_rng_for(1, "split", 7 + ((uint64_t)1 << 32)),
                        gr_rng_for(1 + ((uint64_t)1 << 32), "split", 7) };
    uint64_t draws[64];

    (void)state;
    for (size_t i = 0; i < 64; i++) {
        draws[i] = gr_rng_long(&first);
        assert_true(draws[i] == gr_rng_long(&again));
    }
    for (size_t o = 0; o < 5; o++)
        for (size_t i = 0; i < 64; i++) {
            const uint64_t draw = gr_rng_long(&others[o]);

            for (size_t k = 0; k < 64; k++)
                assert_true(draw != draws[k]);
        }
}

/* The counter carries into its second word without losing or repeating a draw. */
static void test_a_stream_goes_on_past_four_billion_blocks(void **state)
{
    gr_rng rng = gr_rng_for(1, "far", 3), next;
    uint32_t wanted[4];

    (void)state;
    rng.counter[0] = UINT32_MAX;
    for (int i = 0; i < 4; i++)
        gr_rng_word(&rng);
    assert_int_equal(rng.counter[0], 0);
    assert_int_equal(rng.counter[1], 1);
    assert_int_equal(rng.counter[2], 3);
    next = rng;
    gr_philox(next.counter, next.key, wanted);
    for (int i = 4; i-- > 0;)
        assert_int_equal(gr_rng_word(&rng), wanted[i]);
}

/* Chi-square of counts that should be equal; the bound is about 6 standard deviations. */
static void check_even(const size_t *counts, size_t cells, double draws)
{
    const double wanted = draws / (double)cells;
    double sum = 0.0;

    for (size_t c = 0; c < cells; c++)
        sum += ((double)counts[c] - wanted) * ((double)counts[c] - wanted) / wanted;
    CHECK_NEAR(sum, (double)(cells - 1), 6.0 * sqrt(2.0 * (double)cells));
}

static void test_uniform_draws_are_even(void **state)
{
    enum { DRAWS = 400000, CELLS = 100 };
    gr_rng rng = gr_rng_for(5, "uniform", 0);
    size_t counts[CELLS] = { 0 };
    size_t pairs[CELLS] = { 0 };
    double sum = 0.0, squares = 0.0, before = 0.5;

    (void)state;
    for (int i = 0; i < DRAWS; i++) {
        const double u = gr_rng_uniform(&rng);

        assert_true(u > 0.0 && u < 1.0);
        counts[(size_t)(u * CELLS)]++;
        pairs[(size_t)(u * 10) * 10 + (size_t)(before * 10)]++;
        before = u;
        sum += u;
        squares += u * u;
    }
    check_even(counts, CELLS, DRAWS);
    check_even(pairs, CELLS, DRAWS);
    CHECK_NEAR(sum / DRAWS, 0.5, 5 * sqrt(1.0 / 12 / DRAWS));
    CHECK_NEAR(squares / DRAWS, 1.0 / 3, 5 * sqrt(4.0 / 45 / DRAWS));
}

static void test_first_draws_of_neighbouring_streams_are_even(void **state)
{
    enum { DRAWS = 100000, CELLS = 64 };
    size_t by_index[CELLS] = { 0 }, by_seed[CELLS] = { 0 };

    (void)state;
    for (uint64_t i = 0; i < DRAWS; i++) {
        gr_rng a = gr_rng_for(1, "x", i), b = gr_rng_for(i, "x", 1);

        by_index[gr_rng_below(&a, CELLS)]++;
        by_seed[gr_rng_below(&b, CELLS)]++;
    }
    check_even(by_index, CELLS, DRAWS);
    check_even(by_seed, CELLS, DRAWS);
}

static void test_below_is_unbiased(void **state)
{
    gr_rng rng = gr_rng_for(6, "below", 0);
    const uint64_t large = (uint64_t)3 << 62; /* a modulo would return the lower third twice as
                                                 often */
    size_t thirds[3] = { 0, 0, 0 }, sevens[7] = { 0 };

    (void)state;
    for (int i = 0; i < 300000; i++) {
        const uint64_t draw = gr_rng_below(&rng, large);

        assert_true(draw < large);
        thirds[draw >> 62]++;
        sevens[gr_rng_below(&rng, 7)]++;
        assert_true(gr_rng_below(&rng, 1) == 0);
    }
    check_even(thirds, 3, 300000);
    check_even(sevens, 7, 300000);
}

static void test_normal_draws_have_their_moments(void **state)
{
    enum { DRAWS = 400000 };
    gr_rng rng = gr_rng_for(7, "normal", 0);
    double sums[4] = { 0, 0, 0, 0 };

    (void)state;
    for (int i = 0; i < DRAWS; i++) {
        const double x = gr_rng_normal(&rng);

        assert_true(isfinite(x));
        sums[0] += x;
        sums[1] += x * x;
        sums[2] += x * x * x;
        sums[3] += x * x * x * x;
    }
    CHECK_NEAR(sums[0] / DRAWS, 0.0, 5 * sqrt(1.0 / DRAWS));
    CHECK_NEAR(sums[1] / DRAWS, 1.0, 5 * sqrt(2.0 / DRAWS));
    CHECK_NEAR(sums[2] / DRAWS, 0.0, 5 * sqrt(15.0 / DRAWS));
    CHECK_NEAR(sums[3] / DRAWS, 3.0, 5 * sqrt(96.0 / DRAWS));
}

/* All 24 orders of four items are about equally frequent. */
static void test_shuffles_are_even(void **state)
{
    gr_rng rng = gr_rng_for(8, "shuffle", 0);
    size_t counts[256] = { 0 }, orders[24], used = 0;

    (void)state;
    for (int i = 0; i < 120000; i++) {
        size_t items[] = { 0, 1, 2, 3 };

        gr_shuffle(&rng, items, 4);
        assert_int_equal(items[0] + items[1] + items[2] + items[3], 6);
        counts[items[0] * 64 + items[1] * 16 + items[2] * 4 + items[3]]++;
    }
    for (size_t c = 0; c < 256; c++)
        if (counts[c] && used < 24)
            orders[used++] = counts[c];
        else
            assert_int_equal(counts[c], 0);
    assert_int_equal(used, 24);
    check_even(orders, 24, 120000);
    gr_shuffle(&rng, NULL, 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_philox_gives_the_known_answers),
        cmocka_unit_test(test_a_stream_is_a_function_of_seed_purpose_and_index),
        cmocka_unit_test(test_a_stream_goes_on_past_four_billion_blocks),
        cmocka_unit_test(test_uniform_draws_are_even),
        cmocka_unit_test(test_first_draws_of_neighbouring_streams_are_even),
        cmocka_unit_test(test_below_is_unbiased),
        cmocka_unit_test(test_normal_draws_have_their_moments),
        cmocka_unit_test(test_shuffles_are_even),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
