/* SPDX-License-Identifier: Apache-2.0 */
/* Rows to two sides by the bin of one feature: the inner loop of splitting a node. */
#ifndef GR_KERNELS_SORT_ROWS_H
#define GR_KERNELS_SORT_ROWS_H

#include <stddef.h>
#include <stdint.h>

/* Where bins are, and which go left: those up to `most`, and `missing` (256 or more: none). The bin
 * of row r is the eight bits from `shift` on of the 32 at bytes + r * stride; three bytes that are
 * not bins may be read after the last. */
typedef struct gr_sides {
    const uint8_t *bytes;
    uint32_t stride, shift;
    uint32_t most, missing;
} gr_sides;

enum { GR_SIDES_PAD = 3 };

/* Puts the rows that go left into left, the others into right, in their order; returns how many
 * went left. What left and right hold after the rows put there, up to `count`, may change. Rows
 * times stride must be below 2^31; not for the plain one. */
typedef size_t gr_sort_rows_kernel(const gr_sides *sides, const uint32_t *rows, size_t count,
                                   uint32_t *left, uint32_t *right);
gr_sort_rows_kernel gr_sort_rows_plain, gr_sort_rows;

#endif
