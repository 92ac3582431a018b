/* SPDX-License-Identifier: Apache-2.0 */
/* Kernel functions between rows, and kernel machines. */
#include "checks.h"

#include "base/math.h"
#include "base/rng.h"
#include "learners/kernel/kernel.h"

#include <stdlib.h>
#include <string.h>

enum { ROWS = 43, FEATURES = 11 };

/* Values of which every third is 0, dense and sparse. */
typedef struct table {
    float values[ROWS * FEATURES], entries[ROWS * FEATURES], labels[ROWS];
    uint64_t starts[ROWS + 1];
    uint32_t columns[ROWS * FEATURES];
    gradus_dataset *dense, *sparse;
} table;

static table *make_table(bool missing)
{
    gr_rng rng = gr_rng_for(5, "table", 0);
    table *t = calloc(1, sizeof *t);
    uint64_t count = 0;

    for (size_t r = 0; r < ROWS; r++) {
        for (size_t f = 0; f < FEATURES; f++) {
            float value = (r + f) % 3 ? (float)gr_rng_normal(&rng) : 0.0f;

            if (missing && r % 7 == 1 && f == r % FEATURES && value != 0.0f)
                value = NAN;
            t->values[r * FEATURES + f] = value;
            if (value == 0.0f)
                continue;
            t->columns[count] = (uint32_t)f;
            t->entries[count++] = value;
        }
        t->starts[r + 1] = count;
    }
    const gradus_arrays dense = { .rows = ROWS,
                                  .features = FEATURES,
                                  .values = t->values,
                                  .stride = FEATURES,
                                  .labels = t->labels };
    const gradus_arrays sparse = { .rows = ROWS,
                                   .features = FEATURES,
                                   .row_starts = t->starts,
                                   .columns = t->columns,
                                   .entries = t->entries,
                                   .labels = t->labels };

    t->dense = gradus_dataset_borrow(&dense, NULL);
    t->sparse = gradus_dataset_borrow(&sparse, NULL);
    assert_non_null(t->dense);
    assert_non_null(t->sparse);
    return t;
}

static void end_table(table *t)
{
    gradus_dataset_free(t->dense);
    gradus_dataset_free(t->sparse);
    free(t);
}

static gr_kernel_rows rows_of(const gradus_dataset *data)
{
    gr_spread spreads[FEATURES];
    gr_kernel_rows made;

    assert_int_equal(gr_spread_all(data, spreads, NULL, NULL), GRADUS_OK);
    assert_int_equal(gr_kernel_rows_of(data, NULL, ROWS, spreads, &made, NULL), GRADUS_OK);
    return made;
}

static void test_dots_have_the_bits_of_the_reference(void **state)
{
    static const size_t froms[] = { 0, 8, 32 }, tos[] = { ROWS, 16, 40 };
    table *t = make_table(false);
    double left[FEATURES * GR_DOT], wanted[GR_DOT * 48], found[GR_DOT * 48];

    (void)state;
    for (size_t i = 0; i < FEATURES * GR_DOT; i++)
        left[i] = (double)t->values[i];
    for (size_t sparse = 0; sparse < 2; sparse++) {
        gr_kernel_rows rows = rows_of(sparse ? t->sparse : t->dense);
        const gr_dot_rows right = gr_kernel_dots(&rows);

        assert_int_equal(rows.strips == NULL, sparse);
        for (size_t r = 0; sparse && r < ROWS;
             r++) { /* sparse and dense rows give the same value */
            const size_t first = (size_t)t->starts[r], count = (size_t)t->starts[r + 1] - first;
            const double dot = gr_dot_plain.dot(left, t->values + r * FEATURES, FEATURES);
            gr_dot_entry together[FEATURES];

            for (size_t e = 0; e < count; e++)
                together[e] = (gr_dot_entry){ t->columns[first + e], t->entries[first + e] };
            assert_true(gr_dot_sparse(left, t->columns + first, t->entries + first, count) == dot);
            assert_true(gr_dot_entries(left, together, count) == dot);
        }
        for (size_t c = 0; c < 3; c++) {
            memcpy(wanted, left, FEATURES * sizeof *left);
            memcpy(found, left, FEATURES * sizeof *left);
            gr_dot_plain.add(wanted, t->values + c * FEATURES, 0.3, FEATURES);
            gr_dot_here()->add(found, t->values + c * FEATURES, 0.3, FEATURES);
            assert_memory_equal(found, wanted, FEATURES * sizeof *left);
            assert_true(gr_dot_here()->dot(left, t->values + c * FEATURES, FEATURES) ==
                        gr_dot_plain.dot(left, t->values + c * FEATURES, FEATURES));
            memset(wanted, 0, sizeof wanted);
            memset(found, 0, sizeof found);
            gr_dot_plain.one(left, &right, froms[c], tos[c], wanted);
            gr_dot_here()->one(left, &right, froms[c], tos[c], found);
            assert_memory_equal(found, wanted, sizeof wanted);
            gr_dot_plain.all(left, &right, froms[c], tos[c], wanted, 48);
            gr_dot_here()->all(left, &right, froms[c], tos[c], found, 48);
            assert_memory_equal(found, wanted, sizeof wanted);
        }
        gr_kernel_rows_free(&rows);
    }
    end_table(t);
}

