/* SPDX-License-Identifier: Apache-2.0 */
/* Histograms of several outputs in one pass. A bin_sum is a 256-bit vector, so that one addition
 * serves up to four outputs with 64-bit words, or, if all hessians are 1, up to seven outputs with
 * 32-bit gradients and a row count in the last lane. */
#ifndef GR_KERNELS_HISTOGRAM_OUTPUTS_H
#define GR_KERNELS_HISTOGRAM_OUTPUTS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum {
    GR_VECTOR_WORDS = 4,   /* 64-bit words per vector */
    GR_VECTOR_OUTPUTS = 4, /* outputs per vector of 64-bit words ... */
    GR_COUNTED_OUTPUTS = 7 /* ... or of 32-bit gradients and a count */
};

/* Vectors are aligned to 32 bytes. */
typedef struct gr_vector_scan {
    const uint64_t *words; /* a block of 8-bit bins: the word of row r is at [r * stride] */
    size_t stride;
    unsigned shift;          /* 0 or 32: which four features of the block */
    const uint32_t *rows;    /* NULL: consecutive */
    const uint64_t *vectors; /* one per row, in the order of rows */
    const uint16_t *at;      /* positions in rows to add; NULL: all */
    size_t count;
    bool counted; /* 32-bit lanes with a count */
} gr_vector_scan;

/* Packs the vectors of rows; words[k * outputs_apart + row] is the word of output k. */
void gr_vectors_make(uint64_t *vectors, const uint64_t *words, size_t outputs_apart, size_t outputs,
                     const uint32_t *rows, size_t first, size_t count, bool counted);
/* Adds rows to four features, GR_COLUMN_SUMS vectors apart. */
void gr_vectors_scan(uint64_t *bin_sums, const gr_vector_scan *scan);
/* The same for sparse lists, as in gr_histogram_lists; scan->words is not used. */
void gr_vectors_scan_lists(uint64_t *bin_sums, const uint64_t *starts, const uint16_t *entries,
                           const gr_vector_scan *scan);
/* Extracts the bin_sums of output k. */
void gr_vectors_take(uint64_t *bin_sums, const uint64_t *vectors, size_t count, size_t k,
                     bool counted);

#endif
