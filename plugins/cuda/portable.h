/* SPDX-License-Identifier: Apache-2.0 */
/* What kernel bodies need to compile both as C17 and as CUDA.
 *
 * A body is a function of one thread block. It consists of phases, each a GR_THREADS loop, with
 * GR_BARRIER() between them. In C a phase runs the threads of the block one after the other, in the
 * order that tests choose (tests/support/thread_order.h); in CUDA every thread runs it once, and in tests of races
 * (tests/support/thread_team.h) every thread of a team. What a thread keeps from one phase to the next is therefore
 * in memory that the block shares, never in a local variable. */
#ifndef GR_PLUGINS_CUDA_PORTABLE_H
#define GR_PLUGINS_CUDA_PORTABLE_H

#include "base/device_code.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#ifdef __CUDACC__

#define GR_THREADS(t, threads)                                                                     \
    for (uint32_t t = threadIdx.x, t##_once = 1; t##_once && t < (threads); t##_once = 0)
#define GR_BARRIER() __syncthreads()
#define GR_WARP_BARRIER() __syncwarp() /* between 32 threads */

/* Each returns the value before. */
GR_DEVICE uint32_t gr_atomic_add_u32(uint32_t *to, uint32_t more)
{
    return atomicAdd(to, more);
}

GR_DEVICE uint64_t gr_atomic_add_u64(uint64_t *to, uint64_t more)
{
    return atomicAdd((unsigned long long *)to, (unsigned long long)more);
}

/* Clears two numbers, at a multiple of 8 bytes. */
GR_DEVICE void gr_clear_pair(uint32_t *numbers)
{
    *(uint64_t *)(void *)numbers = 0;
}

GR_DEVICE double gr_double_of_bits(uint64_t bits)
{
    return __longlong_as_double((long long)bits);
}

GR_DEVICE uint64_t gr_bits_of_double(double number)
{
    return (uint64_t)__double_as_longlong(number);
}

GR_DEVICE float gr_float_of_bits(uint32_t bits)
{
    return __uint_as_float(bits);
}

GR_DEVICE uint32_t gr_bits_of_float(float number)
{
    return __float_as_uint(number);
}

#else

#include <string.h>

#ifdef GR_THREAD_TEAM

#define GR_THREADS(t, threads)                                                                     \
    for (uint32_t t = team_thread(), t##_once = 1; t##_once && t < (threads); t##_once = 0)
#define GR_BARRIER() team_barrier()
#define GR_WARP_BARRIER() team_warp_barrier()

GR_DEVICE uint32_t gr_atomic_add_u32(uint32_t *to, uint32_t more)
{
    return __atomic_fetch_add(to, more, __ATOMIC_RELAXED);
}

GR_DEVICE uint64_t gr_atomic_add_u64(uint64_t *to, uint64_t more)
{
    return __atomic_fetch_add(to, more, __ATOMIC_RELAXED);
}

#else

#ifdef GR_THREAD_AT
#define GR_THREADS(t, threads)                                                                     \
    for (uint32_t t##_turn = 0, t = GR_THREAD_AT(0, threads); t##_turn < (threads);                \
         t##_turn++, t = GR_THREAD_AT(t##_turn, threads))
#else
#define GR_THREADS(t, threads) for (uint32_t t = 0; t < (threads); t++)
#endif
#define GR_BARRIER() ((void)0)
#define GR_WARP_BARRIER() ((void)0)

GR_DEVICE uint32_t gr_atomic_add_u32(uint32_t *to, uint32_t more)
{
    const uint32_t before = *to;

    *to += more;
    return before;
}

GR_DEVICE uint64_t gr_atomic_add_u64(uint64_t *to, uint64_t more)
{
    const uint64_t before = *to;

    *to += more;
    return before;
}

#endif

GR_DEVICE void gr_clear_pair(uint32_t *numbers)
{
    numbers[0] = numbers[1] = 0;
}

GR_DEVICE double gr_double_of_bits(uint64_t bits)
{
    double number;

    memcpy(&number, &bits, sizeof number);
    return number;
}

GR_DEVICE uint64_t gr_bits_of_double(double number)
{
    uint64_t bits;

    memcpy(&bits, &number, sizeof bits);
    return bits;
}

GR_DEVICE float gr_float_of_bits(uint32_t bits)
{
    float number;

    memcpy(&number, &bits, sizeof number);
    return number;
}

GR_DEVICE uint32_t gr_bits_of_float(float number)
{
    uint32_t bits;

    memcpy(&bits, &number, sizeof bits);
    return bits;
}

#endif
#endif
