/* SPDX-License-Identifier: Apache-2.0 */
/* A tree that is a chain. */
#include "chain_tree.h"

gr_shap_tree chain_tree(gr_rng *rng, size_t splits, size_t features, size_t points,
                        gr_shap_node *nodes, const float *leaves, const double *factors)
{
    for (size_t i = 0; features > 0 && i < splits; i++) {
        const bool first = i < features;

        nodes[i] = (gr_shap_node){ .feature = (uint32_t)(i % features),
                                   .threshold = (float)gr_rng_uniform(rng) - 0.5f,
                                   .child = { (uint32_t)(i + 1), (uint32_t)(splits + i) },
                                   .part = { 0.25, 0.75 },
                                   .above = (uint32_t)(first ? splits : i - features),
                                   .factors = (uint32_t)(first ? 0 : i),
                                   .slot = (uint32_t)(i % features),
                                   .missing_left = (uint8_t)(i % 2) };
    }
    nodes[splits - 1].child[0] = (uint32_t)(2 * splits); /* the last split has two leaves */
    return (gr_shap_tree){ .splits = splits,
                           .inner = splits - 1,
                           .points = points,
                           .nodes = nodes,
                           .leaves = leaves,
                           .beside = splits - 1,
                           .factors = factors };
}
