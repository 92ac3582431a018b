/* SPDX-License-Identifier: Apache-2.0 */
/* Partitions rows by the bin of one feature: the inner loop of splitting a node. */
#ifndef GR_KERNELS_SORT_ROWS_H
#define GR_KERNELS_SORT_ROWS_H

#include "kernels/versions.h"

#include <stdint.h>

/* Where the bins are, and which of them go left: those up to `most`, and `missing` (256 or more:
 * none). The bin of row r is the eight bits from bit `shift` of the 32-bit word at bytes + r *
 * stride; up to three bytes after the last bin may be read. */
typedef struct gr_sides {
    const uint8_t *bytes;
    uint32_t stride, shift;
    uint32_t most, missing;
} gr_sides;

enum { GR_SIDES_PAD = 3 };

/* Writes the rows that go left to `left` and the others to `right`, keeping their order; returns
 * how many go left. Both have space for `count` rows, all of which may be overwritten. Row numbers
 * times stride must be below 2^31, except for the plain version. */
typedef size_t gr_sort_rows_kernel(const gr_sides *sides, const uint32_t *rows, size_t count,
                                   uint32_t *left, uint32_t *right);
typedef struct gr_sort_rows_kernels {
    gr_sort_rows_kernel *sort;
} gr_sort_rows_kernels;

GR_KERNEL_VERSIONS(sort_rows, gr_sort_rows_kernels)

#endif
