/* SPDX-License-Identifier: Apache-2.0 */
/* Filters rows by a bit of their row mask, so that a histogram scan can skip the others. */
#ifndef GR_KERNELS_GATHER_H
#define GR_KERNELS_GATHER_H

#include <stddef.h>
#include <stdint.h>

typedef struct gr_row_mask {
    const uint8_t *bytes; /* one mask per row; three bytes after the last are readable */
    uint8_t bit;
} gr_row_mask;

/* Copies the rows whose mask has the bit from rows[0 .. count) (NULL: first, first + 1, ...; all
 * below 2^31) to picked and their sums to picked_sums, keeping the order; returns how many. Both
 * outputs have space for count items, all of which may be overwritten. */
typedef size_t gr_gather_rows_kernel(const gr_row_mask *mask, const uint32_t *rows, size_t first,
                                     const uint64_t *sums, size_t count, uint32_t *picked,
                                     uint64_t *picked_sums);
gr_gather_rows_kernel gr_gather_rows_plain, gr_gather_rows;

#endif
