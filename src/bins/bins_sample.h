/* SPDX-License-Identifier: Apache-2.0 */
/* A sample: the values of a range of features in the sampled rows, stored feature by feature. */
#ifndef GR_BINS_BINS_SAMPLE_H
#define GR_BINS_BINS_SAMPLE_H

#include "bins/bins_work.h"

typedef struct gr_column_sample {
    gr_binning *work;
    size_t first, end;         /* range of features */
    size_t first_own, end_own; /* range of sampled rows that this process has */
    int32_t *keys;
    size_t *starts;    /* per feature: start of its keys */
    uint32_t *counts;  /* per feature: number of keys; rows without a key have the value 0 */
    size_t width;      /* dense rows: features per sample */
    uint64_t *entries; /* sparse rows: cumulative entries before each feature */
    uint64_t room;     /* capacity of keys */
} gr_column_sample;

/* Allocates a sample. longest: the maximum number of keys of a feature. Call gr_column_sample_end
 * even if this fails. */
gradus_status gr_column_sample_start(gr_column_sample *sample, size_t *longest, gradus_error *err);
/* Advances to the next range of features, which must exist. */
void gr_column_sample_next(gr_column_sample *sample);
gradus_status gr_column_sample_gather(gr_column_sample *sample, gradus_error *err);
void gr_column_sample_end(gr_column_sample *sample);

#endif
