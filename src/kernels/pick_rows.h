/* SPDX-License-Identifier: Apache-2.0 */
/* Rows that have a bit, and what they add: the others need not be looked at. */
#ifndef GR_KERNELS_PICK_ROWS_H
#define GR_KERNELS_PICK_ROWS_H

#include <stddef.h>
#include <stdint.h>

typedef struct gr_patch {
    const uint8_t *bytes; /* one a row, readable for three more */
    uint8_t bit;
} gr_patch;

/* Of rows[0 .. count) (NULL: first, first + 1, ...; all below 2^31), those whose byte has the bit,
 * into picked, and their sums into picked_sums, in their order; returns how many. Both have room
 * for count and are changed up to there. */
typedef size_t gr_pick_rows_kernel(const gr_patch *patch, const uint32_t *rows, size_t first,
                                   const uint64_t *sums, size_t count, uint32_t *picked,
                                   uint64_t *picked_sums);
gr_pick_rows_kernel gr_pick_rows_plain, gr_pick_rows;

#endif
