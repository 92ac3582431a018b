/* SPDX-License-Identifier: Apache-2.0 */
/* Trees of the emulated device against those of the processor, bit by bit, on data of many columns and
 * rows: several panels, blocks and items of each kernel. test_tree.c has many settings of small data. */
#include "emulated_device.h"
#include "made_bins.h"
#include "thread_order.h"

enum { ROWS = 20000, FEATURES = 170, OUTPUTS = 2 };

typedef struct data {
    gr_bins bins;
    float *gradients, *hessians, *weights;
    uint32_t *sample;
    size_t sampled;
} data;

/* width: of a bin; with 16 bits some columns of some panels have more than 256 bins. */
static data make_data(size_t rows, size_t features, unsigned width)
{
    gr_rng rng = gr_rng_for(5, "wide data", 0);
    made_feature *made = gr_new_array(features, sizeof *made);
    uint32_t *table = gr_new_array(features * rows, sizeof *table);
    data d = { .gradients = gr_new_array(OUTPUTS * rows, sizeof(float)),
               .hessians = gr_new_array(OUTPUTS * rows, sizeof(float)),
               .weights = gr_new_array(rows, sizeof(float)),
               .sample = gr_new_array(rows, sizeof(uint32_t)) };

    for (size_t f = 0; f < features; f++) {
        made[f].bins = f % 9 == 0 ? 3 : 200 + (uint32_t)(f % 50);
        if (width == 16 && f % 60 == 5)
            made[f].bins = 700;
        made[f].missing = f % 4 == 1;
        made[f].sparse = f % 17 == 2;
        for (size_t r = 0; r < rows; r++) {
            const bool usual = gr_rng_below(&rng, 10) < (made[f].sparse ? 9 : f % 5);

            table[f * rows + r] =
                usual ? 0 : (uint32_t)gr_rng_below(&rng, made[f].bins + made[f].missing);
        }
    }
    for (size_t i = 0; i < OUTPUTS * rows; i++) {
        const size_t f = (i / rows + 3 * (i % 7)) % features;

        d.hessians[i] = (float)(0.1 + gr_rng_uniform(&rng));
        d.gradients[i] = (float)(gr_rng_normal(&rng) - 0.01 * table[f * rows + i % rows]);
    }
    for (size_t r = 0; r < rows; r++) {
        d.weights[r] = (float)(r % 3) * 0.5f;
        if (gr_rng_below(&rng, 10) < 7)
            d.sample[d.sampled++] = (uint32_t)r;
    }
    d.bins = make_bins(made, features, table, rows, width, 4);
    free(made);
    free(table);
    return d;
}

static void free_data(data *d)
{
    free_bins(&d->bins);
    free(d->gradients);
    free(d->hessians);
    free(d->weights);
    free(d->sample);
}

static gr_grower *make_grower(const data *d, const gr_tree_options *options,
                              const gradus_device *device)
{
    gr_grower *grower = gr_grower_new(&d->bins, OUTPUTS, options, NULL, NULL, NULL);

    assert_non_null(grower);
    assert_int_equal(gr_grower_use_device(grower, device, 0, NULL), GRADUS_OK);
    assert_true((gr_grower_device_rows(grower) != NULL) == (device != NULL));
    return grower;
}

static gr_round round_of(const data *d)
{
    return (gr_round){ .gradients = d->gradients,
                       .hessians = d->hessians,
                       .count = d->bins.rows,
                       .ascending = true,
                       .seed = 3,
                       .round = 2 };
}

static gr_tree_options options_of(size_t leaves)
{
    gr_tree_options options = plain_options();

    options.leaves = leaves;
    options.depth = 0;
    options.min_rows = 20;
    options.min_hessian = 1;
    return options;
}

