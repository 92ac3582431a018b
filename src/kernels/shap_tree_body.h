/* SPDX-License-Identifier: Apache-2.0 */
/* The kernel of shap_tree.h over vectors of WIDTH doubles. Without branches that depend on the row:
 * they would be unpredictable. */
#include "kernels/lanes.h"

/* The vectors of a tree: sums below each node, products above it, and two per split. */
typedef struct LANED(buffers) {
    double *below, *above, *steps, *terms;
    uint8_t *sides; /* of each split: the child that the row reaches by this feature; 2: neither */
} LANED(buffers);

LANED_INLINE void LANED(up)(const gr_shap_tree *tree, size_t points, const LANED(buffers) * to)
{
    for (size_t i = tree->splits; i-- > 0;) {
        const gr_shap_node *node = &tree->nodes[i];
        const unsigned side = to->sides[i] >> 4;
        const double part = node->part[1 - side];
        const double *taken = to->below + node->child[side] * points;
        const double *other = to->below + node->child[1 - side] * points;
        const size_t factors = to->sides[i] & 4 ? 1 : node->factors;
        const double *scale = tree->factors + 2 * factors * points, *weight = scale + points;

        for (size_t p = 0; p < points; p += WIDTH) {
            const lanes step = part * LANED(load)(scale + p), high = LANED(load)(taken + p);
            const lanes change = step * (high - LANED(load)(other + p));

            LANED(store)(to->steps + i * points + p, step);
            LANED(store)(to->terms + i * points + p, change * LANED(load)(weight + p));
            LANED(store)(to->below + i * points + p, high - change);
        }
    }
}

LANED_INLINE void LANED(down)(const gr_shap_tree *tree, size_t points, const LANED(buffers) * to,
                              double *sums)
{
    for (size_t i = 0; i < tree->splits; i++) {
        const gr_shap_node *node = &tree->nodes[i];
        const unsigned side = to->sides[i] >> 4;
        double *taken = to->above + node->child[side] * points;
        double *other = to->above + node->child[1 - side] * points;
        double *sum = sums + node->slot * points;

        for (size_t p = 0; p < points; p += WIDTH) {
            const lanes product = LANED(load)(to->above + i * points + p);
            const lanes rest = product * LANED(load)(to->steps + i * points + p);

            LANED(store)(other + p, rest);
            LANED(store)(taken + p, product - rest);
            LANED(store)
            (sum + p, LANED(load)(sum + p) + product * LANED(load)(to->terms + i * points + p));
        }
    }
}

/* Bit 4 and up: the side that the row takes at the split. Low bits: that side if the row reaches the
 * split as far as this feature is concerned; 4 if not. */
LANED_INLINE void LANED(pass)(const gr_shap_tree *tree, const float *row, uint8_t *sides)
{
    for (size_t i = 0; i < tree->splits; i++) {
        const gr_shap_node *node = &tree->nodes[i];
        const float value = row[node->feature];
        const unsigned left =
            (unsigned)(value < node->threshold) | ((unsigned)(value != value) & node->missing_left);
        const unsigned side = 1 - left, reached = (sides[node->above] & 7) == node->above_side;

        sides[i] = (uint8_t)(side << 4 | (reached ? side : 4));
    }
}

LANED_INLINE void LANED(add_rows)(const gr_shap_tree *tree, const float *values, size_t rows,
                                  size_t stride, size_t points, void *work, double *sums,
                                  size_t sums_stride)
{
    const size_t vectors = 2 * tree->splits + 1;
    LANED(buffers) to = { .below = work };

    to.above = to.below + vectors * points;
    to.steps = to.above + vectors * points;
    to.terms = to.steps + tree->splits * points;
    to.sides = (uint8_t *)(to.terms + tree->splits * points);
    to.sides[tree->splits] = 0;
    for (size_t l = 0; l <= tree->splits; l++)
        for (size_t p = 0; p < points; p += WIDTH)
            LANED(store)
            (to.below + (tree->splits + l) * points + p, LANED(all_of)((double)tree->leaves[l]));
    for (size_t p = 0; p < points; p++)
        to.above[p] = 1.0;
    for (size_t r = 0; r < rows; r++) {
        LANED(pass)(tree, values + r * stride, to.sides);
        LANED(up)(tree, points, &to);
        LANED(down)(tree, points, &to, sums + r * sums_stride);
    }
}

/* With a constant number of points the inner loops are unrolled. */
TARGET static void LANED(add)(const gr_shap_tree *tree, const float *values, size_t rows,
                              size_t stride, void *work, double *sums, size_t sums_stride)
{
    if (tree->points == 4)
        LANED(add_rows)(tree, values, rows, stride, 4, work, sums, sums_stride);
    else if (tree->points == 8)
        LANED(add_rows)(tree, values, rows, stride, 8, work, sums, sums_stride);
    else
        LANED(add_rows)(tree, values, rows, stride, tree->points, work, sums, sums_stride);
}

const gr_shap_kernels LANED(gr_shap_tree) = { LANED(add) };
#include "kernels/lanes_end.h"
