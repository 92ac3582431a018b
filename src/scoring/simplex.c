/* SPDX-License-Identifier: Apache-2.0 */
/* Projections onto the probability simplex, and exact solution for weighted outputs. */
#include "scoring/simplex.h"

#include "base/math.h"
#include "objectives/problem.h"

#include <math.h>
#include <string.h>

static void sort_descending(double *values, size_t count)
{
    for (size_t i = 1; i < count; i++) {
        const double value = values[i];
        size_t j = i;

        for (; j > 0 && values[j - 1] < value; j--)
            values[j] = values[j - 1];
        values[j] = value;
    }
}

static void share_alike(double *values, size_t count)
{
    for (size_t i = 0; i < count; i++)
        values[i] = 1.0 / (double)count;
}

/* The amount to subtract from each value so that those that stay positive sum to 1 (Held, Wolfe and
 * Crowder, 1974). */
static double excess(const double *values, size_t count)
{
    double sorted[GR_MAX_LEVELS], sum = 0.0, shift = 0.0;

    memcpy(sorted, values, count * sizeof *sorted);
    sort_descending(sorted, count);
    for (size_t i = 0; i < count; i++) {
        sum += sorted[i];
        if (sorted[i] - (sum - 1.0) / (double)(i + 1) > 0.0)
            shift = (sum - 1.0) / (double)(i + 1);
    }
    return shift;
}

void gr_project_to_simplex(double *values, size_t count)
{
    if (!gr_all_finite(values, count)) {
        share_alike(values, count);
        return;
    }
    const double shift = excess(values, count);

    for (size_t i = 0; i < count; i++)
        values[i] = values[i] > shift ? values[i] - shift : 0.0;
}

/* The nearest non-increasing sequence (least squares): an element above the previous one joins its
 * block, and each block takes its mean (Ayer and others, 1955). */
static void pool(double *sequence, size_t count)
{
    double means[GR_MAX_LEVELS];
    size_t sizes[GR_MAX_LEVELS], blocks = 0, at = 0;

    for (size_t i = 0; i < count; i++) {
        /* NOLINTNEXTLINE(clang-analyzer-core.uninitialized.Assign): the caller set all */
        double mean = sequence[i];
        size_t size = 1;

        for (; blocks > 0 && means[blocks - 1] < mean; blocks--) {
            const size_t before = sizes[blocks - 1];

            mean = (mean * (double)size + means[blocks - 1] * (double)before) /
                   (double)(size + before);
            size += before;
        }
        means[blocks] = mean;
        sizes[blocks++] = size;
    }
    for (size_t b = 0; b < blocks; b++)
        for (size_t i = 0; i < sizes[b]; i++)
            sequence[at++] = means[b];
}

void gr_pool_to_simplex(double *values, size_t count)
{
    double above[GR_MAX_LEVELS], sum = 0.0;

    if (!gr_all_finite(values, count)) {
        share_alike(values, count);
        return;
    }
    for (size_t l = count; l-- > 1;)
        above[l - 1] = sum += values[l];
    pool(above, count - 1);
    for (size_t l = 0; l < count; l++) {
        const double reached = l > 0 ? fmin(1.0, fmax(0.0, above[l - 1])) : 1.0;
        const double passed = l + 1 < count ? fmin(1.0, fmax(0.0, above[l])) : 0.0;

        values[l] = reached - passed;
    }
}

typedef double matrix[GR_SOLVED_LEVELS][GR_SOLVED_LEVELS + 1];

/* Gaussian elimination with partial pivoting. */
static bool eliminate(matrix m, size_t size)
{
    for (size_t c = 0; c < size; c++) {
        size_t best = c;

        for (size_t r = c + 1; r < size; r++)
            if (fabs(m[r][c]) > fabs(m[best][c]))
                best = r;
        if (!(fabs(m[best][c]) > 1e-300) || !isfinite(m[best][c]))
            return false;
        for (size_t j = c; best != c && j <= size; j++) {
            const double kept = m[c][j];

            m[c][j] = m[best][j];
            m[best][j] = kept;
        }
        for (size_t r = c + 1; r < size; r++) {
            const double factor = m[r][c] / m[c][c];

            for (size_t j = c; j <= size; j++)
                m[r][j] -= factor * m[c][j];
        }
    }
    return true;
}

/* Rows are scaled by their largest weight, so that the scale of the costs does not matter. */
static void pose(matrix m, size_t levels, const double *weights, const double *above, size_t stride)
{
    for (size_t k = 0; k + 1 < levels; k++) {
        const double *row = weights + k * levels;
        double largest = 0.0;

        for (size_t l = 0; l < levels; l++)
            largest = row[l] > largest ? row[l] : largest;
        for (size_t l = 0; l < levels; l++)
            m[k][l] = row[l] / largest * ((l > k ? 1.0 : 0.0) - above[k * stride]);
        m[k][levels] = 0.0;
    }
    for (size_t l = 0; l <= levels; l++)
        m[levels - 1][l] = 1.0;
}

bool gr_solve_shares(size_t levels, const double *weights, const double *above, size_t stride,
                     double *shares)
{
    matrix m;

    pose(m, levels, weights, above, stride);
    if (!eliminate(m, levels))
        return false;
    for (size_t r = levels; r-- > 0;) {
        double sum = m[r][levels];

        for (size_t j = r + 1; j < levels; j++)
            sum -= m[r][j] * shares[j];
        shares[r] = sum / m[r][r];
    }
    return gr_all_finite(shares, levels);
}
