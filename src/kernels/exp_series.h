/* SPDX-License-Identifier: Apache-2.0 */
/* The arithmetic of e^y for y <= 0, for vectors (kernels/lanes.h, kernels/float_lanes.h) and single
 * numbers (devices). With y = k ln(2) + r, e^y = 2^k e^r: adding 1.5 * 2^52 rounds to the integer k
 * and leaves it in the low bits. The Taylor series of e^r to degree 9, |r| <= ln(2) / 2, has a
 * relative error of at most 1e-11, far below the precision of the floats in which gradients are
 * stored; that of floats has degree 6. */
#ifndef GR_KERNELS_EXP_SERIES_H
#define GR_KERNELS_EXP_SERIES_H

/* Doubles: k in the low bits, r, and e^r. */
#define GR_EXP_ROUNDED(y) ((y)*0x1.71547652b82fep+0 + 0x1.8p52)
#define GR_EXP_REST(y, rounded) ((y) - ((rounded)-0x1.8p52) * 0x1.62e42fefa39efp-1)
#define GR_EXP_SERIES_3(r) ((r) * ((r) * (1.0 / 362880) + 1.0 / 40320) + 1.0 / 5040)
#define GR_EXP_SERIES_6(r)                                                                         \
    ((r) * ((r) * ((r)*GR_EXP_SERIES_3(r) + 1.0 / 720) + 1.0 / 120) + 1.0 / 24)
#define GR_EXP_SERIES(r)                                                                           \
    ((r) * ((r) * ((r) * ((r)*GR_EXP_SERIES_6(r) + 1.0 / 6) + 1.0 / 2) + 1.0) + 1.0)

/* Floats: the same; ln 2 is split in two for precision, and y is at least GR_FLOAT_EXP_LEAST. */
#define GR_FLOAT_EXP_LEAST -80.0f
#define GR_FLOAT_EXP_ROUNDED(y) ((y)*0x1.715476p+0f + 0x1.8p23f)
#define GR_FLOAT_EXP_REST(y, k) (((y) - (k)*0.693359375f) - (k) * -2.12194440e-4f)
#define GR_FLOAT_EXP_SERIES_3(r)                                                                   \
    ((r) * ((r) * ((r) * (1.0f / 720) + 1.0f / 120) + 1.0f / 24) + 1.0f / 6)
#define GR_FLOAT_EXP_SERIES(r) ((r) * ((r) * ((r)*GR_FLOAT_EXP_SERIES_3(r) + 0.5f) + 1.0f) + 1.0f)

#endif
