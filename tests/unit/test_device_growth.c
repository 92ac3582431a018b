/* SPDX-License-Identifier: Apache-2.0 */
/* Trees whose nodes the emulated device chooses against those of the processor, bit by bit: the device
 * should choose all that sequential growth splits, and whatever it chooses the tree is the same. */
#include "emulated_device.h"
#include "made_bins.h"
#include "thread_order.h"

enum { ROWS = 2000, FEATURES = 16 };

/* The emulated device, which notes the calls and may be made to choose badly. */
typedef struct calls {
    size_t grow, root, split;
    size_t leaves; /* the limit of leaves that the device is given; 0: that of the tree */
    bool level;    /* it chooses in the wrong order */
} calls;

static calls seen;

static gradus_status noted_grow(gr_device_trees *trees, const gr_device_tree *tree,
                                const gr_device_growth *growth, gr_device_root *root,
                                const gr_device_grown **grown, size_t *count, gradus_error *err)
{
    gr_device_growth other = *growth;

    seen.grow++;
    if (seen.leaves && seen.leaves < growth->leaves)
        other.leaves = (uint32_t)seen.leaves;
    if (seen.level)
        other.level = !growth->level;
    return emulated_trees.grow(trees, tree, &other, root, grown, count, err);
}

static gradus_status noted_root(gr_device_trees *trees, const gr_device_tree *tree,
                                gr_device_root *root, gradus_error *err)
{
    seen.root++;
    return emulated_trees.root(trees, tree, root, err);
}

static gradus_status noted_split(gr_device_trees *trees, const gr_device_split *splits,
                                 size_t count, gr_device_found *found, gradus_error *err)
{
    seen.split++;
    return emulated_trees.split(trees, splits, count, found, err);
}

typedef enum gradient_kind {
    SMOOTH, /* no equal gains */
    SIGNS,  /* 1 or -1: many equal gains */
    PARITY, /* of six columns: children gain more than their parents */
    EQUAL,  /* nothing to gain */
    TINY    /* gains about as large as rounding errors */
} gradient_kind;

typedef struct data {
    gr_bins bins;
    float *gradients, *hessians, *weights;
    uint32_t *sample;
    size_t sampled;
} data;

static double draw_gradient(gr_rng *rng, gradient_kind kind, const uint32_t *table, size_t row)
{
    uint32_t sum = 0;

    for (size_t f = 0; f < 6; f++)
        sum += table[f * ROWS + row];
    switch (kind) {
    case SMOOTH:
        return gr_rng_normal(rng) + (table[row] > 2) - 0.3 * table[3 * ROWS + row];
    case SIGNS:
        return (gr_rng_below(rng, 4) == 0) != (table[row] % 2 == 0) ? 1 : -1;
    case PARITY:
        return (sum % 2 ? 1 : -1) + 0.01 * gr_rng_normal(rng);
    case EQUAL:
        return 1;
    default:
        return 1 + (sum % 2 ? 1e-5 : 0);
    }
}

