/* SPDX-License-Identifier: Apache-2.0 */
/* Distribution functions as a prefactor times a series or continued fraction (by Lentz's method).
 * Computed directly, the prefactor is a difference of huge logarithms that loses digits. Here it
 * has Loader's form ("Fast and accurate computation of binomial probabilities", 2000): deviances,
 * which are small where the factor is large, and the error of Stirling's formula. */
#include "base/special.h"

#include "base/math.h"

#include <float.h>
#include <math.h>
#include <stdbool.h>

enum { MAX_STEPS = 2000000 }; /* the steps needed grow as the square root of the parameters */

#define TINY 1e-300
#define TWO_PI 6.283185307179586477
#define HALF_LOG_TWO_PI 0.918938533204672741780

double gr_log_gamma(double x)
{
    int sign;

    return lgamma_r(x, &sign); /* lgamma itself writes a global variable */
}

/* log(gamma(z)) - (z - 1/2) log(z) + z - log(2 pi) / 2 */
static double stirling_error(double z)
{
    const double s = 1.0 / (z * z);

    if (z < 15.0)
        return gr_log_gamma(z) - (z - 0.5) * log(z) + z - HALF_LOG_TWO_PI;
    return (1.0 / 12 -
            s * (1.0 / 360 -
                 s * (1.0 / 1260 -
                      s * (1.0 / 1680 - s * (1.0 / 1188 - s * (691.0 / 360360 - s / 156)))))) /
           z;
}

/* x log(x / m) + m - x, without cancellation when x is near m. */
static double deviance(double x, double m)
{
    const double v = (x - m) / (x + m);
    double sum, term, square;

    if (!(fabs(x - m) < 0.1 * (x + m)))
        return x * log(x / m) + m - x;
    square = v * v;
    sum = (x - m) * v;
    term = 2.0 * x * v;
    for (int j = 3; j < 1000; j += 2) {
        const double before = sum;

        term *= square;
        sum += term / j;
        if (sum == before)
            break;
    }
    return sum;
}

/* x^a e^-x / gamma(a) */
static double gamma_factor(double a, double x)
{
    return sqrt(a / TWO_PI) * exp(-stirling_error(a) - deviance(a, x));
}

static double gamma_series(double a, double x)
{
    double sum = 1.0 / a, term = sum;

    for (int n = 1; n < MAX_STEPS; n++) {
        term *= x / (a + n);
        sum += term;
        if (term < sum * (DBL_EPSILON / 4))
            break;
    }
    return gamma_factor(a, x) * sum;
}

static double not_zero(double x)
{
    return fabs(x) < TINY ? TINY : x;
}

/* Abramowitz and Stegun 6.5.31. */
static double gamma_fraction(double a, double x)
{
    double b = x + 1.0 - a, c = 1.0 / TINY, d = 1.0 / not_zero(b), value = d;

    for (int n = 1; n < MAX_STEPS; n++) {
        const double numerator = -n * (n - a);

        b += 2.0;
        d = 1.0 / not_zero(numerator * d + b);
        c = not_zero(b + numerator / c);
        value *= c * d;
        if (fabs(c * d - 1.0) < DBL_EPSILON)
            break;
    }
    return gamma_factor(a, x) * value;
}

double gr_gamma_lower(double a, double x)
{
    if (isnan(a) || isnan(x))
        return (double)NAN;
    if (x <= 0.0 || isinf(x))
        return x > 0.0;
    return x < a + 1.0 ? gamma_series(a, x) : 1.0 - gamma_fraction(a, x);
}

double gr_gamma_upper(double a, double x)
{
    if (isnan(a) || isnan(x))
        return (double)NAN;
    if (x <= 0.0 || isinf(x))
        return !(x > 0.0);
    return x < a + 1.0 ? 1.0 - gamma_series(a, x) : gamma_fraction(a, x);
}

/* x^a y^b gamma(a + b) / (gamma(a) gamma(b)) */
static double beta_factor(double a, double b, double x, double y)
{
    const double n = a + b;
    const double stirling = stirling_error(n) - stirling_error(a) - stirling_error(b);

    return sqrt(a / TWO_PI * (b / n)) * exp(stirling - deviance(a, n * x) - deviance(b, n * y));
}

