/* Rows to two sides by the bin of one feature, a byte a row: the inner loop of splitting a node. */
#ifndef GR_KERNELS_SORT_ROWS_H
#define GR_KERNELS_SORT_ROWS_H

#include <stddef.h>
#include <stdint.h>

/* Which bins go left: those up to `most`, and `missing` (256: none). */
typedef struct gr_sides {
    const uint8_t *column; /* readable for GR_SIDES_PAD bytes after the last row */
    uint32_t most, missing;
} gr_sides;

enum { GR_SIDES_PAD = 3 };

/* Puts the rows, each below 2^31, that go left into left, the others into right, in their order;
 * returns how many went left. What left and right hold after the rows put there, up to `count`, may
 * change. */
typedef size_t gr_sort_rows_kernel(const gr_sides *sides, const uint32_t *rows, size_t count,
                                   uint32_t *left, uint32_t *right);
gr_sort_rows_kernel gr_sort_rows_plain, gr_sort_rows;

#endif
