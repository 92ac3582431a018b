/* SPDX-License-Identifier: Apache-2.0 */
/* The inner loops of the tree engine: adding the words of rows to the slots of their bins.
 *
 * A row's word has its rounded gradient in the upper half (signed) and its hessian in the lower
 * (unsigned). A narrow slot is one such word; a wide slot is two 64-bit sums, gradient first. Slots
 * are added to, never cleared. rows NULL: the rows are 0, 1, ...; words then is where they start.
 * sums[i] is the word of the i-th row in any case. */
#ifndef GR_KERNELS_HISTOGRAM_H
#define GR_KERNELS_HISTOGRAM_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Slots from a feature of 8-bit bins to the next: a cache line more than its bins, because slots a
 * multiple of 2 kB apart, which the equal bins of features that go together would be in, make loads
 * wait for stores (their addresses agree in the lower 12 bits). */
enum { GR_COLUMN_SLOTS = 264 };

/* Where the entries of `count` rows are, and what they add. */
typedef struct gr_scan {
    const uint64_t *words; /* eight 8-bit or four 16-bit bins each */
    size_t stride;         /* words from a row to the next */
    size_t blocks;         /* of them, those to use of a row: 1 to 4 */
    bool half;             /* the last block has four features at most (of 8-bit bins) */
    const uint32_t *rows;
    const uint64_t *sums;
    size_t count;
} gr_scan;

/* Eight features for every block, GR_COLUMN_SLOTS apart. */
void gr_histogram_8(uint64_t *slots, const gr_scan *scan);
void gr_histogram_8_wide(uint64_t *slots, const gr_scan *scan);
/* The same as gr_histogram_8, and faster for GR_SHORT_ROWS rows, if there are rows, no gradient is
 * beyond GR_SHORT_MOST and each hessian is 1. */
enum { GR_SHORT_ROWS = 4095, GR_SHORT_MOST = 128 };
void gr_histogram_8_short(uint64_t *slots, const gr_scan *scan);
/* Four features for every block, whose slots start at offsets[0] to offsets[4 * blocks - 1]. */
void gr_histogram_16(uint64_t *slots, const size_t *offsets, const gr_scan *scan);
void gr_histogram_16_wide(uint64_t *slots, const size_t *offsets, const gr_scan *scan);

/* Lists of entries, each a slot: those of row r are entries[starts[r]] to entries[starts[r + 1]].
 */
typedef struct gr_lists {
    const uint64_t *starts;
    const uint16_t *entries;
    uint64_t end; /* of all entries there are */
} gr_lists;

/* scan->words is not used; rows NULL: lists->starts is where the rows start. */
void gr_histogram_lists(uint64_t *slots, const gr_lists *lists, const gr_scan *scan);
void gr_histogram_lists_wide(uint64_t *slots, const gr_lists *lists, const gr_scan *scan);

/* from -= less, and into += more, word by word: works for narrow and wide slots alike. */
void gr_histogram_subtract(uint64_t *from, const uint64_t *less, size_t words);
void gr_histogram_add(uint64_t *into, const uint64_t *more, size_t words);

#endif
