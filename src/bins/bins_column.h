/* SPDX-License-Identifier: Apache-2.0 */
/* Computes the thresholds of one feature from its values in the sampled rows. */
#ifndef GR_BINS_BINS_COLUMN_H
#define GR_BINS_BINS_COLUMN_H

#include "bins/bins.h"
#include "kernels/bin_search.h"

/* Converts keys to unsigned integers in the same order, for radix sorting. */
static inline uint32_t gr_sort_key(int32_t key)
{
    return (uint32_t)key ^ 0x80000000u;
}

static inline float gr_sort_key_float(uint32_t key)
{
    return gr_key_float((int32_t)(key ^ 0x80000000u));
}

/* A threshold in (low, high], and below high if there is a float between them. */
float gr_threshold_between(float low, float high);

/* A distinct value and the number of rows that have it. */
typedef struct gr_distinct {
    uint32_t key;
    uint32_t rows;
} gr_distinct;

/* Statistics of a feature in the sample. */
typedef struct gr_column {
    uint32_t thresholds;
    uint32_t default_bin; /* the most frequent bin; thresholds + 1 if that is the missing bin */
    uint32_t covered;     /* rows in the default bin */
    uint32_t zeros, missing;
} gr_column;

/* Computes the thresholds of a feature from `count` sort keys of values other than 0 (any order;
 * overwritten), column->zeros rows with 0 and column->missing rows without a value. spare and
 * distinct have count + 1 elements. Fills the column and at most bins - 1 thresholds. */
void gr_column_cut(const gr_bin_options *options, uint32_t *keys, size_t count, uint32_t *spare,
                   gr_distinct *distinct, gr_column *column, float *thresholds);

/* The binning schemes, for more distinct values than bins. ends[i] is the number of distinct values
 * in bins 0 to i. Return the number of bins, at most `bins`. */
size_t gr_cut_quantiles(const gr_distinct *distinct, size_t count, size_t bins, uint32_t *ends);

/* bins_adaptive.c */
size_t gr_cut_lengths(const gr_distinct *distinct, size_t count, size_t bins, uint32_t *ends);

#endif
