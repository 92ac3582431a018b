/* SPDX-License-Identifier: Apache-2.0 */
/* Logistic regression on few columns by Newton's method with step halving. */
#include "calibration/calibration.h"

#include "base/cholesky.h"
#include "base/math.h"

#include <math.h>
#include <string.h>

enum { SIZE = GR_LOGISTIC_MAX + 1, STEPS = 100, HALVINGS = 40 };

typedef struct logistic {
    const double *const *columns;
    size_t n; /* columns, without the constant */
    const double *targets, *weights;
    size_t rows;
} logistic;

static double linear(const logistic *l, const double *beta, size_t r)
{
    double sum = beta[l->n];

    for (size_t c = 0; c < l->n; c++)
        sum += beta[c] * l->columns[c][r];
    return sum;
}

/* log(1 + e^x), without overflow. */
static double softplus(double x)
{
    return x > 0.0 ? x + gr_log(1.0 + gr_exp(-x)) : gr_log(1.0 + gr_exp(x));
}

static double loss(const logistic *l, const double *beta)
{
    double sum = 0.0;

    for (size_t r = 0; r < l->rows; r++) {
        const double f = linear(l, beta, r);

        sum += (l->weights ? l->weights[r] : 1.0) * (softplus(f) - l->targets[r] * f);
    }
    return sum;
}

static void derivatives(const logistic *l, const double *beta, double *gradient, double *hessian)
{
    const size_t size = l->n + 1;

    memset(gradient, 0, SIZE * sizeof *gradient);
    memset(hessian, 0, size * size * sizeof *hessian);
    for (size_t r = 0; r < l->rows; r++) {
        const double p = 1.0 / (1.0 + gr_exp(-linear(l, beta, r)));
        const double weight = l->weights ? l->weights[r] : 1.0;

        for (size_t i = 0; i < size; i++) {
            const double x = i < l->n ? l->columns[i][r] : 1.0;

            gradient[i] += weight * (p - l->targets[r]) * x;
            for (size_t j = 0; j <= i; j++)
                hessian[i * size + j] +=
                    weight * p * (1.0 - p) * x * (j < l->n ? l->columns[j][r] : 1.0);
        }
    }
}

/* Solves hessian * step = gradient, with a ridge for nearly singular matrices; false if it fails. */
static bool solve(double *hessian, const double *gradient, size_t size, double *step)
{
    for (size_t i = 0; i < size; i++)
        hessian[i * size + i] += 1e-10 * hessian[i * size + i] + 1e-12;
    memcpy(step, gradient, size * sizeof *step);
    if (!gr_cholesky_factor(hessian, size, 0.0, NULL))
        return false;
    gr_cholesky_solve(hessian, size, step);
    return true;
}

gradus_status gr_logistic_fit(const double *const *columns, size_t n, const double *targets,
                              const double *weights, size_t rows, gr_pool *asked, double *beta,
                              gradus_error *err)
{
    const logistic l = { columns, n, targets, weights, rows };
    double value, gradient[SIZE], hessian[SIZE * SIZE], step[SIZE], next[SIZE];

    memset(beta, 0, (n + 1) * sizeof *beta);
    value = loss(&l, beta);
    for (int i = 0; i < STEPS && !gr_pool_cancelled(asked); i++) {
        double share = 1.0, found = INFINITY;

        derivatives(&l, beta, gradient, hessian);
        if (!solve(hessian, gradient, n + 1, step))
            break;
        for (int h = 0; h < HALVINGS && !(found < value); h++, share *= 0.5) {
            for (size_t k = 0; k <= n; k++)
                next[k] = beta[k] - share * step[k];
            found = loss(&l, next);
        }
        if (!(found < value))
            break;
        memcpy(beta, next, (n + 1) * sizeof *beta);
        const bool done = value - found <= 1e-13 * (1.0 + fabs(found));

        value = found;
        if (done)
            break;
    }
    for (size_t k = 0; k <= n; k++)
        if (!isfinite(beta[k]))
            return gr_fail(err, GRADUS_BAD_NUMBER,
                           "the coefficients of a logistic calibration are not finite");
    return GRADUS_OK;
}
