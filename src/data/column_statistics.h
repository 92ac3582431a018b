/* SPDX-License-Identifier: Apache-2.0 */
/* Mean, variance and range of features. Values that are not finite are ignored. */
#ifndef GR_DATA_COLUMN_STATISTICS_H
#define GR_DATA_COLUMN_STATISTICS_H

#include "data/dataset.h"

typedef struct gr_spread {
    double count;
    double mean;
    double squares;   /* sum of squared deviations from the mean */
    double low, high; /* low > high if there are no values */
    uint64_t entries; /* stored entries of sparse rows, finite or not */
} gr_spread;

/* spreads: one per feature, overwritten. */
void gr_spread_dense(const float *values, size_t rows, size_t stride, size_t features,
                     gr_spread *spreads);

/* The spreads of the columns with entries in rows from..to-1, including zeros that are not stored.
 * spreads: one per feature, zero-filled; touched: at least one entry per feature. Returns the
 * number of touched columns; the caller clears their spreads afterwards. */
size_t gr_spread_sparse(const gradus_arrays *arrays, size_t from, size_t to, gr_spread *spreads,
                        uint32_t *touched);

/* The spreads of all features over the whole dataset. */
gradus_status gr_spread_all(const gradus_dataset *data, gr_spread *spreads, gr_pool *pool,
                            gradus_error *err);

#endif
