/* SPDX-License-Identifier: Apache-2.0 */
/* Random streams that are pure functions of (seed, purpose, index), so that every part of the work
 * can draw its own numbers on any thread and results do not depend on the schedule. Philox 4x32-10
 * (Salmon, Moraes, Dror and Shaw, 2011): the key is derived from seed and purpose, and the counter
 * contains the index. */
#ifndef GR_BASE_RNG_H
#define GR_BASE_RNG_H

#include <stddef.h>
#include <stdint.h>

typedef struct gr_rng {
    uint32_t key[2];
    uint32_t counter[4]; /* low two: position in the stream; high two: the index */
    uint32_t block[4];
    unsigned left; /* unused words of block */
} gr_rng;

/* The block function: out = philox(counter, key). */
void gr_philox(const uint32_t counter[4], const uint32_t key[2], uint32_t out[4]);

gr_rng gr_rng_for(uint64_t seed, const char *purpose, uint64_t index);
uint32_t gr_rng_word(gr_rng *rng);
uint64_t gr_rng_long(gr_rng *rng);
double gr_rng_uniform(gr_rng *rng);                 /* in (0, 1), 52 bits, never 0 or 1 */
uint64_t gr_rng_below(gr_rng *rng, uint64_t count); /* uniform on 0..count-1; count > 0 */
double gr_rng_normal(gr_rng *rng);                  /* standard normal; uses one uniform */
void gr_shuffle(gr_rng *rng, size_t *items, size_t count);

#endif
