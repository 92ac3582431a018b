/* SPDX-License-Identifier: Apache-2.0 */
/* Sums by level of the terms that fit thresholds: one thread block per block of rows, with the bits
 * of gr_sum_run and gr_add_levels (objectives/objective_rows.h), whose sums go through the rows of a
 * block in order. Rows are staged in chunks; then each sum has a thread. */
#ifndef GR_PLUGINS_CUDA_LEVEL_SUMS_BODY_H
#define GR_PLUGINS_CUDA_LEVEL_SUMS_BODY_H

#include "row_losses_body.h"

enum { GR_STAGED_ROWS = 512 }; /* even, so that odd and even rows of a block stay so */

/* In shared memory. */
typedef struct gr_staged_terms {
    double terms[GR_DEVICE_MAX_TERMS][GR_STAGED_ROWS];
    uint8_t levels[GR_STAGED_ROWS];
} gr_staged_terms;

GR_DEVICE double gr_level_sum(const gr_staged_terms *staged, size_t term, size_t level, size_t half,
                              size_t count, double sum)
{
    for (size_t i = half; i < count; i += 2)
        if (staged->levels[i] == level)
            sum += staged->terms[term][i];
    return sum;
}

/* Block number `number` of `block` rows; sums: [2 x levels x terms]. */
GR_DEVICE void gr_level_sums_block(const gr_row_losses *l, size_t number, size_t block,
                                   uint32_t threads, gr_staged_terms *staged, double *sums)
{
    const size_t first = number * block, width = gr_row_term_count(l);
    const size_t end = l->rows - first < block ? l->rows : first + block;
    const size_t tasks = 2 * l->levels * width;

    GR_THREADS(t, threads)
    {
        for (size_t task = t; task < tasks; task += threads)
            sums[task] = 0.0;
    }
    for (size_t at = first; at < end; at += GR_STAGED_ROWS) {
        const size_t count = end - at < GR_STAGED_ROWS ? end - at : GR_STAGED_ROWS;

        GR_THREADS(t, threads)
        {
            for (size_t i = t; i < count; i += threads) {
                double terms[GR_DEVICE_MAX_TERMS];

                gr_row_terms(l, at + i, terms);
                for (size_t j = 0; j < width; j++)
                    staged->terms[j][i] = terms[j];
                staged->levels[i] = l->level_of[at + i];
            }
        }
        GR_BARRIER();
        GR_THREADS(t, threads)
        {
            for (size_t task = t; task < tasks; task += threads)
                sums[task] = gr_level_sum(staged, task % width, task / width % l->levels,
                                          task / width / l->levels, count, sums[task]);
        }
        GR_BARRIER();
    }
}

#endif
