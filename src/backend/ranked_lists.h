/* SPDX-License-Identifier: Apache-2.0 */
/* The lists of documents that a device ranks for NDCG. Also compiled as C++ and CUDA. */
#ifndef GR_BACKEND_RANKED_LISTS_H
#define GR_BACKEND_RANKED_LISTS_H

#include <stddef.h>
#include <stdint.h>

/* What NDCG needs besides the scores; see metrics/dcg_plan.h. */
typedef struct gr_device_lists {
    size_t queries, largest; /* documents in the largest list */
    const uint64_t *starts;  /* [queries + 1], rows */
    const double *gains;     /* [row], at least 0 */
    const double *discounts; /* [depth] */
    size_t depth;            /* at most `largest` */
} gr_device_lists;

/* An upper bound of the bytes that they take on a device: gains, and three numbers of each document while
 * it is ranked. Double because it may exceed the largest integer. */
static inline double gr_device_lists_bytes(const gr_device_lists *lists)
{
    return 4.0 * sizeof(double) * (double)lists->starts[lists->queries] +
           32.0 * (double)lists->queries + 8.0 * (double)lists->depth;
}

#endif