static void check_round(const data *d, const gr_tree_options *options, const gr_round *round,
                        size_t narrow_rows)
{
    static unsigned turn; /* each round has another order of threads */
    gr_grower *cpu = make_grower(d, options, NULL);
    gr_grower *device = make_grower(d, options, &emulated_device);
    gr_grown expected, found;

    emulated_order_use((thread_order)(turn++ % THREAD_ORDERS));
    gr_grower_limit(cpu, narrow_rows, 1 << 26);
    gr_grower_limit(device, narrow_rows, 0);
    assert_int_equal(gr_grower_begin(cpu, round, NULL), GRADUS_OK);
    assert_int_equal(gr_grower_begin(device, round, NULL), GRADUS_OK);
    for (size_t k = 0; k < OUTPUTS; k++) {
        assert_int_equal(gr_grower_grow(cpu, k, &expected, NULL), GRADUS_OK);
        assert_int_equal(gr_grower_grow(device, k, &found, NULL), GRADUS_OK);
        assert_true(expected.leaves > options->leaves / 2);
        check_same_tree(&found, &expected, round->count);
    }
    gr_grower_free(cpu);
    gr_grower_free(device);
}

static void test_same_as_processor(void **state)
{
    data d = make_data(ROWS, FEATURES, 8);
    gr_tree_options options = options_of(24);
    gr_round round = round_of(&d);

    (void)state;
    round.newton = true; /* rows are counted */
    check_round(&d, &options, &round, GR_NARROW_ROWS);
    options.min_hessian = 0; /* cuts that leave few rows are moved, not dropped */
    options.min_rows = 200;
    check_round(&d, &options, &round, GR_NARROW_ROWS);
    round = round_of(&d);
    round.weights = d.weights;
    round.rows = d.sample;
    round.count = d.sampled;
    options.feature_share = 0.5;
    check_round(&d, &options, &round, GR_NARROW_ROWS);
    round.weights = NULL;
    round.unit = true;
    check_round(&d, &options, &round, 0); /* wide */
    free_data(&d);
}

/* Panels of 8 and of 16 bits, with narrow and wide sums, and hessians that are all 1, are not, and count rows. */
static void test_mixed_panels(void **state)
{
    data d = make_data(5000, FEATURES, 16);
    gr_tree_options options = options_of(24);

    (void)state;
    for (unsigned bits = 0; bits < 8; bits++) {
        gr_round round = round_of(&d);

        round.unit = bits & 1;
        round.weights = bits & 2 && !round.unit ? d.weights : NULL;
        round.newton = !round.unit && !round.weights;
        options.min_rows = bits & 2 ? 1 : 20; /* 1: rows are not counted */
        options.min_hessian = 0;
        check_round(&d, &options, &round, bits & 4 ? 0 : GR_NARROW_ROWS);
    }
    free_data(&d);
}

/* Wide sums of more rows in a bin than an item has, 65,536: rounded numbers are as large as can be, 2^30 - 2^6 and
 * minus that, so that the sums of their lower 16 bits would overflow. */
static void test_many_rows(void **state)
{
    const size_t rows = 100000;
    data d = make_data(rows, 34, 8);
    gr_tree_options options = options_of(4);

    (void)state;
    for (size_t i = 0; i < OUTPUTS * rows; i++) {
        const float most = 1 - 0x1p-24f;

        d.gradients[i] = i < rows ? most : -most;
        if (d.weights[i % rows] == 0) /* something to gain */
            d.gradients[i] = d.gradients[i] * (d.hessians[i] < 0.2f ? 0.5f : 1);
        d.hessians[i] = most;
    }
    for (unsigned bits = 0; bits < 4; bits++) {
        gr_round round = round_of(&d);

        round.unit = bits & 1;
        round.newton = !round.unit;
        options.min_rows = bits & 2 ? 1 : 20;
        check_round(&d, &options, &round, 0);
    }
    free_data(&d);
}

