/* SPDX-License-Identifier: Apache-2.0 */
/* The DCG of a list by one thread block, with the bits of gr_dcg (metrics/gains.c): the documents of a tie
 * group share their mean gain, which is added up in descending order of gains. */
#ifndef GR_PLUGINS_CUDA_DCG_BODY_H
#define GR_PLUGINS_CUDA_DCG_BODY_H

#include "portable.h"

/* Addresses on the device; see gr_device_lists. */
typedef struct gr_dcg_lists {
    const uint64_t *starts;
    const double *scores, *gains; /* [row] */
    const double *discounts;
    uint64_t depth;
    double *dcgs; /* [list] */
} gr_dcg_lists;

/* Of the documents of a list, by rank; in shared memory if they fit. */
typedef struct gr_dcg_ranks {
    double *scores, *gains, *terms;
} gr_dcg_ranks;

enum { GR_DCG_RANK_BYTES = 3 * sizeof(double) };

/* Lays out the arrays of `room` documents in GR_DCG_RANK_BYTES each. */
GR_DEVICE gr_dcg_ranks gr_dcg_lay_out(void *memory, uint64_t room)
{
    gr_dcg_ranks ranks;

    ranks.scores = (double *)memory;
    ranks.gains = ranks.scores + room;
    ranks.terms = ranks.gains + room;
    return ranks;
}

GR_DEVICE void gr_dcg_exchange(const gr_dcg_ranks *ranks, uint32_t low, uint32_t high)
{
    const double score_a = ranks->scores[low], score_b = ranks->scores[high];
    const double gain_a = ranks->gains[low], gain_b = ranks->gains[high];

    if (score_b > score_a || (score_b == score_a && gain_b > gain_a)) {
        ranks->scores[low] = score_b;
        ranks->scores[high] = score_a;
        ranks->gains[low] = gain_b;
        ranks->gains[high] = gain_a;
    }
}

/* Bitonic sort by descending score, then gain; see gr_lambda_rank. */
GR_DEVICE void gr_dcg_sort(const gr_dcg_ranks *ranks, uint32_t count, uint32_t threads)
{
    for (uint32_t width = 2; width < 2 * count; width *= 2)
        for (uint32_t step = width; step > 1; step /= 2) {
            const uint32_t half = step / 2, within = half - 1; /* a mask: powers of 2 */

            GR_THREADS(t, threads)
            {
                for (uint32_t p = t; (p & ~within) + p < count; p += threads) {
                    const uint32_t at = p & within, low = p - at + p;
                    const uint32_t high = step == width ? low - at + (step - 1 - at) : low + half;

                    if (high < count)
                        gr_dcg_exchange(ranks, low, high);
                }
            }
            GR_BARRIER();
        }
}

/* The term of the tie group that starts at rank i; of ranks inside a group: 0. */
GR_DEVICE double gr_dcg_term(const gr_dcg_lists *lists, const gr_dcg_ranks *ranks, uint32_t i,
                             uint32_t last, uint32_t count)
{
    const double score = ranks->scores[i];
    double gain = 0.0, discounts = 0.0;
    uint32_t end = i;

    if (i > 0 && ranks->scores[i - 1] == score)
        return 0.0;
    for (; end < count && ranks->scores[end] == score; end++)
        gain += ranks->gains[end];
    if (end - i > 1)
        gain /= (double)(end - i);
    if (gain == 0.0)
        return 0.0;
    for (uint32_t j = i; j < (end < last ? end : last); j++)
        discounts += lists->discounts[j];
    return gain * discounts;
}

GR_DEVICE bool gr_dcg_is_finite(double score)
{
    return score - score == 0.0;
}

/* *invalid: in memory that the block shares. */
GR_DEVICE void gr_dcg_block(const gr_dcg_lists *lists, uint32_t q, uint32_t threads,
                            gr_dcg_ranks ranks, uint32_t *invalid)
{
    const uint64_t start = lists->starts[q];
    const uint32_t count = (uint32_t)(lists->starts[q + 1] - start);
    const uint32_t last = lists->depth < count ? (uint32_t)lists->depth : count;

    GR_THREADS(t, threads)
    {
        if (t == 0)
            *invalid = 0;
    }
    GR_BARRIER();
    GR_THREADS(t, threads)
    {
        for (uint32_t i = t; i < count; i += threads) {
            ranks.scores[i] = lists->scores[start + i];
            ranks.gains[i] = lists->gains[start + i];
            if (!gr_dcg_is_finite(ranks.scores[i]))
                *invalid = 1;
        }
    }
    GR_BARRIER();
    gr_dcg_sort(&ranks, count, threads);
    GR_THREADS(t, threads)
    {
        for (uint32_t i = t; i < last; i += threads)
            ranks.terms[i] = gr_dcg_term(lists, &ranks, i, last, count);
    }
    GR_BARRIER();
    GR_THREADS(t, threads)
    {
        if (t == 0) {
            double sum = 0.0;

            for (uint32_t i = 0; i < last; i++)
                sum += ranks.terms[i];
            lists->dcgs[q] = *invalid ? -1.0 : sum;
        }
    }
}

#endif
