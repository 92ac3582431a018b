/* SPDX-License-Identifier: Apache-2.0 */
/* Counter-based random numbers: the mixing function of SplitMix64 (Steele, Lea and Flood 2014)
 * applied to a position in a stream. The numbers of a step do not depend on what other steps drew,
 * so that all models of a grid use the same rows and training can resume at any step. */
#ifndef GR_LEARNERS_SGD_SGD_RANDOM_H
#define GR_LEARNERS_SGD_SGD_RANDOM_H

#include <stdint.h>

static inline uint64_t gr_sgd_random(uint64_t stream, uint64_t place)
{
    uint64_t x = stream + place * 0x9e3779b97f4a7c15u;

    x = (x ^ x >> 30) * 0xbf58476d1ce4e5b9u;
    x = (x ^ x >> 27) * 0x94d049bb133111ebu;
    return x ^ x >> 31;
}

/* A number from 0 to count - 1, uniform up to a relative error of count / 2^64. */
static inline uint64_t gr_sgd_below(uint64_t random, uint64_t count)
{
    return (uint64_t)((unsigned __int128)random * count >> 64);
}

#endif