/* copies: columns with the same bins as others. */
static data make_data(gradient_kind kind, size_t copies)
{
    gr_rng rng = gr_rng_for(11, "growth", (uint64_t)kind);
    made_feature made[FEATURES] = { { 0 } };
    uint32_t *table = gr_new_array(FEATURES * ROWS, sizeof *table);
    data d = { .gradients = gr_new_array(ROWS, sizeof(float)),
               .hessians = gr_new_array(ROWS, sizeof(float)),
               .weights = gr_new_array(ROWS, sizeof(float)),
               .sample = gr_new_array(ROWS, sizeof(uint32_t)) };

    for (size_t f = 0; f < FEATURES; f++) {
        const bool copy = f >= FEATURES - copies;

        made[f].bins = copy ? made[f - copies].bins : f < 6 ? 4 : 100;
        made[f].missing = !copy && f % 5 == 4;
        made[f].sparse = f % 7 == 6;
        for (size_t r = 0; r < ROWS; r++)
            table[f * ROWS + r] =
                copy ? table[(f - copies) * ROWS + r] % made[f].bins
                     : (uint32_t)gr_rng_below(&rng, made[f].bins + made[f].missing);
    }
    for (size_t r = 0; r < ROWS; r++) {
        d.gradients[r] = (float)draw_gradient(&rng, kind, table, r);
        d.hessians[r] = (float)(0.1 + gr_rng_uniform(&rng));
        d.weights[r] = (float)(r % 3) * 0.5f;
        if (gr_rng_below(&rng, 10) < 7)
            d.sample[d.sampled++] = (uint32_t)r;
    }
    d.bins = make_bins(made, FEATURES, table, ROWS, 8, 4);
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

typedef struct settings {
    gr_tree_options options;
    gr_round round;
    const int8_t *signs;
    size_t batch, wasted; /* 0: as usual */
    size_t histogram_bytes;
    bool wide;
} settings;

static settings settings_of(const data *d, size_t leaves)
{
    settings s = { .options = plain_options(),
                   .round = { .gradients = d->gradients,
                              .hessians = d->hessians,
                              .count = ROWS,
                              .ascending = true,
                              .unit = true,
                              .seed = 3,
                              .round = 2 } };

    s.options.leaves = leaves;
    s.options.depth = 0;
    s.options.min_rows = 5;
    return s;
}

static gr_grower *make_grower(const data *d, const settings *s, const gradus_device *device)
{
    gr_grower *grower = gr_grower_new(&d->bins, 1, &s->options, s->signs, NULL, NULL);

    assert_non_null(grower);
    assert_int_equal(gr_grower_use_device(grower, device, 0, NULL), GRADUS_OK);
    gr_grower_limit(grower, s->wide ? 0 : GR_NARROW_ROWS,
                    device ? s->histogram_bytes : (size_t)1 << 26);
    if (s->batch)
        gr_grower_set_batch(grower, s->batch);
    if (s->wasted)
        grower->most_expansions = grower->leaves - 1 + s->wasted;
    return grower;
}

/* Grows the same trees twice, because the second depends on what is left of the first. Each call has another
 * order of threads. Returns the leaves. */
static size_t check(const data *d, const settings *s)
{
    static unsigned turn;
    struct gr_tree_device noted = emulated_trees;
    gradus_device device = emulated_device;
    gr_grower *cpu, *grower;
    gr_grown expected, found;

    noted.grow = noted_grow;
    noted.root = noted_root;
    noted.split = noted_split;
    device.trees = &noted;
    emulated_order_use((thread_order)(turn++ % THREAD_ORDERS));
    cpu = make_grower(d, s, NULL);
    grower = make_grower(d, s, &device);
    for (uint64_t round = 0; round < 2; round++) {
        gr_round next = s->round;

        next.round = round;
        assert_int_equal(gr_grower_begin(cpu, &next, NULL), GRADUS_OK);
        assert_int_equal(gr_grower_begin(grower, &next, NULL), GRADUS_OK);
        assert_int_equal(gr_grower_grow(cpu, 0, &expected, NULL), GRADUS_OK);
        assert_int_equal(gr_grower_grow(grower, 0, &found, NULL), GRADUS_OK);
        assert_true(grower->expansions <= grower->most_expansions);
        check_same_tree(&found, &expected, s->round.count);
    }
    gr_grower_free(cpu);
    gr_grower_free(grower);
    return expected.leaves;
}

/* As many leaves as possible, batches of all sizes: the host makes no splits. */
static void test_chooses_all(void **state)
{
    static const size_t leaves[] = { 2, 3, 8, 31, 64, 160 }, batches[] = { 0, 1, 5, 32 };

    (void)state;
    for (gradient_kind kind = SMOOTH; kind <= PARITY; kind++) {
        data d = make_data(kind, 0);

        for (size_t i = 0; i < sizeof leaves / sizeof *leaves; i++) {
            settings s = settings_of(&d, leaves[i]);

            seen = (calls){ 0 };
            s.batch = batches[i % 4];
            assert_true(check(&d, &s) > leaves[i] / 4);
            assert_int_equal(seen.grow, 2);
            assert_int_equal(seen.root, 0);
            if (kind != SIGNS)
                assert_int_equal(seen.split, 0);
        }
        free_data(&d);
    }
}

static void test_settings(void **state)
{
    static const int8_t signs[FEATURES] = { 1, -1, 0, 1, 1 };

    (void)state;
    for (unsigned bits = 0; bits < 256; bits += 5) {
        data d = make_data(bits & 1 ? PARITY : SMOOTH, bits & 2 ? 5 : 0);
        settings s = settings_of(&d, 15 + bits % 11 * 4);

        s.options.depth = bits & 4 ? 2 + bits % 5 : 0;
        s.options.grow = bits & 8 ? GR_GROW_LEVEL : GR_GROW_BEST;
        s.options.l2 = bits & 1 ? 0 : 1.5;
        s.signs = bits & 16 ? signs : NULL;
        s.round.rows = bits & 32 ? d.sample : NULL;
        s.round.count = bits & 32 ? d.sampled : ROWS;
        s.round.unit = !(bits & 64);
        s.round.weights = (bits & 64) && bits % 3 == 0 ? d.weights : NULL;
        s.round.newton = (bits & 64) && bits % 3 == 1;
        s.wide = bits & 128;
        seen = (calls){ 0 };
        check(&d, &s);
        assert_int_equal(seen.grow, 2);
        free_data(&d);
    }
}

/* Equal gains may have another order on the device; the host then makes the splits that are missing. */
static void test_equal_gains(void **state)
{
    (void)state;
    seen = (calls){ 0 };
    for (size_t copies = 0; copies <= FEATURES / 2; copies += FEATURES / 4) {
        data d = make_data(SIGNS, copies);

        for (size_t leaves = 2; leaves < 90; leaves += 11) {
            settings s = settings_of(&d, leaves);

            s.options.min_rows = 1;
            s.batch = 2 + leaves % 7;
            s.round.rows = d.sample;
            s.round.count = 300; /* small nodes */
            check(&d, &s);
        }
        free_data(&d);
    }
}

/* Trees without splits, and those that stop before they have all leaves. */
static void test_early_ends(void **state)
{
    (void)state;
    for (gradient_kind kind = SMOOTH; kind <= TINY; kind++) {
        data d = make_data(kind, 3);
        settings s = settings_of(&d, 50);

        s.options.min_gain = 1;
        assert_true(check(&d, &s) <= 50);
        s.options.min_rows = ROWS / 3;
        assert_true(check(&d, &s) <= 3);
        s.options.min_rows = ROWS / 2 + 1;
        assert_int_equal(check(&d, &s), 1);
        s = settings_of(&d, 50);
        s.options.min_gain = 1e30;
        assert_int_equal(check(&d, &s), 1);
        s.options.depth = 1;
        s.options.min_gain = 0;
        assert_true(check(&d, &s) <= 2);
        s = settings_of(&d, 50);
        s.round.rows = d.sample;
        s.round.count = 30;
        assert_true(check(&d, &s) <= 6);
        free_data(&d);
    }
}

/* However badly the device chooses and however few expansions are left, the host completes the tree. */
static void test_bad_choices(void **state)
{
    size_t splits = 0;

    (void)state;
    for (gradient_kind kind = SMOOTH; kind <= PARITY; kind++) {
        data d = make_data(kind, 0);

        for (size_t i = 0; i < 14; i++) {
            settings s = settings_of(&d, 10 + 4 * i);

            seen = (calls){ .level = i % 2, .leaves = i % 3 ? 2 + i : 0 };
            s.options.grow = i % 5 == 4 ? GR_GROW_LEVEL : GR_GROW_BEST;
            s.wasted = i % 4 ? i * i : 0;
            s.batch = i % 7 ? 32 : 3;
            check(&d, &s);
            splits += seen.split;
        }
        free_data(&d);
    }
    assert_true(splits > 0);
}

/* With fewer histograms than leaves the host chooses. */
static void test_few_histograms(void **state)
{
    data d = make_data(SMOOTH, 0);
    settings s = settings_of(&d, 40);

    (void)state;
    for (size_t bytes = 1; bytes < (size_t)1 << 19; bytes *= 8) {
        seen = (calls){ 0 };
        s.histogram_bytes = bytes;
        check(&d, &s);
        assert_int_equal(seen.grow, 0);
        assert_int_equal(seen.root, 2);
        assert_true(seen.split > 0);
    }
    free_data(&d);
}

/* Grows a tree of the round with a device and without. */
static void grow_both(gr_grower *cpu, gr_grower *grower, const gr_round *round)
{
    gr_grown expected, found;

    assert_int_equal(gr_grower_begin(cpu, round, NULL), GRADUS_OK);
    assert_int_equal(gr_grower_begin(grower, round, NULL), GRADUS_OK);
    assert_int_equal(gr_grower_grow(cpu, 0, &expected, NULL), GRADUS_OK);
    assert_int_equal(gr_grower_grow(grower, 0, &found, NULL), GRADUS_OK);
    check_same_tree(&found, &expected, round->count);
}

/* Histograms that have been allocated are kept, whatever memory there is later, and fewer are if there is less
 * than was reported. */
static void test_histograms_kept(void **state)
{
    static const struct {
        uint64_t room, largest; /* when they are allocated */
        size_t slots, wide_slots;
    } cases[] = { { 200000, UINT64_MAX, 3, 2 },
                  { 1 << 26, 300000, 9, 4 },
                  { 1 << 26, UINT64_MAX, 74, 74 } };
    data d = make_data(SMOOTH, 0);
    settings s = settings_of(&d, 40);

    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        gr_grower *cpu = make_grower(&d, &s, NULL), *grower = make_grower(&d, &s, &emulated_device);

        emulated_room = cases[i].room;
        emulated_largest = cases[i].largest;
        for (uint64_t round = 0; round < 4; round++) {
            s.round.round = round;
            if (round == 3) { /* histograms of twice the size: new ones, but not necessarily more */
                emulated_room = cases[i].room;
                emulated_largest = cases[i].largest;
                gr_grower_limit(cpu, 0, (size_t)1 << 26);
                gr_grower_limit(grower, 0, 0);
            }
            grow_both(cpu, grower, &s.round);
            assert_int_equal(grower->histograms.count,
                             round < 3 ? cases[i].slots : cases[i].wide_slots);
            emulated_room = (uint64_t)1 << (round % 2 ? 10 : 30);
            emulated_largest = 0;
        }
        emulated_room = (uint64_t)1 << 26;
        emulated_largest = UINT64_MAX;
        gr_grower_free(cpu);
        gr_grower_free(grower);
    }
    free_data(&d);
}

