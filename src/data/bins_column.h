/* SPDX-License-Identifier: Apache-2.0 */
/* The thresholds of one feature from the values of some rows. */
#ifndef GR_DATA_BINS_COLUMN_H
#define GR_DATA_BINS_COLUMN_H

#include "data/bins.h"
#include "kernels/bin_search.h"

/* Keys as the unsigned integers that a radix sort wants. */
static inline uint32_t gr_sort_key(int32_t key)
{
    return (uint32_t)key ^ 0x80000000u;
}

static inline float gr_sort_key_float(uint32_t key)
{
    return gr_key_float((int32_t)(key ^ 0x80000000u));
}

/* A threshold with low < threshold <= high, and below high if there is a float between them. */
float gr_threshold_between(float low, float high);

/* A distinct value and the rows that have it. */
typedef struct gr_distinct {
    uint32_t key;
    uint32_t rows;
} gr_distinct;

/* What the rows tell of a feature. */
typedef struct gr_column {
    uint32_t thresholds;
    uint32_t usual;   /* the bin of most rows; thresholds + 1 if they miss the value */
    uint32_t covered; /* rows in that bin */
    uint32_t zeros, missing;
} gr_column;

/* Cuts the values of a feature: `count` sort keys of values other than 0 (in any order; destroyed),
 * and column->zeros rows with 0 and column->missing rows without a value. spare and distinct have
 * room for count + 1. Fills the column and at most bins - 1 thresholds. */
void gr_column_cut(const gr_bin_options *options, uint32_t *keys, size_t count, uint32_t *spare,
                   gr_distinct *distinct, gr_column *column, float *thresholds);

/* The schemes: ends[i] is the number of distinct values in the bins up to i; returns how many bins,
 * at most `bins`. More distinct values than bins. */
size_t gr_cut_quantiles(const gr_distinct *distinct, size_t count, size_t bins, uint32_t *ends);
size_t gr_cut_lengths(const gr_distinct *distinct, size_t count, size_t bins, uint32_t *ends);

/* Sorts keys, with room for as many in spare. */
void gr_sort_keys(uint32_t *keys, size_t count, uint32_t *spare);

#endif
