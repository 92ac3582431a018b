/* SPDX-License-Identifier: Apache-2.0 */
/* The inner loops of the tree engine: build histograms by adding the words of rows to the entries
 * ("bin_sums") of their bins.
 *
 * A row's word has its quantised gradient in the upper half (signed) and its hessian in the lower
 * half (unsigned). A narrow bin_sum is one such word, so that one addition serves both; a wide
 * bin_sum is two 64-bit sums, gradient first. Slots are added to, never cleared. If rows is NULL,
 * the rows are consecutive and words points to the first of them. sums[i] is the word of the i-th
 * row in either case. */
#ifndef GR_KERNELS_HISTOGRAM_H
#define GR_KERNELS_HISTOGRAM_H

#include "kernels/versions.h"

#include <stdbool.h>
#include <stdint.h>

/* Slots between consecutive features of 8-bit bins: one cache line more than the 256 bins need.
 * With a distance of exactly 2 kB, equal bins of correlated features would agree in the low 12 bits
 * of their addresses, and loads would wait for unrelated stores (4K aliasing). */
enum { GR_COLUMN_SUMS = 264 };

/* Prefetch distances in rows, and the prefetch: into the L2 cache, because the L1 cache has fewer misses
 * in flight (12 to 24) than random rows need, and is full of bin_sums. Listed rows are fetched into the L1
 * cache, too, shortly before their use. */
enum { GR_SCAN_AHEAD = 48, GR_SCAN_NEAR = 20 };
#define GR_PREFETCH_L1(at) __builtin_prefetch(at, 0, 3)
#define GR_PREFETCH_L2(at) __builtin_prefetch(at, 0, 2)

/* The bins of `count` rows, and the words they add. */
typedef struct gr_scan {
    const uint64_t *words; /* eight 8-bit or four 16-bit bins each */
    size_t stride;         /* words between consecutive rows */
    size_t blocks;         /* words to use per row: 1 to 4 */
    size_t last;           /* features of the last block to add, even: 2 to 8 (8-bit bins) */
    const uint32_t *rows;
    const uint64_t *sums;
    size_t count;
    size_t more; /* further rows in `rows`, which a later scan adds: they are prefetched */
} gr_scan;

/* Eight features per block, GR_COLUMN_SUMS bin_sums apart. */
void gr_histogram_8(uint64_t *bin_sums, const gr_scan *scan);
void gr_histogram_8_wide(uint64_t *bin_sums, const gr_scan *scan);
/* Same result as gr_histogram_8, but faster, for listed rows whose gradients are at most
 * GR_SHORT_MAX in absolute value and whose hessians are all 1. */
enum { GR_SHORT_ROWS = 4095, GR_SHORT_MAX = 128 };
/* histogram_short.c */
void gr_histogram_8_short(uint64_t *bin_sums, const gr_scan *scan);
/* Its bin_sums are half as wide: the row count in the low 12 bits, the gradient sum above. */
typedef struct gr_histogram_short_kernels {
    /* Adds short bin_sums to bin_sums, and clears them. */
    void (*empty)(uint32_t *restrict from, size_t count, uint64_t *restrict into);
} gr_histogram_short_kernels;

GR_KERNEL_VERSIONS(histogram_short, gr_histogram_short_kernels)

/* Four features per block, whose bin_sums start at offsets[0] to offsets[4 * blocks - 1]. */
void gr_histogram_16(uint64_t *bin_sums, const size_t *offsets, const gr_scan *scan);
void gr_histogram_16_wide(uint64_t *bin_sums, const size_t *offsets, const gr_scan *scan);

/* Sparse rows as lists of bin_sums: row r has entries[starts[r]] to entries[starts[r + 1] - 1]. */
typedef struct gr_row_lists {
    const uint64_t *starts;
    const uint16_t *entries;
    uint64_t end; /* number of all entries */
} gr_row_lists;

/* scan->words is not used; if rows is NULL, lists->starts points to the first row. */
void gr_histogram_lists(uint64_t *bin_sums, const gr_row_lists *lists, const gr_scan *scan);
void gr_histogram_lists_wide(uint64_t *bin_sums, const gr_row_lists *lists, const gr_scan *scan);

/* from -= less, and into += more, word by word. Correct for narrow bin_sums too, because a sum of
 * hessians never overflows its half. */
void gr_histogram_subtract(uint64_t *from, const uint64_t *less, size_t words);
void gr_histogram_add(uint64_t *into, const uint64_t *more, size_t words);

#endif