/* The device rounds gradients with the scales of the last round before it knows whether they are right:
 * rounds of smaller and much larger gradients. */
static void test_changing_scales(void **state)
{
    static const float factors[] = { 1, 1, 1000, 1000, 1e-3f, 1e25f, 1, 1e-30f, 1 };
    data d = make_data(SMOOTH, 0);
    const settings s = settings_of(&d, 12);
    gr_grower *cpu = make_grower(&d, &s, NULL), *grower = make_grower(&d, &s, &emulated_device);
    float *gradients = gr_new_array(ROWS, sizeof *gradients);
    gr_grown expected, found;

    (void)state;
    for (uint64_t i = 0; i < sizeof factors / sizeof *factors; i++) {
        gr_round round = s.round;

        round.round = i;
        round.unit = i % 2;
        for (size_t r = 0; r < ROWS; r++)
            gradients[r] = d.gradients[r] * factors[i];
        round.gradients = gradients;
        if (i == 6) { /* a round that fails comes between */
            gradients[7] = NAN;
            assert_int_equal(gr_grower_begin(grower, &round, NULL), GRADUS_BAD_NUMBER);
            gradients[7] = 1;
        }
        assert_int_equal(gr_grower_begin(cpu, &round, NULL), GRADUS_OK);
        assert_int_equal(gr_grower_begin(grower, &round, NULL), GRADUS_OK);
        assert_int_equal(gr_grower_grow(cpu, 0, &expected, NULL), GRADUS_OK);
        assert_int_equal(gr_grower_grow(grower, 0, &found, NULL), GRADUS_OK);
        assert_true(expected.leaves > 6 || factors[i] != 1);
        check_same_tree(&found, &expected, ROWS);
    }
    gr_grower_free(cpu);
    gr_grower_free(grower);
    free(gradients);
    free_data(&d);
}

