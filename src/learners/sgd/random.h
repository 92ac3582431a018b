/* SPDX-License-Identifier: Apache-2.0 */
/* Random numbers that are functions of a place in a stream: the mixing function of SplitMix64
 * (Steele, Lea and Flood, 2014) over a counter. A step's numbers do not depend on what other steps
 * drew, so that models of a grid see the same rows and training can go on from any step. */
#ifndef GR_LEARNERS_SGD_RANDOM_H
#define GR_LEARNERS_SGD_RANDOM_H

#include <stdint.h>

static inline uint64_t gr_sgd_random(uint64_t stream, uint64_t place)
{
    uint64_t x = stream + place * 0x9e3779b97f4a7c15u;

    x = (x ^ x >> 30) * 0xbf58476d1ce4e5b9u;
    x = (x ^ x >> 27) * 0x94d049bb133111ebu;
    return x ^ x >> 31;
}

/* 0 to count - 1, each with a probability within count / 2^64 of 1 / count, relatively. */
static inline uint64_t gr_sgd_below(uint64_t random, uint64_t count)
{
    return (uint64_t)((unsigned __int128)random * count >> 64);
}

#endif
