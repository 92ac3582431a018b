/* SPDX-License-Identifier: Apache-2.0 */
/* Finds the cut of a feature with the largest AdaBoost edge. Every bin has a vector of signed
 * weights, one per label (weight times -1 or +1), as integers, so that sums are exact. The edge of
 * a cut is
 *
 *   independent   if each side has its own votes: the sum over labels of |left| + |right|
 *   opposed       if the sides vote oppositely: the sum over labels of |right - left| */
#ifndef GR_KERNELS_ADABOOST_CUT_H
#define GR_KERNELS_ADABOOST_CUT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum { GR_EDGE_LANES = 4, GR_EDGE_GROUPS = 64 }; /* labels per vector; maximum vectors per bin */

typedef struct gr_edge_scan {
    const int64_t *slots;  /* vectors of the first four labels, bin by bin; aligned to 32 bytes */
    size_t groups;         /* vectors per bin */
    size_t apart;          /* numbers between the vectors of a bin */
    size_t bins;           /* of values; the bin of missing values follows them */
    bool missing;          /* there is a bin of missing values */
    const int64_t *totals; /* groups x GR_EDGE_LANES, aligned */
    bool opposed;
} gr_edge_scan;

typedef struct gr_edge_cut {
    int64_t edge; /* -1: no cut is possible */
    size_t bin;   /* last bin of the left side; if it is the last, only missing values go right */
    bool missing_left;
} gr_edge_cut;

/* The best cut. Ties go to missing values on the right, then to the lower bin. */
gr_edge_cut gr_edge_best(const gr_edge_scan *scan);
gr_edge_cut gr_edge_best_plain(const gr_edge_scan *scan); /* for tests */

#endif
