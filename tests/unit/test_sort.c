/* SPDX-License-Identifier: Apache-2.0 */
/* Sorting numbers, against qsort with the position as tie-break. */
#include "checks.h"

#include "base/bisect.h"
#include "base/rng.h"
#include "base/sort.h"

#include <stdlib.h>

typedef struct numbered {
    double key;
    size_t place;
} numbered;

static int ascending(const void *left, const void *right)
{
    const numbered *a = left, *b = right;

    if (a->key != b->key)
        return a->key < b->key ? -1 : 1;
    return a->place < b->place ? -1 : a->place > b->place;
}

static int descending(const void *left, const void *right)
{
    const numbered *a = left, *b = right;

    if (a->key != b->key)
        return a->key > b->key ? -1 : 1;
    return a->place < b->place ? -1 : a->place > b->place;
}

static void check_sorted(const double *keys, size_t count)
{
    numbered *judged = calloc(count + 1, sizeof *judged);
    size_t *order = calloc(count + 1, sizeof *order);
    gr_keyed *scratch = malloc(GR_SORT_SCRATCH(count) + 1);

    assert_true(judged && order && scratch);
    for (int up = 0; up < 2; up++) {
        for (size_t i = 0; i < count; i++)
            judged[i] = (numbered){ keys[i], i };
        qsort(judged, count, sizeof *judged, up ? ascending : descending);
        order[count] = 12345;
        (up ? gr_sort_ascending : gr_sort_descending)(keys, count, order, scratch);
        for (size_t i = 0; i < count; i++)
            assert_int_equal(order[i], judged[i].place);
        assert_int_equal(order[count], 12345);
    }
    free(judged);
    free(order);
    free(scratch);
}

typedef enum content { ANY, NARROW, FEW, ONE, SORTED, REVERSED, ZEROS, CONTENTS } content;

static double key_of(content what, size_t i, size_t count, gr_rng *rng)
{
    switch (what) {
    case ANY: /* every magnitude and sign */
        return ldexp(gr_rng_uniform(rng) - 0.5, (int)gr_rng_below(rng, 2040) - 1060);
    case NARROW:
        return 100.0 + gr_rng_uniform(rng);
    case FEW:
        return (double)gr_rng_below(rng, 5) - 2.0;
    case SORTED:
        return (double)i;
    case REVERSED:
        return (double)(count - i);
    case ZEROS: /* -0 and 0 are equal, and in between */
        return gr_rng_below(rng, 3) == 0 ? (double)gr_rng_below(rng, 3) - 1.0
                                         : (gr_rng_below(rng, 2) ? 0.0 : -0.0);
    default:
        return 7.5;
    }
}

static void test_orders_match_qsort(void **state)
{
    /* on both sides of every change of algorithm: insertion, merge, radix */
    static const size_t counts[] = { 0,  1,   2,   3,    10,   47,   48,   49,   95,   96,   97,
                                     98, 191, 193, 1000, 2046, 2047, 2048, 2049, 5000, 30000 };
    double *keys = calloc(30000, sizeof *keys);
    gr_rng rng = gr_rng_for(1, "sort", 0);

    (void)state;
    assert_non_null(keys);
    for (size_t c = 0; c < sizeof counts / sizeof *counts; c++)
        for (content what = ANY; what < CONTENTS; what++) {
            for (size_t i = 0; i < counts[c]; i++)
                keys[i] = key_of(what, i, counts[c], &rng);
            check_sorted(keys, counts[c]);
        }
    for (size_t count = 0; count < 300; count++) {
        for (size_t i = 0; i < count; i++)
            keys[i] = key_of(count % 2 ? FEW : ANY, i, count, &rng);
        check_sorted(keys, count);
    }
    free(keys);
}

static void test_infinities_have_their_place(void **state)
{
    const double keys[] = {
        1, -(double)INFINITY, 5e-324, (double)INFINITY, -5e-324, 1e308, -0.0, 0
    };

    (void)state;
    check_sorted(keys, 8);
}

static void test_keyed_items_sort_by_all_bits_of_the_key(void **state)
{
    enum { COUNT = 5000 };
    static gr_keyed items[COUNT], spare[COUNT];
    gr_rng rng = gr_rng_for(2, "sort", 0);

    (void)state;
    for (size_t count = 5; count <= COUNT; count *= 10) {
        for (size_t i = 0; i < count; i++)
            items[i] = (gr_keyed){ gr_rng_long(&rng) & (i % 2 ? ~(uint64_t)0 : 0xff), i };
        gr_sort_keyed(items, count, spare);
        for (size_t i = 1; i < count; i++)
            assert_true(items[i - 1].key < items[i].key ||
                        (items[i - 1].key == items[i].key && items[i - 1].item < items[i].item));
    }
}

static int by_number(const void *a, const void *b)
{
    const uint32_t x = *(const uint32_t *)a, y = *(const uint32_t *)b;

    return (x > y) - (x < y);
}

static int by_entry(const void *a, const void *b)
{
    const uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;

    return (x > y) - (x < y);
}

/* Entries have their position in the lower half, so sorting them whole is the stable order. */
static void test_numbers_and_entries_match_qsort(void **state)
{
    enum { MOST = 10000 };
    static const size_t counts[] = { 0, 1, 2, 40, 41, 47, 48, 300, 4095, 4096, MOST };
    static uint32_t numbers[MOST], other[MOST], spare[MOST];
    static uint64_t entries[MOST], whole[MOST], spares[MOST];

    (void)state;
    for (size_t c = 0; c < sizeof counts / sizeof *counts; c++)
        for (unsigned shift = 0; shift < 32; shift += 13) {
            gr_rng rng = gr_rng_for(c, "numbers", shift);

            for (size_t i = 0; i < counts[c]; i++) {
                numbers[i] = other[i] = (uint32_t)(gr_rng_long(&rng) >> 32) >> shift;
                entries[i] = whole[i] = (uint64_t)numbers[i] << 32 | i;
            }
            gr_sort_numbers(numbers, counts[c], spare);
            gr_sort_entries(entries, counts[c], spares);
            qsort(other, counts[c], sizeof *other, by_number);
            qsort(whole, counts[c], sizeof *whole, by_entry);
            assert_memory_equal(numbers, other, counts[c] * sizeof *other);
            assert_memory_equal(entries, whole, counts[c] * sizeof *whole);
        }
}

static void test_bisection_finds_bounds(void **state)
{
    static const int items[] = { 1, 3, 3, 3, 8 };
    static const uint64_t starts[] = { 0, 4, 4, 9, 12 };

    (void)state;
    assert_int_equal(GR_BISECT(0, 5, i, items[i] < 0), 0);
    assert_int_equal(GR_BISECT(0, 5, i, items[i] < 3), 1);
    assert_int_equal(GR_BISECT(0, 5, i, items[i] <= 3), 4);
    assert_int_equal(GR_BISECT(0, 5, i, items[i] < 9), 5);
    assert_int_equal(GR_BISECT(2, 2, i, items[i] < 9), 2);
    assert_int_equal(gr_interval_of(starts, 4, 3), 0);
    assert_int_equal(gr_interval_of(starts, 4, 4), 2); /* the interval before is empty */
    assert_int_equal(gr_interval_of(starts, 4, 11), 3);
    assert_int_equal(gr_interval_of(starts, 0, 0), 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_numbers_and_entries_match_qsort),
        cmocka_unit_test(test_bisection_finds_bounds),
        cmocka_unit_test(test_orders_match_qsort),
        cmocka_unit_test(test_infinities_have_their_place),
        cmocka_unit_test(test_keyed_items_sort_by_all_bits_of_the_key),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
