/* SPDX-License-Identifier: Apache-2.0 */
/* Narrow words of messages (plugins/mpi/short_words.c): what is written is added exactly, and takes half
 * the bytes where words are small. */
#include "checks.h"

#include "base/rng.h"
#include "plugins/mpi/short_words.h"

enum { MOST = 3000 };

/* A word of one of the forms, or one just outside it. */
static uint64_t draw(gr_rng *rng, size_t kind)
{
    const uint64_t upper[] = { 0, UINT32_MAX, (1U << 19) - 1, (uint32_t) - (1 << 19) };
    const uint64_t edges[] = { (UINT64_C(1) << 19) << 32, 1U << 12,   1U << 31,
                               (UINT64_C(1) << 31) - 1,   UINT64_MAX, (uint64_t)INT64_MIN };

    switch (kind) {
    case 0:
        return 0;
    case 1:
        return upper[gr_rng_below(rng, 4)] << 32 | gr_rng_below(rng, 1 << 12);
    case 2:
        return (uint64_t)((int64_t)gr_rng_below(rng, UINT64_C(1) << 32) - (INT64_C(1) << 31));
    case 3:
        return edges[gr_rng_below(rng, 6)];
    default:
        return gr_rng_long(rng);
    }
}

static void test_every_form(void **state)
{
    static uint64_t words[MOST], sums[MOST], wanted[MOST], bytes[2 * MOST];
    gr_rng rng = gr_rng_for(1, "narrow", 0);

    (void)state;
    for (size_t trial = 0; trial < 300; trial++) {
        const size_t count = gr_rng_below(&rng, MOST), kinds = trial % 6;

        for (size_t i = 0; i < count; i++) {
            words[i] = draw(&rng, kinds < 5 ? kinds : i / 512 % 5);
            sums[i] = gr_rng_long(&rng);
            wanted[i] = sums[i] + words[i];
        }
        const size_t size = short_words_write(words, count, bytes);

        assert_true(size <= short_words_most(count));
        if (kinds < 3)
            assert_true(size <= 4 * count + 8 * (count / 512 + 2));
        assert_int_equal(short_words_add(sums, count, bytes, size), size);
        assert_memory_equal(sums, wanted, count * sizeof *sums);
    }
}

static void test_other_bytes(void **state)
{
    uint64_t words[600] = { 1 }, bytes[700], sums[600] = { 0 };
    const size_t size = short_words_write(words, 600, bytes);

    (void)state;
    assert_true(short_words_add(sums, 600, bytes, size - 8) == SIZE_MAX);
    assert_int_equal(short_words_add(sums, 600, bytes, size + 8), size);
    assert_true(short_words_add(sums, 600, bytes, 0) == SIZE_MAX);
    bytes[0] = 77;
    assert_true(short_words_add(sums, 600, bytes, size) == SIZE_MAX);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_every_form),
        cmocka_unit_test(test_other_bytes),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
