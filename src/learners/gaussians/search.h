/* SPDX-License-Identifier: Apache-2.0 */
/* The search for the Gaussian that lowers the loss most. Values of a feature are put into bins,
 * each known by its mean; every distinct value has a bin of its own if there is room, and then the
 * search is exact. Centres are the means of bins. A search is linear in the rows, and beside that
 * takes the square of the bins for each feature and bandwidth. */
#ifndef GR_LEARNERS_GAUSSIANS_SEARCH_H
#define GR_LEARNERS_GAUSSIANS_SEARCH_H

#include "learners/gaussians/gaussians.h"

enum { GR_MOST_BANDWIDTHS = 16 };
#define GR_NO_BIN 0xffffu /* of a value that is not finite */

typedef struct gr_gaussian_search {
    size_t rows, features;
    gr_array codes;                    /* uint16_t, features x rows: the bin of each value */
    size_t *starts;                    /* features + 1: where the bins of a feature start */
    double *means;                     /* of the values in each bin */
    double *deviations;                /* of each feature */
    double widths[GR_MOST_BANDWIDTHS]; /* times the deviation if relative */
    size_t width_count;
    bool relative;
    gr_gaussian *best; /* of each feature; weight 0: none */
    double *room;      /* threads x (3 x most bins) */
    size_t most_bins;
} gr_gaussian_search;

gradus_status gr_gaussian_search_new(const gradus_dataset *data, const gr_gaussian_options *options,
                                     const gr_bin_options *bin, const gradus_context *context,
                                     gr_gaussian_search *search, gradus_error *err);
void gr_gaussian_search_free(gr_gaussian_search *search);

/* The best term for gradients and hessians of the rows: its weight is a Newton step, 0 if there is
 * none that lowers the loss. */
gr_gaussian gr_gaussian_search_run(gr_gaussian_search *search, const float *gradients,
                                   const float *hessians, double l2, gr_pool *pool);

#endif
