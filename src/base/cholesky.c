/* SPDX-License-Identifier: Apache-2.0 */
/* Cholesky decomposition and substitution, with sums in a fixed order. */
#include "base/cholesky.h"

#include <math.h>

bool gr_cholesky_factor(double *a, size_t n, double least, gr_pool *asked)
{
    for (size_t i = 0; i < n; i++) {
        const double diagonal = a[i * n + i];

        if (gr_pool_cancelled(asked))
            return false;
        for (size_t j = 0; j <= i; j++) {
            double sum = a[i * n + j];

            for (size_t k = 0; k < j; k++)
                sum -= a[i * n + k] * a[j * n + k];
            if (i == j && !(sum > least * diagonal && isfinite(sum)))
                return false;
            a[i * n + j] = i == j ? sqrt(sum) : sum / a[j * n + j];
        }
    }
    return true;
}

void gr_cholesky_solve(const double *l, size_t n, double *x)
{
    for (size_t i = 0; i < n; i++) {
        for (size_t k = 0; k < i; k++)
            x[i] -= l[i * n + k] * x[k];
        x[i] /= l[i * n + i];
    }
    for (size_t i = n; i-- > 0;) {
        for (size_t k = i + 1; k < n; k++)
            x[i] -= l[k * n + i] * x[k];
        x[i] /= l[i * n + i];
    }
}
