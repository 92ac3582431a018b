/* SPDX-License-Identifier: Apache-2.0 */
/* The tree engine in its simplest form: loops over rows, bins and features, one node at a time.
 * Tests compare the fast engine with it bit for bit. */
#ifndef GR_LEARNERS_TREE_REFERENCE_H
#define GR_LEARNERS_TREE_REFERENCE_H

#include "learners/tree/tree.h"

/* Grows the tree of one output. `wide` as in quantize.h: each row fits 32 bits, sums need 64. Free
 * the result with gr_reference_free. */
gradus_status gr_reference_grow(const gr_bins *bins, size_t outputs, size_t output,
                                const gr_tree_options *options, const int8_t *signs,
                                const gr_round *round, bool wide, gr_grown *grown,
                                gradus_error *err);
void gr_reference_free(gr_grown *grown);

#endif
