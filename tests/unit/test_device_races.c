/* SPDX-License-Identifier: Apache-2.0 */
/* Kernels whose threads are fibers (thread_team.h): with the thread sanitizer a barrier that is missing is a data
 * race. Small data, because a block has up to 512 threads. */
#include "emulated_team.h"
#include "made_bins.h"

enum {
    ROWS = 300,
    FEATURES = 34,
    OUTPUTS = 1,
#ifdef __SANITIZE_THREAD__
    CASES = 4
#else
    CASES = 1 /* test_device_tree.c has them all */
#endif
};

typedef struct data {
    gr_bins bins;
    float gradients[ROWS], hessians[ROWS];
    uint32_t sample[ROWS];
    size_t sampled;
} data;

/* Two panels; with 16 bits, one of them has more than 256 bins. */
static void make_data(data *d, unsigned width)
{
    gr_rng rng = gr_rng_for(3, "races", 0);
    made_feature made[FEATURES] = { { 0 } };
    uint32_t *table = gr_new_array(FEATURES * ROWS, sizeof *table);

    d->sampled = 0;
    for (size_t f = 0; f < FEATURES; f++) {
        made[f].bins = width == 16 && f == 3 ? 300 : 12;
        made[f].missing = f % 4 == 1;
        made[f].sparse = f % 13 == 2;
        for (size_t r = 0; r < ROWS; r++)
            table[f * ROWS + r] =
                (uint32_t)gr_rng_below(&rng, made[f].bins + (uint32_t)made[f].missing);
    }
    for (size_t r = 0; r < ROWS; r++) {
        d->gradients[r] = (float)(gr_rng_normal(&rng) - 0.3 * table[r] + 0.2 * table[5 * ROWS + r]);
        d->hessians[r] = (float)(0.1 + gr_rng_uniform(&rng));
        if (r % 3)
            d->sample[d->sampled++] = (uint32_t)r;
    }
    d->bins = make_bins(made, FEATURES, table, ROWS, width, 4);
    free(table);
}

static gr_grower *make_grower(const data *d, const gr_tree_options *options,
                              const gradus_device *device, bool wide)
{
    gr_grower *grower = gr_grower_new(&d->bins, OUTPUTS, options, NULL, NULL, NULL);

    assert_non_null(grower);
    assert_int_equal(gr_grower_use_device(grower, device, 0, NULL), GRADUS_OK);
    gr_grower_limit(grower, wide ? 0 : GR_NARROW_ROWS, device ? 0 : (size_t)1 << 26);
    return grower;
}

static void compare(const data *d, const gr_round *round, bool wide)
{
    gr_tree_options options = plain_options();
    gr_grower *cpu, *grower;
    gr_grown expected, found;

    options.leaves = 6;
    options.depth = 0;
    options.min_rows = 5;
    cpu = make_grower(d, &options, NULL, wide);
    grower = make_grower(d, &options, &team_device, wide);
    assert_int_equal(gr_grower_begin(cpu, round, NULL), GRADUS_OK);
    assert_int_equal(gr_grower_begin(grower, round, NULL), GRADUS_OK);
    assert_int_equal(gr_grower_grow(cpu, 0, &expected, NULL), GRADUS_OK);
    assert_int_equal(gr_grower_grow(grower, 0, &found, NULL), GRADUS_OK);
    assert_int_equal(expected.leaves, 6);
    check_same_tree(&found, &expected, round->count);
    gr_grower_free(cpu);
    gr_grower_free(grower);
}

/* Narrow and wide sums, rows counted or not, a sample, 8 and 16 bits. */
static void test_trees(void **state)
{
    static data d;

    (void)state;
    for (unsigned bits = 0; bits < CASES; bits++) {
        gr_round round = { .gradients = d.gradients,
                           .hessians = d.hessians,
                           .count = ROWS,
                           .ascending = true,
                           .unit = bits % 2,
                           .newton = !(bits % 2),
                           .seed = 3,
                           .round = 2 };

        make_data(&d, bits == 1 || bits == 2 ? 16 : 8);
        if (bits == 3) {
            round.rows = d.sample;
            round.count = d.sampled;
        }
        compare(&d, &round, bits >= 2);
        free_bins(&d.bins);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = { cmocka_unit_test(test_trees) };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
