/* SPDX-License-Identifier: Apache-2.0 */
/* Philox 4x32-10 streams and the distributions drawn from them. */
#include "base/rng.h"

#include "base/math.h"

static inline uint32_t multiply(uint32_t a, uint32_t b, uint32_t *high)
{
    const uint64_t product = (uint64_t)a * b;

    *high = (uint32_t)(product >> 32);
    return (uint32_t)product;
}

void gr_philox(const uint32_t counter[4], const uint32_t key[2], uint32_t out[4])
{
    uint32_t c0 = counter[0], c1 = counter[1], c2 = counter[2], c3 = counter[3];
    uint32_t k0 = key[0], k1 = key[1];

    for (int round = 0; round < 10; round++) {
        uint32_t high0, high1;
        const uint32_t low0 = multiply(0xD2511F53u, c0, &high0);
        const uint32_t low1 = multiply(0xCD9E8D57u, c2, &high1);

        c0 = high1 ^ c1 ^ k0;
        c1 = low1;
        c2 = high0 ^ c3 ^ k1;
        c3 = low0;
        k0 += 0x9E3779B9u;
        k1 += 0xBB67AE85u;
    }
    out[0] = c0;
    out[1] = c1;
    out[2] = c2;
    out[3] = c3;
}

gr_rng gr_rng_for(uint64_t seed, const char *purpose, uint64_t index)
{
    gr_rng rng = { { 0, 0 }, { 0, 0, (uint32_t)index, (uint32_t)(index >> 32) }, { 0 }, 0 };
    uint64_t key = seed ^ 0xcbf29ce484222325u; /* FNV-1a of the purpose, starting at the seed */

    for (; *purpose; purpose++)
        key = (key ^ (unsigned char)*purpose) * 0x100000001b3u;
    key ^= key >> 32;
    key *= 0x9E3779B97F4A7C15u;
    key ^= key >> 29;
    rng.key[0] = (uint32_t)key;
    rng.key[1] = (uint32_t)(key >> 32);
    return rng;
}

uint32_t gr_rng_word(gr_rng *rng)
{
    if (rng->left == 0) {
        gr_philox(rng->counter, rng->key, rng->block);
        rng->left = 4;
        if (++rng->counter[0] == 0)
            rng->counter[1]++;
    }
    return rng->block[--rng->left];
}

uint64_t gr_rng_long(gr_rng *rng)
{
    const uint64_t high = gr_rng_word(rng);

    return high << 32 | gr_rng_word(rng);
}

double gr_rng_uniform(gr_rng *rng)
{
    return ((double)(gr_rng_long(rng) >> 12) + 0.5) * 0x1p-52;
}

/* Lemire's multiplication with rejection, which has no modulo bias. */
uint64_t gr_rng_below(gr_rng *rng, uint64_t count)
{
    for (;;) {
        const unsigned __int128 wide = (unsigned __int128)gr_rng_long(rng) * count;

        if ((uint64_t)wide >= -count % count)
            return (uint64_t)(wide >> 64);
    }
}

double gr_rng_normal(gr_rng *rng)
{
    return gr_normal_quantile(gr_rng_uniform(rng));
}

void gr_shuffle(gr_rng *rng, size_t *items, size_t count)
{
    for (size_t left = count; left > 1; left--) {
        const size_t pick = (size_t)gr_rng_below(rng, left);
        const size_t kept = items[pick];

        items[pick] = items[left - 1];
        items[left - 1] = kept;
    }
}
