/* SPDX-License-Identifier: Apache-2.0 */
/* Bins built by hand or at random, and bitwise comparison of trees. */
#ifndef GR_TESTS_MADE_BINS_H
#define GR_TESTS_MADE_BINS_H

#include "checks.h"
#include "reference_tree.h"

#include "base/math.h"
#include "base/memory.h"
#include "base/rng.h"
#include "learners/tree/grow.h"

#include <stdlib.h>
#include <string.h>

/* Properties of a feature. */
typedef struct made_feature {
    uint32_t bins; /* of values */
    bool missing, sparse;
    uint32_t default_bin;
} made_feature;

/* The bin of feature f in row r is at [f * rows + r]; the bin of missing values is `bins`.
 * Thresholds of a feature are 0.5, 1.5, ...: a value equals its bin. Sparse bundles hold
 * `per_bundle` features; `masked` masked groups, of one and two blocks in turn, come first as far
 * as whole blocks go. */
gr_bins make_patchy_bins(const made_feature *made, size_t features, const uint32_t *table,
                         size_t rows, unsigned width, size_t per_bundle, size_t masked);

gr_bins make_bins(const made_feature *made, size_t features, const uint32_t *table, size_t rows,
                  unsigned width, size_t per_bundle);

void free_bins(gr_bins *bins);

gr_tree_options plain_options(void);

void check_same_tree(const gr_grown *a, const gr_grown *b, size_t rows);

#endif