static double plain_kernel(const gr_kernel *kernel, const float *x, const float *z)
{
    double dot = 0.0, distance = 0.0;

    for (size_t f = 0; f < FEATURES; f++) {
        dot += (double)x[f] * (double)z[f];
        distance += ((double)x[f] - (double)z[f]) * ((double)x[f] - (double)z[f]);
    }
    if (kernel->kind == GR_KERNEL_GAUSSIAN)
        return exp(-distance / (2.0 * kernel->bandwidth * kernel->bandwidth));
    return kernel->kind == GR_KERNEL_LINEAR ? dot
                                            : pow(dot + kernel->coef0, (double)kernel->degree);
}

static void test_kernels_are_what_their_formulas_say(void **state)
{
    table *t = make_table(false);
    gr_kernel_rows rows = rows_of(t->dense);
    double left[FEATURES], out[48], *scratch = calloc(gr_kernel_scratch(&rows), sizeof(double));
    double block[GR_DOT * 48];

    (void)state;
    for (int kind = GR_KERNEL_GAUSSIAN; kind <= GR_KERNEL_LINEAR; kind++) {
        const gr_kernel kernel = { kind, 1.7, 5, 0.5 };

        for (size_t i = 0; i < ROWS; i++) {
            gr_kernel_row_fill(&rows, i, left);
            gr_kernel_one(&kernel, &rows, left, rows.squares[i], 0, ROWS, out);
            for (size_t r = 0; r < ROWS; r++) {
                const double wanted =
                    plain_kernel(&kernel, t->values + i * FEATURES, t->values + r * FEATURES);

                CHECK_NEAR(out[r], wanted, 1e-10 * (1.0 + fabs(wanted)));
            }
            if (kind == GR_KERNEL_GAUSSIAN)
                assert_true(out[i] == 1.0);
            /* in a block of 1 to 8 rows: the same bits */
            gr_kernel_block(&kernel, &rows, t->values + i * FEATURES,
                            ROWS - i < GR_DOT ? ROWS - i : GR_DOT, FEATURES, 0, ROWS, block, 48,
                            scratch);
            assert_memory_equal(block, out, ROWS * sizeof *out);
        }
    }
    free(scratch);
    gr_kernel_rows_free(&rows);
    end_table(t);
}

static gradus_status choose(const char *bandwidth, const gr_spread *spreads, gr_kernel *kernel,
                            gradus_error *err)
{
    const gr_kernel_options options = { GR_KERNEL_GAUSSIAN, bandwidth, 3, 1.0 };

    return gr_kernel_choose(&options, spreads, 2, kernel, err);
}

static void test_bandwidth_is_a_number_above_0_or_follows_the_variances(void **state)
{
    static const char *const bad[] = { "0", "-1", "nan", "inf", "1e200", "wide", "", "1x" };
    const gr_spread spreads[2] = { { .count = 4, .squares = 8 }, { .count = 4, .squares = 64 } };
    const gr_spread constant[2] = { { .count = 4 }, { .count = 4 } };
    gr_kernel kernel;
    gradus_error err;

    (void)state;
    assert_int_equal(choose("auto", spreads, &kernel, &err), GRADUS_OK);
    CHECK_NEAR(kernel.bandwidth, 3.0, 1e-15); /* the root of (2 + 16) / 2 */
    assert_int_equal(choose("auto", constant, &kernel, &err), GRADUS_OK);
    CHECK_NEAR(kernel.bandwidth, 1.0, 0.0);
    assert_int_equal(choose("0.25", spreads, &kernel, &err), GRADUS_OK);
    CHECK_NEAR(kernel.bandwidth, 0.25, 0.0);
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        assert_int_equal(choose(bad[i], spreads, &kernel, &err), GRADUS_BAD_ARGUMENT);
        assert_non_null(strstr(err.message, "'bandwidth' must be a number above 0"));
    }
}

