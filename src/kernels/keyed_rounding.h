/* SPDX-License-Identifier: Apache-2.0 */
/* Stochastic rounding with random bits that are a hash of (key, row), for one row. Also compiled as
 * CUDA. */
#ifndef GR_KERNELS_KEYED_ROUNDING_H
#define GR_KERNELS_KEYED_ROUNDING_H

#include <stdint.h>
#include <string.h>

#ifdef __CUDACC__
#define GR_ROUNDING static inline __host__ __device__
#else
#define GR_ROUNDING static inline
#endif

GR_ROUNDING uint64_t gr_row_hash(uint64_t key, uint64_t row)
{
    uint64_t z = key ^ (row * 0x9E3779B97F4A7C15u);

    z = (z ^ z >> 32) * 0xD6E8FEB86659FD93u;
    z = (z ^ z >> 32) * 0xD6E8FEB86659FD93u;
    return z ^ z >> 32;
}

/* The integer nearest to x + u, u from 32 random bits; |x| < 2^51. */
GR_ROUNDING int64_t gr_round_number(double x, uint32_t bits)
{
    const double zero = 6755399441055744.0; /* 1.5 * 2^52: doubles of this size are integers, so
                                               that adding it rounds */
    const double moved = x + (((double)bits + 0.5) * (1 / 4294967296.0) - 0.5) + zero;
    int64_t from, to;

    memcpy(&from, &zero, sizeof from);
    memcpy(&to, &moved, sizeof to);
    return to - from;
}

#endif
