/* SPDX-License-Identifier: Apache-2.0 */
/* The functions of a device that keep the rows and outputs of a validation set: the trees of each round
 * are added there, and the lists of documents are ranked there for NDCG. All results have the bits of
 * the processor's. Also compiled as C++ and CUDA. */
#ifndef GR_BACKEND_VALID_DEVICE_H
#define GR_BACKEND_VALID_DEVICE_H

#include "backend/ranked_lists.h"
#include "backend/score_device.h"

#ifdef __cplusplus
extern "C" {
#endif

/* A validation set. Arrays must outlive open() only. */
typedef struct gr_device_set {
    size_t rows, features, outputs;
    size_t batch;                 /* rows that are copied at once */
    const double *sums;           /* [outputs x rows], at the start */
    const gr_device_lists *lists; /* NULL: nothing is ranked */
} gr_device_set;

typedef struct gr_valid_run gr_valid_run; /* of the device */

typedef struct gr_valid_device {
    /* Allocates the set, without values. */
    gradus_status (*open)(const gradus_device *device, const gr_device_set *set, gr_valid_run **run,
                          gradus_error *err);
    /* Where the caller writes the values of the next batch, features floats per row. */
    float *(*room)(gr_valid_run *run);
    /* Copies the values of rows from `first` on to the device. */
    gradus_status (*load)(gr_valid_run *run, size_t first, size_t rows, gradus_error *err);
    /* Adds the bases, unless they are NULL, and the trees, in their order, to the sums of all rows. */
    gradus_status (*add)(gr_valid_run *run, const gr_score_trees *trees, gradus_error *err);
    /* The DCG of each list by the sums of output 0, as by gr_dcg; -1 if one of them is not finite. */
    gradus_status (*dcgs)(gr_valid_run *run, double *dcgs, gradus_error *err);
    /* Copies the sums. `sums` is the same array every time and outlives the run. */
    gradus_status (*fetch)(gr_valid_run *run, double *sums, gradus_error *err);
    void (*close)(gr_valid_run *run); /* accepts NULL */
} gr_valid_device;

/* The bytes that a set needs on a device; double because they may exceed the largest integer. */
static inline double gr_device_set_bytes(const gr_device_set *set)
{
    const double rows = (double)set->rows, features = (double)set->features;
    double bytes = (rows + (double)set->batch) * features * sizeof(float) +
                   rows * (double)set->outputs * sizeof(double);

    if (set->lists)
        bytes += gr_device_lists_bytes(set->lists);
    return bytes + (1 << 20);
}

#ifdef __cplusplus
}
#endif

#endif