/* I_x(a, b) / beta_factor, by the continued fraction of DiDonato and Morris (1992, equation 5),
 * whose terms do not cancel when x is near 1. */
static double beta_fraction(double a, double b, double x, double y)
{
    double value = not_zero(a * (a * y - b * x + 1.0) / (a + 1.0)), c = value, d = 0.0;

    for (int m = 1; m < MAX_STEPS; m++) {
        const double s = a + 2.0 * m - 1.0, w = m * (b - m) * x / s;
        const double numerator = (a + m - 1.0) / s * (a + b + m - 1.0) * w * x;
        const double denominator =
            m + w + (a + m) * (a * y - b * x + 1.0 + m * (1.0 + y)) / (s + 2.0);

        d = 1.0 / not_zero(denominator + numerator * d);
        c = not_zero(denominator + numerator / c);
        value *= c * d;
        if (fabs(c * d - 1.0) < DBL_EPSILON)
            break;
    }
    return 1.0 / value;
}

double gr_beta_lower(double a, double b, double x, double y)
{
    if (isnan(a) || isnan(b) || isnan(x) || isnan(y))
        return (double)NAN;
    if (x <= 0.0 || y <= 0.0)
        return x > 0.0;
    if (x <= (a + 1.0) / (a + b + 2.0))
        return beta_factor(a, b, x, y) * beta_fraction(a, b, x, y);
    return 1.0 - beta_factor(b, a, y, x) * beta_fraction(b, a, y, x);
}

double gr_beta_upper(double a, double b, double x, double y)
{
    return gr_beta_lower(b, a, y, x);
}

double gr_normal_upper(double x)
{
    return 0.5 * erfc(x * 0.707106781186547524401);
}

double gr_normal_lower(double x)
{
    return gr_normal_upper(-x);
}

double gr_student_upper(double t, double freedom)
{
    const double square = t * t, sum = freedom + square;
    double tail;

    if (isinf(freedom))
        return gr_normal_upper(t);
    if (isinf(sum)) /* t * t overflowed: freedom / sum, below 1e-308, counts as 0 */
        return t > 0.0 ? 0.0 : 1.0;
    tail = 0.5 * gr_beta_lower(0.5 * freedom, 0.5, freedom / sum, square / sum);
    return t > 0.0 ? tail : 1.0 - tail;
}

double gr_student_lower(double t, double freedom)
{
    return gr_student_upper(-t, freedom);
}

double gr_chi_square_upper(double x, double freedom)
{
    return gr_gamma_upper(0.5 * freedom, 0.5 * x);
}

static double student_density(double t, double freedom)
{
    const double half = 0.5 * freedom;
    const double stirling = stirling_error(half + 0.5) - stirling_error(half);

    /* gamma(half + 1/2) / gamma(half) by Stirling's formula, with its main part in one log1p */
    return exp(stirling - 0.5 - (half + 0.5) * log1p(t * t / freedom) + half * log1p(0.5 / half)) /
           sqrt(TWO_PI);
}

/* The t > 0 with upper tail probability q < 1/2, by Newton's method on log q, safeguarded by a
 * bracket. */
static double student_tail_quantile(double q, double freedom)
{
    double low = 0.0, high = 1.0, t;

    while (gr_student_upper(high, freedom) > q && high < 1e150)
        high *= 2.0;
    t = 0.5 * (low + high);
    for (int i = 0; i < 200; i++) {
        const double tail = gr_student_upper(t, freedom);
        double next = t + log(tail / q) * tail / student_density(t, freedom);

        if (tail > q)
            low = t;
        else
            high = t;
        if (!(next > low && next < high))
            next = 0.5 * (low + high);
        if (fabs(next - t) <= 2 * DBL_EPSILON * t)
            return next;
        t = next;
    }
    return t;
}

double gr_student_quantile(double p, double freedom)
{
    const bool below = p < 0.5;
    const double q = below ? p : 1.0 - p;

    if (isnan(freedom) || !(q >= 0.0))
        return (double)NAN;
    if (p == 0.5)
        return 0.0;
    if (isinf(freedom))
        return gr_normal_quantile(p);
    const double t = q > 0.0 ? student_tail_quantile(q, freedom) : (double)INFINITY;
    return below ? -t : t;
}
