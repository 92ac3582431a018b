/* SPDX-License-Identifier: Apache-2.0 */
/* The tree engine in its simplest form: loops over rows, bins and features, one node at a time.
 * Tests compare the fast engine with it bit for bit. */
#ifndef GR_TESTS_REFERENCE_TREE_H
#define GR_TESTS_REFERENCE_TREE_H

#include "learners/tree/tree.h"

/* Grows the tree of one output. `wide` as in rounding.h: each row fits 32 bits, sums need 64. Free
 * the result with reference_tree_free. */
gradus_status reference_tree_grow(const gr_bins *bins, size_t outputs, size_t output,
                                  const gr_tree_options *options, const int8_t *signs,
                                  const gr_round *round, bool wide, gr_grown *grown,
                                  gradus_error *err);
void reference_tree_free(gr_grown *grown);

#endif