/* Gradients that are on the device already, and rows that stay there. */
static void test_arrays_on_device(void **state)
{
    data d = make_data(3000, 40, 8);
    const gr_tree_options options = options_of(16);
    gr_grower *cpu = make_grower(&d, &options, NULL);
    gr_grower *device = make_grower(&d, &options, &emulated_device);
    const gr_device_rows *rows = gr_grower_device_rows(device);
    const size_t bytes = OUTPUTS * d.bins.rows * sizeof(float);
    gr_round round = round_of(&d);
    gr_grown expected, found;

    (void)state;
    memcpy(rows->gradients, d.gradients, bytes);
    memcpy(rows->hessians, d.hessians, bytes);
    round.rows = d.sample;
    round.count = d.sampled;
    assert_int_equal(gr_grower_begin(cpu, &round, NULL), GRADUS_OK);
    round.gradients = round.hessians = NULL;
    round.on_device = round.no_rows = true;
    assert_int_equal(gr_grower_begin(device, &round, NULL), GRADUS_OK);
    assert_int_equal(gr_grower_grow(cpu, 0, &expected, NULL), GRADUS_OK);
    assert_int_equal(gr_grower_grow(device, 0, &found, NULL), GRADUS_OK);
    assert_null(found.rows);
    assert_null(found.others);
    assert_int_equal(found.leaves, expected.leaves);
    for (size_t l = 0; l < found.leaves; l++) {
        assert_int_equal(found.covers[l], expected.covers[l]);
        assert_memory_equal(&found.gradients[l], &expected.gradients[l], sizeof(double));
        assert_memory_equal(&found.hessians[l], &expected.hessians[l], sizeof(double));
        for (size_t i = expected.starts[l]; i < expected.starts[l + 1]; i++)
            assert_int_equal(rows->leaf_of[expected.rows[i]], l);
    }
    for (size_t i = 0; i < expected.other_count; i++)
        assert_int_equal(rows->leaf_of[expected.others[i]], expected.other_leaves[i]);
    gr_grower_free(cpu);
    gr_grower_free(device);
    free_data(&d);
}

static void test_refused_numbers(void **state)
{
    data d = make_data(100, 3, 8);
    const gr_tree_options options = options_of(4);
    gr_grower *device = make_grower(&d, &options, &emulated_device);
    gr_round round = round_of(&d);
    gradus_error err;

    (void)state;
    d.gradients[100 + 41] = NAN;
    assert_int_equal(gr_grower_begin(device, &round, &err), GRADUS_BAD_NUMBER);
    assert_string_equal(err.message, "the gradient of row 42 is not finite");
    d.gradients[100 + 41] = 0;
    d.hessians[7] = -1;
    assert_int_equal(gr_grower_begin(device, &round, &err), GRADUS_BAD_NUMBER);
    assert_string_equal(err.message, "the hessian or weight of row 8 is negative or not finite");
    memcpy(gr_grower_device_rows(device)->hessians, d.hessians, OUTPUTS * 100 * sizeof(float));
    round.on_device = true;
    assert_int_equal(gr_grower_begin(device, &round, &err), GRADUS_BAD_NUMBER);
    d.hessians[7] = 1;
    round.on_device = false;
    assert_int_equal(gr_grower_begin(device, &round, &err), GRADUS_OK);
    gr_grower_free(device);
    free_data(&d);
}

/* The emulated device has 64 MB. */
static void test_refused_memory(void **state)
{
    data d = make_data(1100000, 3, 8);
    const gr_tree_options options = options_of(4);
    gr_grower *grower = gr_grower_new(&d.bins, OUTPUTS, &options, NULL, NULL, NULL);
    gradus_error err;

    (void)state;
    assert_int_equal(gr_grower_use_device(grower, &emulated_device, 0, &err), GRADUS_NO_MEMORY);
    assert_null(gr_grower_device_rows(grower));
    gr_grower_free(grower);
    free_data(&d);
}

