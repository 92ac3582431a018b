/* SPDX-License-Identifier: Apache-2.0 */
/* A dataset that holds bins of its values instead of the values: one byte per value instead of
 * four. Learners that need only bins take them (bins/bins.h). Trees whose thresholds separate bins
 * give the same scores for any values of the bins. Everything else asks for the values with
 * gr_dataset_need, which reads them from the file again. */
#ifndef GR_DATA_BINNED_H
#define GR_DATA_BINNED_H

#include "data/dataset.h"

#include <pthread.h>

enum { GR_SUM_BYTES = 1 << 22 }; /* bytes of values per checksum */

typedef struct gr_binned {
    /* What a fingerprint takes of the values: the bytes of each array, those of sparse rows having
     * three, and of each array the sums of GR_SUM_BYTES bytes each, and one of the rest. */
    size_t array_count;
    uint64_t array_bytes[3];
    size_t sum_count;
    uint32_t *sums; /* CRC-32C */
    /* Of the folder that made it: */
    void *state;
    /* Reads the values into data->owned[GR_VALUES]; NULL: they are not available. */
    gradus_status (*load)(void *state, gradus_dataset *data, gr_pool *pool, gradus_error *err);
    /* Whether the threshold separates two bins of the feature. */
    bool (*separates)(const void *state, size_t feature, float threshold);
    /* Writes a value of the bin of each feature, NAN for missing values, for rows [first, end). */
    void (*decode)(const void *state, size_t first, size_t end, float *values);
    void (*free)(void *state);
    pthread_mutex_t loading;
} gr_binned;

/* Takes over the state and the sums even if it fails; replaces a binned without state. */
gradus_status gr_binned_attach(gradus_dataset *data, const gr_binned *binned, gradus_error *err);
void gr_binned_free(gr_binned *binned); /* NULL is accepted */
/* Loads the values unless they are there. Thread-safe. */
gradus_status gr_binned_need_values(const gradus_dataset *data, gr_pool *pool, gradus_error *err);

/* Whether the dataset has bins of values that are not available. */
static inline bool gr_dataset_is_binned(const gradus_dataset *data)
{
    return data->binned && !data->binned->load;
}

/* Whether the dataset has bins but no values. */
static inline bool gr_dataset_lacks_values(const gradus_dataset *data)
{
    return data->binned && !data->arrays.values && !data->arrays.row_starts;
}

#endif
