/* SPDX-License-Identifier: Apache-2.0 */
/* Own implementations of exp and log, so that models are byte-identical with any C library, and
 * small functions of numbers. */
#ifndef GR_BASE_MATH_H
#define GR_BASE_MATH_H

#include <math.h>
#include <stdbool.h>
#include <stddef.h>

/* Accurate to 1 unit in the last place; 0, infinities and NAN as in <math.h>. */
double gr_exp(double x);
double gr_log(double x);
/* Exact for powers of two. */
double gr_log2(double x);

/* The quantile of the standard normal distribution, with relative error 1e-15 (Wichura 1988). 0 and
 * 1 give infinities. */
double gr_normal_quantile(double p);

static inline double gr_logistic(double x)
{
    return 1.0 / (1.0 + gr_exp(-x));
}

/* The same, but without overflow and accurate where it is near 0. */
static inline double gr_logistic_accurate(double x)
{
    const double e = gr_exp(-fabs(x));

    return x < 0.0 ? e / (1.0 + e) : 1.0 / (1.0 + e);
}

/* The sum of a[i] * b[i], added in this order. */
static inline double gr_inner_product(const double *a, const double *b, size_t count)
{
    double sum = 0.0;

    for (size_t i = 0; i < count; i++)
        sum += a[i] * b[i];
    return sum;
}

static inline bool gr_all_finite(const double *numbers, size_t count)
{
    for (size_t i = 0; i < count; i++)
        if (!isfinite(numbers[i]))
            return false;
    return true;
}

static inline size_t gr_least(size_t a, size_t b)
{
    return a < b ? a : b;
}

#endif
