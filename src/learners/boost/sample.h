/* SPDX-License-Identifier: Apache-2.0 */
/* The rows that a round sees. */
#ifndef GR_LEARNERS_BOOST_SAMPLE_H
#define GR_LEARNERS_BOOST_SAMPLE_H

#include "learners/boost/boost.h"

enum {
    GR_LARGE_ROWS = 200000, /* rows from which neighbouring rows are sampled together */
    GR_SAMPLE_SHIFT = 3,
    GR_SAMPLE_STRETCH = 1 << GR_SAMPLE_SHIFT /* rows, neighbours that are drawn together: they are
                                                read together as well */
};

/* Whether rounds see samples; else all rows. */
static inline bool gr_samples_rows(const gr_boost_options *options)
{
    return options->row_share < 1.0 || options->query_share < 1.0;
}

/* Fills rows, which must have room for all, with those of the round's sample, ascending, at least
 * one, and tells how many. Each query, and then each of its rows (of GR_LARGE_ROWS rows or more:
 * each stretch of them), is in with the given share, by a draw of its own. passed_over: of each
 * query, whether none of its rows is in; NULL: not wanted. */
gradus_status gr_sample_rows(const gr_problem *problem, const gr_boost_options *options,
                             uint64_t round, gr_pool *pool, uint32_t *rows, size_t *count,
                             bool *passed_over, gradus_error *err);

#endif
