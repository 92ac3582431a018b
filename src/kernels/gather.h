/* SPDX-License-Identifier: Apache-2.0 */
/* Filters rows by a bit of their row mask, so that a histogram scan can skip the others. */
#ifndef GR_KERNELS_GATHER_H
#define GR_KERNELS_GATHER_H

#include "kernels/versions.h"

#include <stdint.h>

typedef struct gr_row_masks {
    const uint8_t *at; /* that of the i-th row at i */
    uint8_t bit;
} gr_row_masks;

/* Copies the rows whose mask has the bit from rows[0 .. count) (NULL: first, first + 1, ...) to picked
 * and their sums to picked_sums, keeping the order; returns how many. Both outputs have space for count
 * items, all of which may be overwritten. */
typedef size_t gr_gather_rows_kernel(const gr_row_masks *masks, const uint32_t *rows, size_t first,
                                     const uint64_t *sums, size_t count, uint32_t *picked,
                                     uint64_t *picked_sums);
typedef struct gr_gather_kernels {
    gr_gather_rows_kernel *rows;
} gr_gather_kernels;

GR_KERNEL_VERSIONS(gather, gr_gather_kernels)

#endif
