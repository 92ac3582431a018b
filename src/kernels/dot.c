/* SPDX-License-Identifier: Apache-2.0 */
/* Dot products between rows: the plain versions and the sparse ones; dot_body.h has the rest. */
#include "kernels/dot.h"

static double plain_value(const gr_dot_rows *rows, size_t r, size_t f)
{
    if (rows->strips)
        return (double)rows->strips[(r / GR_DOT * rows->features + f) * GR_DOT + r % GR_DOT];
    for (uint64_t e = rows->starts[r]; e < rows->starts[r + 1]; e++)
        if (rows->columns[e] == f)
            return (double)rows->entries[e];
    return 0.0;
}

static double plain_dot(const double *left, size_t step, const gr_dot_rows *right, size_t r)
{
    double sum = 0.0;

    for (size_t f = 0; f < right->features; f++)
        sum += left[f * step] * plain_value(right, r, f);
    return sum;
}

/* Whole strips are written for dense rows. */
static size_t end_of(const gr_dot_rows *right, size_t to)
{
    return right->strips ? (to + GR_DOT - 1) / GR_DOT * GR_DOT : to;
}

static void plain_one(const double *left, const gr_dot_rows *right, size_t from, size_t to,
                      double *dots)
{
    for (size_t r = from; r < end_of(right, to); r++)
        dots[r - from] = plain_dot(left, 1, right, r);
}

static void plain_all(const double *left, const gr_dot_rows *right, size_t from, size_t to,
                      double *dots, size_t stride)
{
    for (size_t i = 0; i < GR_DOT; i++)
        for (size_t r = from; r < end_of(right, to); r++)
            dots[i * stride + r - from] = plain_dot(left + i, GR_DOT, right, r);
}

static double add_lanes(const double *lanes)
{
    return ((lanes[0] + lanes[4]) + (lanes[2] + lanes[6])) +
           ((lanes[1] + lanes[5]) + (lanes[3] + lanes[7]));
}

static double plain_row_dot(const double *left, const float *row, size_t features)
{
    double lanes[GR_DOT] = { 0.0 };

    for (size_t f = 0; f < features; f++)
        lanes[f % GR_DOT] += left[f] * (double)row[f];
    return add_lanes(lanes);
}

double gr_dot_sparse(const double *left, const uint32_t *columns, const float *entries,
                     size_t count)
{
    double lanes[GR_DOT] = { 0.0 };

    for (size_t e = 0; e < count; e++)
        lanes[columns[e] % GR_DOT] += left[columns[e]] * (double)entries[e];
    return add_lanes(lanes);
}

double gr_dot_entries(const double *left, const gr_dot_entry *row, size_t count)
{
    double lanes[GR_DOT] = { 0.0 };

    for (size_t e = 0; e < count; e++)
        lanes[row[e].column % GR_DOT] += left[row[e].column] * (double)row[e].value;
    return add_lanes(lanes);
}

static void plain_add(double *sums, const float *row, double by, size_t features)
{
    for (size_t f = 0; f < features; f++)
        sums[f] += by * (double)row[f];
}

const gr_dot_kernels gr_dot_plain = { plain_one, plain_all, plain_row_dot, plain_add };

static void sparse_one(const double *left, const gr_dot_rows *right, size_t from, size_t to,
                       double *dots)
{
    for (size_t r = from; r < to; r++) {
        double sum = 0.0;

        for (uint64_t e = right->starts[r]; e < right->starts[r + 1]; e++)
            sum += left[right->columns[e]] * (double)right->entries[e];
        dots[r - from] = sum;
    }
}

#define BODY "kernels/dot_body.h"
#include "kernels/every_version.h"

const gr_dot_kernels *const gr_dot_versions[GR_VERSIONS] = GR_EVERY_VERSION(&kernels);
