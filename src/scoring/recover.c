/* SPDX-License-Identifier: Apache-2.0 */
/* Solves the quadratic program of recover.h. For distributions, sum (P_l - s_l)^2 / s_l = sum P_l^2
 * / s_l - 1, so the objective is P'QP with Q positive definite. Its minimum is v / sum v for the v
 * >= 0 that minimises v'Qv / 2 - sum v. The active-set method solves for the free variables, moves
 * there until a variable would become negative and fixes that one at 0; when none does, it frees a
 * fixed variable with a negative derivative. */
#include "scoring/recover.h"

#include "base/cholesky.h"

#include <math.h>

enum { MAX = GR_SOLVED_LEVELS };

#define LEAST_SHARE 1e-12     /* for grades that only rows of weight 0 have */
#define ZERO_DERIVATIVE 1e-12 /* the derivatives at v = 0 are -1 */

typedef struct program {
    size_t levels;
    double q[MAX][MAX];
    bool is_free[MAX];
} program;

static double clamped(double x)
{
    return x > 0.0 ? (x < 1.0 ? x : 1.0) : 0.0;
}

/* Adds the square of the equation a'v = 0 to the objective. */
static void add_equation(program *p, const double *a)
{
    for (size_t i = 0; i < p->levels; i++)
        for (size_t j = 0; j < p->levels; j++)
            p->q[i][j] += a[i] * a[j];
}

static void pose(program *p, const double *weights, const double *shares, const double *above,
                 size_t stride)
{
    const size_t levels = p->levels;

    for (size_t i = 0; i < levels; i++) {
        for (size_t j = 0; j < levels; j++)
            p->q[i][j] = 0.0;
        p->q[i][i] = GR_PRIOR_WEIGHT / fmax(shares[i], LEAST_SHARE);
    }
    for (size_t k = 0; k + 1 < levels; k++) {
        const double *w = weights + k * levels, output = clamped(above[k * stride]);
        double a[MAX], mean = 0.0;

        for (size_t l = 0; l < levels; l++)
            mean += w[l] * shares[l];
        for (size_t l = 0; l < levels; l++)
            a[l] = w[l] / mean * ((l > k ? 1.0 : 0.0) - output);
        if (mean > 0.0) /* else no training row defines the output */
            add_equation(p, a);
    }
}

/* Solves for the free variables by Cholesky decomposition; the others are 0. */
static void solve_free(const program *p, double *solution)
{
    double lower[MAX * MAX], y[MAX];
    size_t places[MAX], count = 0;

    for (size_t l = 0; l < p->levels; l++) {
        solution[l] = 0.0;
        if (p->is_free[l])
            places[count++] = l;
    }
    for (size_t i = 0; i < count; i++) {
        y[i] = 1.0;
        for (size_t j = 0; j <= i; j++)
            lower[i * count + j] = p->q[places[i]][places[j]];
    }
    if (gr_cholesky_factor(lower, count, 0.0, NULL))
        gr_cholesky_solve(lower, count, y);
    for (size_t i = 0; i < count; i++)
        solution[places[i]] = y[i];
}

/* Moves v towards the solution until a variable becomes 0, and fixes it. False: reached the
 * solution. */
static bool stop_at_zero(program *p, const double *solution, double *v)
{
    size_t stop = p->levels;
    double step = 1.0;

    for (size_t l = 0; l < p->levels; l++)
        /* NOLINTNEXTLINE(clang-analyzer-core.UndefinedBinaryOperatorResult): both are set */
        if (solution[l] < 0.0 && v[l] / (v[l] - solution[l]) < step) {
            step = v[l] / (v[l] - solution[l]);
            stop = l;
        }
    for (size_t l = 0; l < p->levels; l++)
        /* NOLINTNEXTLINE(clang-analyzer-core.UndefinedBinaryOperatorResult): both are set */
        v[l] += step * (solution[l] - v[l]);
    if (stop == p->levels)
        return false;
    v[stop] = 0.0;
    p->is_free[stop] = false;
    return true;
}

/* Frees the fixed variable with the most negative derivative. False: no such variable. */
static bool free_one(program *p, const double *v)
{
    size_t best = p->levels;
    double least = -ZERO_DERIVATIVE;

    for (size_t l = 0; l < p->levels; l++) {
        double derivative = -1.0;

        for (size_t j = 0; j < p->levels; j++)
            derivative += p->q[l][j] * v[j];
        if (!p->is_free[l] && derivative < least) {
            least = derivative;
            best = l;
        }
    }
    if (best == p->levels)
        return false;
    p->is_free[best] = true;
    return true;
}

void gr_recover_probabilities(size_t levels, const double *weights, const double *shares,
                              const double *above, size_t stride, double *probabilities)
{
    program p;
    double v[MAX], solution[MAX], sum = 0.0;

    p.levels = levels;
    pose(&p, weights, shares, above, stride);
    for (size_t l = 0; l < levels; l++) {
        p.is_free[l] = true;
        v[l] = fmax(shares[l], LEAST_SHARE);
    }
    /* One step if no variable becomes 0, otherwise a few. The bound guards against cycling by
     * rounding. */
    for (size_t i = 0; i < 4 * levels; i++) {
        solve_free(&p, solution);
        if (!stop_at_zero(&p, solution, v) && !free_one(&p, v))
            break;
    }
    for (size_t l = 0; l < levels; l++)
        sum += v[l] = fmax(v[l], 0.0);
    for (size_t l = 0; l < levels; l++)
        probabilities[l] = v[l] / sum;
}
