/* SPDX-License-Identifier: Apache-2.0 */
/* Gradient quantisation: gradients and hessians as integers.
 *
 * The gradients of an output are multiplied by a power of two and rounded stochastically: x becomes
 * the integer nearest to x + u, where u in (-1/2, 1/2) is a hash of (key, row). The rounding error
 * has mean 0. Hessians are rounded the same way with their own scale and u, or are all 1 if the
 * search counts rows. A word holds the gradient in its upper half and the hessian in its lower
 * half.
 *
 * There are three formats.
 *
 * Narrow: 32-bit sums, scale = 2^floor(log2(2^30 / sum|x|)). Rounding moves each of N rows by less
 * than 1, so a sum over any set of rows stays within 2^30 + N < 2^31 for N up to GR_NARROW_ROWS: a
 * 32-bit half cannot overflow.
 *
 * Wide, for more rows: 64-bit sums, and only single rows must fit 32 bits; scale =
 * 2^floor(log2(min(2^30 / max|x|, 2^52 / sum|x|))), so that a sum is below 2^53 and exact as a
 * double.
 *
 * Short, where the round allows it and all hessians are 1: a gradient is at most GR_SHORT_MAX, so
 * that the sum over a few thousand rows fits 32 bits together with their count, which is faster
 * (kernels/histogram.h); scale = 2^floor(log2(GR_SHORT_MAX / max|x|)). It is used only if the mean
 * |gradient| is at least GR_SHORT_MEAN after scaling: rounding adds less than 1/4 to the variance
 * of a row, which is then less than 1/250 of the mean square.
 *
 * Where the round has a grid of which all gradients are multiples (boost/leaf_grid.h), the scale is at
 * most that of the grid, so that mostly it does not change from round to round and rounding is exact.
 * */
#ifndef GR_LEARNERS_TREE_QUANTIZE_H
#define GR_LEARNERS_TREE_QUANTIZE_H

#include "base/pool.h"
#include "kernels/keyed_rounding.h"
#include "kernels/rounding.h"
#include "learners/tree/tree.h"

enum { GR_NARROW_ROWS = 1 << 22 }; /* beyond it, the mean |gradient| would have under 8 bits */
#define GR_SHORT_MEAN 8.0
/* Adding u to an integer x below 2^20 is exact in doubles, since u is a multiple of 2^-33; rounding
 * then gives x. The limit has a bit to spare. */
#define GR_EXACT_GRADIENT 0x1p19

/* The quantisation of one output in one round. */
typedef struct gr_lanes {
    bool wide, unit; /* unit: hessians of the search are all 1 */
    bool is_short;
    bool exact; /* the integers are gradient * round->grid, without rounding; sums have 32 bits */
    bool ones;  /* hessians of leaf values are all 1: leaf sums count rows (independent of unit) */
    double gradient_scale, hessian_scale;           /* integer = value * scale, rounded */
    double gradient_total, hessian_total;           /* sums of the integers over all rows */
    double hessian_most;                            /* the largest integer hessian of a row */
    double leaf_gradient_scale, leaf_hessian_scale; /* of exact sums: 2^floor(log2(2^61/sum|x|)) */
} gr_lanes;

/* 2^floor(log2(2^power / sum)); 1 if sum is 0. */
double gr_scale_for(double sum, int power);

/* The scale of short gradients; 0 if they would be too coarse. */
double gr_short_scale(const gr_extent *all, size_t rows);

/* Quantises output k: writes words[row] for each row of the round and fills lanes. */
gradus_status gr_round_words(const gr_round *round, size_t rows, size_t outputs, size_t k,
                             bool wide, gr_pool *pool, uint64_t *words, gr_lanes *lanes,
                             gradus_error *err);

/* Of one process or of all: the sizes of gradients, of the hessians of leaf values and of those of
 * the search. */
typedef struct gr_extents {
    gr_extent gradient, leaf, search;
} gr_extents;

/* Sets the scales of an output from the sizes of its numbers. lanes has wide and unit. ones: hessians
 * of leaf values are all 1. False if a number is not finite or a hessian is negative, which
 * gr_fail_number then reports. */
bool gr_lanes_set(const gr_round *round, const gr_extents *all, bool ones, gr_lanes *lanes);
gradus_status gr_fail_number(const gr_round *round, size_t rows, size_t k, gradus_error *err);
/* The key of the random numbers that output k is rounded with. */
uint64_t gr_rounding_key(const gr_round *round, size_t outputs, size_t k);
/* Adds the sizes of some numbers to those of others. */
void gr_extent_add(gr_extent *all, const gr_extent *one);

/* Per leaf: its rows, and the sums of their unquantised gradients and hessians. */
typedef struct gr_leaf_totals {
    uint32_t *covers;
    double *gradients, *hessians;
} gr_leaf_totals;

/* Sums over the rows of each leaf of a tree, which has `leaves` of them and `starts` as in gr_grown,
 * and over all processes. Values are truncated to multiples of 1 / scale and added as integers, so that neither the order nor the
 * number of threads or processes matters. */
gradus_status gr_leaf_sums(const gr_round *round, size_t rows, size_t k, const gr_lanes *lanes,
                           const gr_runs *runs, const uint32_t *starts, size_t leaves,
                           gr_pool *pool, const gr_leaf_totals *totals, gradus_error *err);

/* quantize_shared.c */
/* Makes the extents of this process's sampled rows those of all processes: either exactly the sums
 * of a single process, or close enough to them that gr_round_words gets the same scales. values:
 * gradients, hessians of leaf values and of the search (NULL: all 1), by row. *ones: whether all
 * hessians of leaf values are 1. block: rows that are summed together. */
gradus_status gr_extents_share(const gr_round *round, const float *const values[3],
                               bool may_be_short, size_t block, gr_extents *extents, bool *ones,
                               gradus_error *err);

#endif