/* Histograms of more than 2^31 numbers, and of so few more than 2^32 that their size in 32 bits would fit. */
static void test_refused_bins(void **state)
{
    static const struct {
        size_t columns;
        const char *message;
    } cases[] = {
        { 32800,
          "the bins of 32800 features make histograms of 2149548000 numbers, and on a GPU they "
          "have at most 2147483648; choose fewer bins or features, or device 'cpu'" },
        { 65538,
          "the bins of 65538 features make histograms of 4295426040 numbers, and on a GPU they "
          "have at most 2147483648; choose fewer bins or features, or device 'cpu'" },
    };

    (void)state;
    for (size_t i = 0; i < 2; i++) {
        gr_device_column *column = gr_new_array(cases[i].columns, sizeof *column);
        const gr_device_bins bins = { .rows = 1,
                                      .columns = cases[i].columns,
                                      .outputs = 1,
                                      .column = column,
                                      .width = 16,
                                      .leaves = 2,
                                      .expansions = 1 };
        gradus_error err = { GRADUS_OK, "" };

        for (size_t c = 0; c < cases[i].columns; c++)
            column[c] = (gr_device_column){ .feature = (uint32_t)c, .bins = 65535 };
        assert_null(emulated_trees.open(&emulated_device, &bins, &err));
        assert_int_equal(err.status, GRADUS_NO_MEMORY);
        assert_string_equal(err.message, cases[i].message);
        free(column);
    }
}

/* Gradients that depend on the parity of six columns: gains rise with the depth, so that many
 * expansions are wasted. */
static data make_parity(size_t rows)
{
    gr_rng rng = gr_rng_for(5, "parity", 0);
    made_feature made[12] = { { 0 } };
    uint32_t *table = gr_new_array(12 * rows, sizeof *table);
    data d = { .gradients = gr_new_array(OUTPUTS * rows, sizeof(float)),
               .hessians = gr_new_array(OUTPUTS * rows, sizeof(float)) };

    for (size_t f = 0; f < 12; f++) {
        made[f].bins = f < 6 ? 2 : 16;
        for (size_t r = 0; r < rows; r++)
            table[f * rows + r] = (uint32_t)gr_rng_below(&rng, made[f].bins);
    }
    for (size_t r = 0; r < rows; r++) {
        uint32_t parity = 0;

        for (size_t f = 0; f < 6; f++)
            parity ^= table[f * rows + r];
        d.gradients[r] = (parity ? 1.0f : -1.0f) + 0.01f * (float)gr_rng_normal(&rng);
        d.hessians[r] = 1;
    }
    d.bins = make_bins(made, 12, table, rows, 8, 4);
    free(table);
    return d;
}

/* However few expansions can be wasted, a tree is completed within them. */
static void test_wasted_expansions(void **state)
{
    data d = make_parity(4096);
    gr_tree_options options = options_of(64);
    const gr_round round = round_of(&d);

    (void)state;
    options.min_rows = 1;
    for (size_t wasted = 0; wasted < 40; wasted += 3) {
        gr_grower *grower = make_grower(&d, &options, wasted % 2 ? &emulated_device : NULL);
        gr_grown grown;

        gr_grower_set_batch(grower, GR_MAX_BATCH);
        grower->most_expansions = options.leaves - 1 + wasted;
        assert_int_equal(gr_grower_begin(grower, &round, NULL), GRADUS_OK);
        assert_int_equal(gr_grower_grow(grower, 0, &grown, NULL), GRADUS_OK);
        assert_int_equal(grown.leaves, options.leaves);
        assert_in_range(grower->expansions, options.leaves - 1, grower->most_expansions);
        gr_grower_free(grower);
    }
    free_data(&d);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_same_as_processor), cmocka_unit_test(test_arrays_on_device),
        cmocka_unit_test(test_refused_numbers),   cmocka_unit_test(test_refused_memory),
        cmocka_unit_test(test_mixed_panels),      cmocka_unit_test(test_many_rows),
        cmocka_unit_test(test_refused_bins),      cmocka_unit_test(test_wasted_expansions),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
