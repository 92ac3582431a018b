/* SPDX-License-Identifier: Apache-2.0 */
/* The search for the best cut, four cuts at a time: each lane performs the operations of the plain
 * search (learners/tree/split_search.c) in the same order, so the results have the same bits. */
#include "kernels/split_cuts.h"

#include <string.h>

typedef double reals __attribute__((vector_size(32)));
typedef uint64_t words __attribute__((vector_size(32)));
enum { LANES = GR_CUT_LANES };

typedef union lanes {
    words w;
    reals r;
    uint64_t word[LANES];
    double real[LANES];
} lanes;

#define ALWAYS_INLINE static inline __attribute__((always_inline))

/* Converts integers below 2^32 to doubles: x becomes the low mantissa bits of 2^52 + x. (Macros,
 * because functions that return vectors have a different ABI on each target.) */
#define LOWER_REALS(sums) ((reals)(((sums)&0xffffffffu) | 0x4330000000000000u) - 0x1p52)
#define UPPER_REALS(sums)                                                                          \
    ((reals)(((sums) >> 32 ^ 0x80000000u) | 0x4330000000000000u) - (0x1p52 + 0x1p31))

ALWAYS_INLINE gr_split_cut search(const gr_split_cuts *of)
{
    const gr_split_cuts all = *of;
    lanes best = { .real = { -1, -1, -1, -1 } }, places = { .word = { 0 } };
    words at = { 0, 1, 2, 3 };
    gr_split_cut found = { -1, 0 };

    for (size_t b = 0; b < all.cuts; b += LANES, at += LANES) {
        words here;
        reals gl, hl, gr, hr, left, right, score;
        words better;

        memcpy(&here, all.sums + b, sizeof here);
        gl = UPPER_REALS(here) + all.more_gradient;
        hl = LOWER_REALS(here) + all.more_hessian;
        gr = all.gradient - gl;
        hr = all.hessian - hl;
        left = hl + all.l2;
        right = hr + all.l2;
        score = (gl * gl * right + gr * gr * left) / (left * right);
        better = (words)(hl >= all.need) & (words)(hr >= all.need) & (words)(score > best.r);
        best.w = (better & (words)score) | (~better & best.w);
        places.w = (better & at) | (~better & places.w);
    }
    for (size_t lane = 0; lane < LANES; lane++)
        if (best.real[lane] > found.score ||
            (best.real[lane] == found.score && places.word[lane] < found.bin))
            found = (gr_split_cut){ best.real[lane], (uint32_t)places.word[lane] };
    return found;
}

static gr_split_cut search_plain(const gr_split_cuts *cuts)
{
    return search(cuts);
}

const gr_split_cuts_kernels gr_split_cuts_plain = { search_plain };

#if defined(__x86_64__)
GR_TARGET_4 static gr_split_cut search_avx2(const gr_split_cuts *cuts)
{
    return search(cuts);
}

const gr_split_cuts_kernels gr_split_cuts_avx2 = { search_avx2 };
#endif