/* Grows the trees of all outputs in the given order, those of the processor in ascending order. */
static void check_outputs(gr_grower *cpu, gr_grower *grower, const gr_round *round, size_t outputs,
                          const size_t *order)
{
    assert_int_equal(gr_grower_begin(grower, round, NULL), GRADUS_OK);
    for (size_t i = 0; i < outputs; i++) {
        gr_grown expected, found;

        /* the processor shares roots, too, so each tree is compared before the next one */
        assert_int_equal(gr_grower_begin(cpu, round, NULL), GRADUS_OK);
        assert_int_equal(gr_grower_grow(cpu, order[i], &expected, NULL), GRADUS_OK);
        assert_int_equal(gr_grower_grow(grower, order[i], &found, NULL), GRADUS_OK);
        assert_true(expected.leaves > 6);
        check_same_tree(&found, &expected, round->count);
    }
}

/* Roots of two outputs are scanned together: an odd number of outputs, trees in any order, samples, and with
 * memory for as many histograms as one tree needs. */
static void test_outputs(void **state)
{
    enum { OUTPUTS = 5 };
    static const size_t orders[][OUTPUTS] = { { 0, 1, 2, 3, 4 },
                                              { 1, 0, 0, 1, 2 },
                                              { 4, 3, 2, 1, 0 },
                                              { 0, 2, 1, 3, 3 },
                                              { 2, 3, 2, 3, 4 } };
    data d = make_data(SMOOTH, 0);
    settings s = settings_of(&d, 12);
    float *gradients = gr_new_array(OUTPUTS * ROWS, sizeof *gradients);
    float *hessians = gr_new_array(OUTPUTS * ROWS, sizeof *hessians);

    (void)state;
    for (size_t i = 0; i < OUTPUTS * ROWS; i++)
        hessians[i] = d.hessians[i % ROWS];
    for (size_t i = 0; i < OUTPUTS * ROWS; i++)
        gradients[i] =
            d.gradients[(i + 37 * (i / ROWS)) % ROWS] + (float)(i / ROWS) * d.weights[i % ROWS];
    for (unsigned bits = 0; bits < 4; bits++) {
        gr_grower *cpu = gr_grower_new(&d.bins, OUTPUTS, &s.options, NULL, NULL, NULL);
        gr_grower *grower = gr_grower_new(&d.bins, OUTPUTS, &s.options, NULL, NULL, NULL);

        assert_non_null(cpu);
        assert_non_null(grower);
        assert_int_equal(gr_grower_use_device(grower, &emulated_device, 0, NULL), GRADUS_OK);
        gr_grower_limit(cpu, bits & 1 ? 0 : GR_NARROW_ROWS, (size_t)1 << 26);
        gr_grower_limit(grower, bits & 1 ? 0 : GR_NARROW_ROWS, 0);
        s.round.gradients = gradients;
        s.round.hessians = hessians;
        s.round.rows = bits & 2 ? d.sample : NULL;
        s.round.count = bits & 2 ? d.sampled : ROWS;
        for (size_t i = 0; i < sizeof orders / sizeof *orders; i++) {
            emulated_order_use((thread_order)(i % THREAD_ORDERS));
            s.round.round = i / 2; /* the same and other random bits */
            check_outputs(cpu, grower, &s.round, OUTPUTS, orders[i]);
        }
        gr_grower_free(cpu);
        gr_grower_free(grower);
    }
    free(gradients);
    free(hessians);
    free_data(&d);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_chooses_all),     cmocka_unit_test(test_settings),
        cmocka_unit_test(test_equal_gains),     cmocka_unit_test(test_early_ends),
        cmocka_unit_test(test_bad_choices),     cmocka_unit_test(test_few_histograms),
        cmocka_unit_test(test_changing_scales), cmocka_unit_test(test_histograms_kept),
        cmocka_unit_test(test_outputs),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
