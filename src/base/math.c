/* SPDX-License-Identifier: Apache-2.0 */
/* exp, log and the normal quantile from arithmetic and exactly rounded functions only, so that
 * results do not depend on the C library. */
#include "base/math.h"

#include "base/log_body.h"

#include <math.h>
#include <stdint.h>
#include <string.h>

#define LOG2_E 0x1.71547652b82fep+0

static double power_of_two(int k) /* -1022 <= k <= 1023 */
{
    const uint64_t bits = (uint64_t)(k + 1023) << 52;
    double value;

    memcpy(&value, &bits, sizeof value);
    return value;
}

/* e^x = 2^k e^r with |r| <= ln(2)/2; e^r by its Taylor series to degree 13 (the remainder is below
 * 2^-57). */
double gr_exp(double x)
{
    if (isnan(x))
        return x;
    if (x > 709.782712893384)
        return (double)INFINITY;
    if (x < -745.1332191019412)
        return 0.0;
    const double k = nearbyint(x * LOG2_E);
    const double high = x - k * GR_LN2_HIGH, low = k * GR_LN2_LOW;
    const double r = high - low;
    const double q =
        1.0 / 2 +
        r * (1.0 / 6 +
             r * (1.0 / 24 +
                  r * (1.0 / 120 +
                       r * (1.0 / 720 +
                            r * (1.0 / 5040 +
                                 r * (1.0 / 40320 +
                                      r * (1.0 / 362880 +
                                           r * (1.0 / 3628800 +
                                                r * (1.0 / 39916800 +
                                                     r * (1.0 / 479001600 +
                                                          r * (1.0 / 6227020800.0)))))))))));
    const double value = 1.0 + (high + (r * r * q - low));
    const int half = (int)k / 2;

    return value * power_of_two(half) * power_of_two((int)k - half); /* handles subnormals */
}

double gr_log(double x)
{
    int k;

    if (!(x > 0.0) || isinf(x))
        return gr_log_special(x);
    const double f = gr_log_split(x, &k);
    return k * GR_LN2_HIGH - ((gr_log_near_one(f) - k * GR_LN2_LOW) - f);
}

double gr_log2(double x)
{
    return gr_log2_body(x);
}

/* Horner's rule with n coefficients; c[0] is the constant term. */
static double polynomial(const double *c, int n, double x)
{
    double sum = c[n - 1];

    for (int i = n - 2; i >= 0; i--)
        sum = sum * x + c[i];
    return sum;
}

static double quantile_ratio(const double a[8], const double b[8], double r)
{
    return polynomial(a, 8, r) / polynomial(b, 8, r);
}

double gr_normal_quantile(double p)
{
    static const double a[8] = { 3.3871328727963666080e0, 1.3314166789178437745e2,
                                 1.9715909503065514427e3, 1.3731693765509461125e4,
                                 4.5921953931549871457e4, 6.7265770927008700853e4,
                                 3.3430575583588128105e4, 2.5090809287301226727e3 };
    static const double b[8] = { 1.0,
                                 4.2313330701600911252e1,
                                 6.8718700749205790830e2,
                                 5.3941960214247511077e3,
                                 2.1213794301586595867e4,
                                 3.9307895800092710610e4,
                                 2.8729085735721942674e4,
                                 5.2264952788528545610e3 };
    static const double c[8] = { 1.42343711074968357734e0,  4.63033784615654529590e0,
                                 5.76949722146069140550e0,  3.64784832476320460504e0,
                                 1.27045825245236838258e0,  2.41780725177450611770e-1,
                                 2.27238449892691845833e-2, 7.74545014278341407640e-4 };
    static const double d[8] = { 1.0,
                                 2.05319162663775882187e0,
                                 1.67638483018380384940e0,
                                 6.89767334985100004550e-1,
                                 1.48103976427480074590e-1,
                                 1.51986665636164571966e-2,
                                 5.47593808499534494600e-4,
                                 1.05075007164441684324e-9 };
    static const double e[8] = { 6.65790464350110377720e0,  5.46378491116411436990e0,
                                 1.78482653991729133580e0,  2.96560571828504891230e-1,
                                 2.65321895265761230930e-2, 1.24266094738807843860e-3,
                                 2.71155556874348757815e-5, 2.01033439929228813265e-7 };
    static const double f[8] = { 1.0,
                                 5.99832206555887937690e-1,
                                 1.36929880922735805310e-1,
                                 1.48753612908506148525e-2,
                                 7.86869131145613259100e-4,
                                 1.84631831751005468180e-5,
                                 1.42151175831644588870e-7,
                                 2.04426310338993978564e-15 };
    const double q = p - 0.5;

    if (fabs(q) <= 0.425)
        return q * quantile_ratio(a, b, 0.180625 - q * q);
    if (!(p > 0.0) || !(p < 1.0))
        return p == 0.0 ? -(double)INFINITY : p == 1.0 ? (double)INFINITY : (double)NAN;
    const double r = sqrt(-gr_log(q < 0.0 ? p : 1.0 - p));
    const double x = r <= 5.0 ? quantile_ratio(c, d, r - 1.6) : quantile_ratio(e, f, r - 5.0);
    return q < 0.0 ? -x : x;
}
