/* SPDX-License-Identifier: Apache-2.0 */
/* The row sample of a round. */
#ifndef GR_LEARNERS_BOOST_BOOST_SAMPLE_H
#define GR_LEARNERS_BOOST_BOOST_SAMPLE_H

#include "learners/boost/boost.h"

enum {
    GR_LARGE_ROWS = 200000, /* dataset size from which neighbouring rows are sampled together */
    GR_SAMPLE_SHIFT = 3,
    GR_SAMPLE_CHUNK = 1 << GR_SAMPLE_SHIFT /* rows sampled together, for memory locality */
};

/* Whether rounds use samples; otherwise they use all rows. */
static inline bool gr_samples_rows(const gr_boost_options *options)
{
    return options->row_share < 1.0 || options->query_share < 1.0;
}

/* Draws the sample of a round: at least one row, ascending in rows (which has space for all), their
 * number in *count. Each query, then each of its rows, is included independently with the given
 * probability; with GR_LARGE_ROWS rows or more, chunks of GR_SAMPLE_CHUNK rows take the place
 * of rows. Of a problem with a share: the rows that this process has of the sample of all
 * processes, possibly none. passed_over: per query, whether none of its rows was sampled; NULL: not needed. */
gradus_status gr_sample_rows(const gr_problem *problem, const gr_boost_options *options,
                             uint64_t round, gr_pool *pool, uint32_t *rows, size_t *count,
                             bool *passed_over, gradus_error *err);

#endif
