/* SPDX-License-Identifier: Apache-2.0 */
/* Every version of the row kernels gives the same bits as the portable one, for rows of all
 * lengths. */
#include "check.h"

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

/* Rows end where their memory does, so that the address sanitizer detects overruns. */
#define CHECK_VERSIONS(real, table, versions)                                                      \
    for (size_t count = 0; count <= MAX; count++)                                                  \
        for (size_t v = 0; v < gr_versions_here(); v++) {                                          \
            const table *plain = versions[0], *fast = versions[v];                                 \
            float *a = malloc(count * sizeof *a + 1), *b = malloc(count * sizeof *b + 1);          \
            real wanted[ROOM] = { 0 }, found[ROOM];                                                \
            real growth;                                                                           \
                                                                                                   \
            fill(a, count, 1, false);                                                              \
            fill(b, count, 2, false);                                                              \
            for (size_t i = 0; i < count; i++)                                                     \
                wanted[i] = (real)number(3, i);                                                    \
            memcpy(found, wanted, sizeof found);                                                   \
            CHECK_NEAR(fast->dot(a, found, count), plain->dot(a, wanted, count), 0.0);             \
            CHECK_NEAR(fast->dot_pair(a, b, found, count), plain->dot_pair(a, b, wanted, count),   \
                       0.0);                                                                       \
            growth = plain->add(a, (real)0.7, wanted, count);                                      \
            CHECK_NEAR(fast->add(a, (real)0.7, found, count), growth, 0.0);                        \
            growth = plain->add_pair(a, b, (real)-0.3, wanted, count);                             \
            CHECK_NEAR(fast->add_pair(a, b, (real)-0.3, found, count), growth, 0.0);               \
            fill(a, count, 4, true);                                                               \
            fill(b, count, 5, true);                                                               \
            CHECK_NEAR(fast->careful_dot(a, found, count), plain->careful_dot(a, wanted, count),   \
                       0.0);                                                                       \
            CHECK_NEAR(fast->careful_dot_pair(a, b, found, count),                                 \
                       plain->careful_dot_pair(a, b, wanted, count), 0.0);                         \
            growth = plain->careful_add(a, (real)0.7, wanted, count);                              \
            CHECK_NEAR(fast->careful_add(a, (real)0.7, found, count), growth, 0.0);                \
            growth = plain->careful_add_pair(a, b, (real)-0.3, wanted, count);                     \
            CHECK_NEAR(fast->careful_add_pair(a, b, (real)-0.3, found, count), growth, 0.0);       \
            assert_memory_equal(found, wanted, sizeof found);                                      \
            for (size_t i = count; i < ROOM; i++)                                                  \
                CHECK_NEAR(found[i], 0.0, 0.0);                                                    \
            free(a);                                                                               \
            free(b);                                                                               \
        }

static void test_versions_give_the_same_bits(void **state)
{
    (void)state;
    CHECK_VERSIONS(float, gr_float_rows, gr_float_rows_versions)
    CHECK_VERSIONS(double, gr_double_rows, gr_double_rows_versions)
}

/* The portable kernels against sums from the definition. */
static void test_plain_kernels(void **state)
{
    const gr_double_rows *kernels = gr_double_rows_versions[0];
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

#define CHECK_SPARSE(real, versions, row)                                                          \
    for (size_t v = 0; v < gr_versions_here(); v++) {                                              \
        real wanted[ROOM], found[ROOM], growth;                                                    \
                                                                                                   \
        for (size_t i = 0; i < ROOM; i++)                                                          \
            wanted[i] = found[i] = (real)number(8, i);                                             \
        CHECK_NEAR(versions[v]->sparse_dot(row, found), versions[0]->sparse_dot(row, wanted),      \
                   0.0);                                                                           \
        growth = versions[0]->sparse_add(row, (real)0.7, wanted);                                  \
        CHECK_NEAR(versions[v]->sparse_add(row, (real)0.7, found), growth, 0.0);                   \
        assert_memory_equal(found, wanted, sizeof found);                                          \
    }

/* A sparse row is a dense one without its zeros. */
static void test_sparse_kernels(void **state)
{
    const gr_double_rows *kernels = gr_double_rows_versions[0];
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
        CHECK_SPARSE(float, gr_float_rows_versions, &row)
        CHECK_SPARSE(double, gr_double_rows_versions, &row)
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_versions_give_the_same_bits),
        cmocka_unit_test(test_plain_kernels),
        cmocka_unit_test(test_sparse_kernels),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
