/* SPDX-License-Identifier: Apache-2.0 */
/* The cut of a feature with the largest edge. Every bin has a vector of signed weights, one a label
 * (weight times -1 or +1), as whole numbers: sums of any rows are exact.
 *
 *   apart     each side of the cut has votes of its own: sum over labels of |left| + |right|
 *   opposed   the sides have opposite votes: sum over labels of |right - left| */
#ifndef GR_KERNELS_EDGE_H
#define GR_KERNELS_EDGE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum { GR_EDGE_LANES = 4, GR_EDGE_GROUPS = 64 }; /* labels of a vector; vectors of a bin at most */

typedef struct gr_edge_scan {
    const int64_t *slots;  /* vectors of the first labels, bin by bin; aligned to 32 bytes */
    size_t groups;         /* vectors of a bin ... */
    size_t apart;          /* ... which are so many numbers apart */
    size_t bins;           /* of values; that of missing values comes after them */
    bool missing;          /* there is such a bin */
    const int64_t *totals; /* groups x GR_EDGE_LANES, aligned */
    bool opposed;
} gr_edge_scan;

typedef struct gr_edge_cut {
    int64_t edge; /* -1: there is nothing to cut */
    size_t bin; /* left: bins up to this one; the last bin of values: only missing ones go right */
    bool missing_left;
} gr_edge_cut;

/* The first of the best cuts, those with missing values on the right before the others. */
gr_edge_cut gr_edge_best(const gr_edge_scan *scan);
gr_edge_cut gr_edge_best_plain(const gr_edge_scan *scan); /* for tests */

#endif
