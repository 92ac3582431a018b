/* e^x for loops that the compiler turns into vector code: no branch, no call. */
#ifndef GR_KERNELS_EXP_LANE_H
#define GR_KERNELS_EXP_LANE_H

#include "kernels/versions.h"

#include <stdint.h>
#include <string.h>

/* The largest |x| whose e^x and e^-x are normal numbers. */
#define GR_EXP_LIMIT 708.0

/* The same bits as gr_exp, which has the reasons, for |x| <= GR_EXP_LIMIT; nothing of use beyond,
 * so callers clamp. Adding 1.5 * 2^52 rounds to a whole number k and leaves it in the low bits. */
GR_INLINE double gr_exp_lane(double x)
{
    const double rounder = 0x1.8p52;
    const double rounded = x * 0x1.71547652b82fep+0 + rounder;
    const double k = rounded - rounder;
    const double high = x - k * 0x1.62e42feep-1, low = k * 0x1.a39ef35793c76p-33;
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
    uint64_t bits;
    double power;

    memcpy(&bits, &rounded, sizeof bits);
    bits = (bits + 1023) << 52;
    memcpy(&power, &bits, sizeof power);
    return (1.0 + (high + (r * r * q - low))) * power;
}

GR_INLINE double gr_clamp_lane(double x, double low, double high)
{
    x = x < low ? low : x;
    return x > high ? high : x;
}

#endif
