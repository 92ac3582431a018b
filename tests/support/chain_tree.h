/* SPDX-License-Identifier: Apache-2.0 */
/* A tree that is a chain, for the kernel shap_tree. */
#ifndef GR_TESTS_CHAIN_TREE_H
#define GR_TESTS_CHAIN_TREE_H

#include "base/rng.h"
#include "kernels/shap_tree.h"

#include <stdbool.h>

/* Splits on `features` features in turn, so that splits on the same feature are below each other.
 * Fills nodes (splits); the caller has filled leaves (splits + 1) and factors (splits + 2 pairs). */
gr_shap_tree chain_tree(gr_rng *rng, size_t splits, size_t features, size_t points,
                        gr_shap_node *nodes, const float *leaves, const double *factors);

#endif
