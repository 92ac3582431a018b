/* SPDX-License-Identifier: Apache-2.0 */
/* The logarithms of math.c, in a header because devices compute them too. */
#ifndef GR_BASE_LOG_BODY_H
#define GR_BASE_LOG_BODY_H

#include "base/device_code.h"

#include <math.h>
#include <stdint.h>
#include <string.h>

/* ln 2 as a sum of two parts; the first has only 32 significant bits, so that k * GR_LN2_HIGH is
 * exact. */
#define GR_LN2_HIGH 0x1.62e42feep-1
#define GR_LN2_LOW 0x1.a39ef35793c76p-33
#define GR_LOG2_E_HIGH 0x1.7154765200000p+0 /* ends in 20 zero bits */
#define GR_LOG2_E_LOW 0x1.705fc2eefa200p-33

/* x = 2^k (1 + f) with 1 + f in [sqrt(1/2), sqrt(2)). */
GR_DEVICE double gr_log_split(double x, int *k)
{
    double m = frexp(x, k);

    if (m < 0x1.6a09e667f3bcdp-1) {
        m *= 2;
        --*k;
    }
    return m - 1.0;
}

/* Returns f - log(1 + f), which is small, so that adding f last loses no digits. Uses log(1 + f) =
 * 2 atanh(s) with s = f / (2 + f). */
GR_DEVICE double gr_log_near_one(double f)
{
    const double s = f / (2.0 + f), z = s * s, half = 0.5 * f * f;
    const double r =
        z *
        (2.0 / 3 +
         z * (2.0 / 5 +
              z * (2.0 / 7 +
                   z * (2.0 / 9 + z * (2.0 / 11 +
                                       z * (2.0 / 13 +
                                            z * (2.0 / 15 +
                                                 z * (2.0 / 17 +
                                                      z * (2.0 / 19 +
                                                           z * (2.0 / 21 + z * (2.0 / 23)))))))))));

    return half - s * (half + r);
}

GR_DEVICE double gr_log_special(double x)
{
    if (x == 0.0)
        return -(double)INFINITY;
    return x < 0.0 ? (double)NAN : x; /* +inf and NAN are returned unchanged */
}

GR_DEVICE double gr_without_low_word(double x)
{
    uint64_t bits;

    memcpy(&bits, &x, sizeof bits);
    bits &= ~(uint64_t)UINT32_MAX;
    memcpy(&x, &bits, sizeof x);
    return x;
}

GR_DEVICE double gr_log2_body(double x)
{
    int k;

    if (!(x > 0.0) || isinf(x))
        return gr_log_special(x);
    /* log(1 + f) as a sum of two parts; the first ends in 32 zero bits, so that its product with
     * GR_LOG2_E_HIGH is exact (as in FreeBSD's C library) */
    const double f = gr_log_split(x, &k), rest = gr_log_near_one(f);
    const double high = gr_without_low_word(f - rest), low = (f - high) - rest;
    const double top = high * GR_LOG2_E_HIGH;
    const double bottom = (low + high) * GR_LOG2_E_LOW + low * GR_LOG2_E_HIGH;
    const double sum = k + top;
    return sum + (bottom + ((k - sum) + top));
}

#endif
