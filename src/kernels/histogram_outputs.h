/* SPDX-License-Identifier: Apache-2.0 */
/* Histograms of several outputs in one pass: a slot is a vector of 256 bits, so that one addition
 * serves up to four outputs whose words have 64 bits each, or up to seven whose hessians are all 1:
 * then a lane of 32 bits holds a gradient, and the last lane counts rows. */
#ifndef GR_KERNELS_HISTOGRAM_OUTPUTS_H
#define GR_KERNELS_HISTOGRAM_OUTPUTS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum {
    GR_VECTOR_WORDS = 4,   /* 64-bit words of a vector */
    GR_VECTOR_OUTPUTS = 4, /* outputs that share a vector of whole words ... */
    GR_COUNTED_OUTPUTS = 7 /* ... or of gradients and a count */
};

/* Vectors are aligned to 32 bytes. */
typedef struct gr_vector_scan {
    const uint64_t *words; /* of a block of 8-bit bins: that of row r at [r * stride] */
    size_t stride;
    unsigned shift;          /* 0 or 32: which four features of the block */
    const uint32_t *rows;    /* NULL: 0, 1, ... */
    const uint64_t *vectors; /* one a row of the scan, in their order */
    const uint16_t *at;      /* those of them to add; NULL: all, 0, 1, ... */
    size_t count;
    bool counted; /* lanes of 32 bits */
} gr_vector_scan;

/* Makes the vectors of rows: words[k * outputs_apart + row] is the word of output k. */
void gr_vectors_make(uint64_t *vectors, const uint64_t *words, size_t outputs_apart, size_t outputs,
                     const uint32_t *rows, size_t first, size_t count, bool counted);
/* Four features, GR_COLUMN_SLOTS vectors apart. */
void gr_vectors_scan(uint64_t *slots, const gr_vector_scan *scan);
/* Lists of entries, as in gr_histogram_lists; scan->words is not used. */
void gr_vectors_scan_lists(uint64_t *slots, const uint64_t *starts, const uint16_t *entries,
                           const gr_vector_scan *scan);
/* The slots of output k out of those of all. */
void gr_vectors_take(uint64_t *slots, const uint64_t *vectors, size_t count, size_t k,
                     bool counted);

#endif
