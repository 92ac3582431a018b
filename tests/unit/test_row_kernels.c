/* SPDX-License-Identifier: Apache-2.0 */
/* The kernels of dense and sparse rows against sums from their definitions. */
#include "checks.h"

#include "kernels/axpy.h"
#include "learners/sgd/sgd_random.h"

#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

enum { MAX = 140, ROOM = 144 };

static float number(uint64_t stream, uint64_t place)
{
    return (float)((double)(int64_t)gr_sgd_random(stream, place) * 0x1p-61);
}

static void fill(float *row, size_t count, uint64_t stream, bool holes)
{
    for (size_t i = 0; i < count; i++)
        row[i] = number(stream, i);
    for (size_t i = stream % 3; holes && i < count; i += 5)
        row[i] = i % 2 ? NAN : -INFINITY;
}

static void test_dense_kernels(void **state)
{
    const gr_double_rows *kernels = gr_double_rows_here();
    float a[MAX], b[MAX];
    double w[ROOM] = { 0 }, dot = 0.0, pair = 0.0, before = 0.0, after = 0.0, growth;

    (void)state;
    fill(a, MAX, 1, true);
    fill(b, MAX, 2, true);
    for (size_t i = 0; i < MAX; i++) {
        const double x = isfinite(a[i]) ? (double)a[i] : 0.0,
                     y = isfinite(b[i]) ? (double)b[i] : 0.0;

        w[i] = (double)number(3, i);
        dot += x * w[i];
        pair += (x - y) * w[i];
        before += w[i] * w[i];
        after += (w[i] + 2.5 * (x - y)) * (w[i] + 2.5 * (x - y));
    }
    CHECK_NEAR(kernels->careful_dot(a, w, MAX), dot, 1e-10);
    CHECK_NEAR(kernels->careful_dot_pair(a, b, w, MAX), pair, 1e-10);
    growth = kernels->careful_add_pair(a, b, 2.5, w, MAX);
    CHECK_NEAR(growth, after - before, 1e-8);
}

/* A sparse row is a dense one without its zeros. */
static void test_sparse_kernels(void **state)
{
    const gr_double_rows *kernels = gr_double_rows_here();
    float values[MAX] = { 0 }, entries[MAX];
    uint32_t columns[MAX];
    double w[ROOM] = { 0 }, other[ROOM];

    (void)state;
    for (size_t count = 0; count < 40; count++) {
        const gr_row_values row = { entries, columns, count };

        memset(values, 0, sizeof values);
        for (size_t i = 0; i < count; i++) {
            columns[i] = (uint32_t)(3 * i + i % 3);
            entries[i] = values[columns[i]] = number(6, i);
        }
        for (size_t i = 0; i < MAX; i++)
            other[i] = w[i] = (double)number(7, i);
        memset(other + MAX, 0, (ROOM - MAX) * sizeof *other);
        CHECK_NEAR(kernels->sparse_dot(&row, w), kernels->dot(values, w, MAX), 1e-12);
        CHECK_NEAR(kernels->sparse_add(&row, 1.5, w), kernels->add(values, 1.5, other, MAX), 1e-11);
        assert_memory_equal(w, other, sizeof w);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_dense_kernels),
        cmocka_unit_test(test_sparse_kernels),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
