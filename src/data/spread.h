/* SPDX-License-Identifier: Apache-2.0 */
/* How the values of a feature spread. Values that are not finite are left out. */
#ifndef GR_DATA_SPREAD_H
#define GR_DATA_SPREAD_H

#include "data/dataset.h"

typedef struct gr_spread {
    double count;
    double mean;
    double squares;   /* sum of squared distances to the mean */
    double low, high; /* low > high if there is no value */
    uint64_t entries; /* of sparse rows, finite or not */
} gr_spread;

/* spreads: one a feature, overwritten. */
void gr_spread_dense(const float *values, size_t rows, size_t stride, size_t features,
                     gr_spread *spreads);

/* The columns that the entries of rows from..to touch, and their spreads, zeros that are not
 * stored counted too. spreads: one a feature, all bytes 0; touched: room for all features.
 * Returns how many are touched; the caller clears their spreads again. */
size_t gr_spread_sparse(const gradus_arrays *arrays, size_t from, size_t to, gr_spread *spreads,
                        uint32_t *touched);

/* The spreads of all features over a whole set. */
gradus_status gr_spread_all(const gradus_dataset *data, gr_spread *spreads, gr_pool *pool,
                            gradus_error *err);

#endif
