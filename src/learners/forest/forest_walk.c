/* SPDX-License-Identifier: Apache-2.0 */
/* Walks rows through one tree, for trees too large for masks or too few to compile. */
#include "learners/forest/compile.h"

#include <math.h>

enum { TOGETHER = 8 }; /* rows walked at once, so that their memory latencies overlap */

static inline int32_t step(const gr_split *splits, int32_t node, const float *row)
{
    /* Rows that have reached a leaf read the root, without effect, and stay there. */
    const gr_split *split = &splits[node < 0 ? 0 : node];
    const float value = row[split->feature];
    const bool left = (value < split->threshold) | (isnan(value) & (split->missing_left != 0));
    const int32_t next = left ? split->left : split->right;

    return node < 0 ? node : next;
}

void gr_walk_rows(const gr_forest *forest, size_t t, const float *values, size_t rows,
                  size_t stride, double *sums)
{
    const gr_split *splits = forest->splits + forest->starts[t];
    const float *leaves = forest->leaves + forest->starts[t] + t;
    const int32_t root = gr_tree_splits(forest, t) ? 0 : ~0;
    size_t r = 0;

    for (; rows - r >= TOGETHER; r += TOGETHER) {
        int32_t nodes[TOGETHER], inner = root;

        for (size_t i = 0; i < TOGETHER; i++)
            nodes[i] = root;
        while (inner >= 0) {
            inner = -1;
            for (size_t i = 0; i < TOGETHER; i++) {
                nodes[i] = step(splits, nodes[i], values + (r + i) * stride);
                inner &= nodes[i];
            }
        }
        for (size_t i = 0; i < TOGETHER; i++)
            sums[r + i] += (double)leaves[~nodes[i]];
    }
    for (; r < rows; r++)
        sums[r] += (double)leaves[gr_forest_leaf(forest, t, values + r * stride)];
}