static gr_machine make_machine(const gradus_dataset *data, int kind)
{
    gr_machine machine = { .kernel = { kind, 2.0, 2, 1.0 }, .rows = rows_of(data), .outputs = 2 };

    machine.bases = calloc(2, sizeof(double));
    machine.coefficients = calloc(2 * ROWS, sizeof(double));
    machine.bases[1] = -3.0;
    for (size_t r = 0; r < 2 * ROWS; r++)
        machine.coefficients[r] = sin((double)r);
    return machine;
}

static void test_a_machine_adds_up_its_kernels_dense_or_sparse(void **state)
{
    static const size_t threads[] = { 1, 2, 3, 8 };
    table *t = make_table(true);

    (void)state;
    for (int kind = GR_KERNEL_GAUSSIAN; kind <= GR_KERNEL_LINEAR; kind++) {
        gr_machine dense = make_machine(t->dense, kind), sparse = make_machine(t->sparse, kind);
        double sums[3][2 * ROWS] = { { 0.0 } }, filled[FEATURES], row[48];

        for (size_t i = 0; i < 4; i++) {
            gr_pool *pool = gr_pool_new(threads[i], NULL);

            memset(sums, 0, sizeof sums);
            assert_int_equal(gr_machine_add(&dense, t->dense, sums[0], pool, NULL), GRADUS_OK);
            assert_int_equal(gr_machine_add(&sparse, t->sparse, sums[1], pool, NULL), GRADUS_OK);
            assert_int_equal(gr_machine_add(&dense, t->sparse, sums[2], pool, NULL), GRADUS_OK);
            gr_pool_free(pool);
            assert_memory_equal(sums[0], sums[2], sizeof sums[0]);
            assert_memory_equal(sums[0], sums[1], sizeof sums[0]);
        }
        for (size_t r = 0; r < ROWS; r++) {
            double wanted[2] = { 0.0, -3.0 };

            gr_kernel_row_fill(&dense.rows, r, filled); /* missing values are replaced by means */
            gr_kernel_one(&dense.kernel, &dense.rows, filled, dense.rows.squares[r], 0, ROWS, row);
            for (size_t i = 0; i < 2 * ROWS; i++)
                wanted[i / ROWS] += dense.coefficients[i] * row[i % ROWS];
            CHECK_NEAR(sums[0][r], wanted[0], 1e-11 * (1.0 + fabs(wanted[0])));
            CHECK_NEAR(sums[0][ROWS + r], wanted[1], 1e-11 * (1.0 + fabs(wanted[1])));
        }
        gr_machine_free(&dense);
        gr_machine_free(&sparse);
    }
    end_table(t);
}

static void test_rows_are_mapped_to_kernels_with_some(void **state)
{
    static const uint32_t numbers[] = { 3, 0, 40 };
    const gr_kernel kernel = { GR_KERNEL_GAUSSIAN, 1.5, 3, 1.0 };
    table *t = make_table(false);
    gr_kernel_rows all[2] = { rows_of(t->dense), rows_of(t->sparse) }, few;
    float out[2][ROWS * 3];

    (void)state;
    for (size_t sparse = 0; sparse < 2; sparse++) {
        gr_pool *pool = gr_pool_new(1 + sparse, NULL);

        assert_int_equal(gr_kernel_rows_pick(&all[sparse], numbers, 3, &few, NULL), GRADUS_OK);
        assert_int_equal(
            gr_kernel_map(&kernel, &few, sparse ? t->sparse : t->dense, out[sparse], pool, NULL),
            GRADUS_OK);
        gr_kernel_rows_free(&few);
        gr_kernel_rows_free(&all[sparse]);
        gr_pool_free(pool);
    }
    assert_memory_equal(out[0], out[1], sizeof out[0]);
    for (size_t r = 0; r < ROWS; r++)
        for (size_t i = 0; i < 3; i++)
            CHECK_NEAR(
                (double)out[0][r * 3 + i],
                plain_kernel(&kernel, t->values + r * FEATURES, t->values + numbers[i] * FEATURES),
                1e-7);
    end_table(t);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_dots_have_the_bits_of_the_reference),
        cmocka_unit_test(test_kernels_are_what_their_formulas_say),
        cmocka_unit_test(test_bandwidth_is_a_number_above_0_or_follows_the_variances),
        cmocka_unit_test(test_a_machine_adds_up_its_kernels_dense_or_sparse),
        cmocka_unit_test(test_rows_are_mapped_to_kernels_with_some),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
