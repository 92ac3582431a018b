/* SPDX-License-Identifier: Apache-2.0 */
/* The kernel of shap_tree.h over vectors of WIDTH doubles. Without branches that depend on the row:
 * they would be unpredictable. */
#include "kernels/lanes.h"

/* Decides the splits for a row. A split that the row does not reach as far as this feature is
 * concerned has bit 2 of its side set and row 1 of the factors. */
LANED_INLINE void LANED(pass)(const gr_shap_node *nodes, size_t splits, const float *row,
                              gr_shap_turn *turns, uint8_t *sides)
{
    for (size_t i = 0; i < splits; i++) {
        const gr_shap_node *node = &nodes[i];
        const float value = row[node->feature];
        const unsigned left =
            (unsigned)(value < node->threshold) | ((unsigned)(value != value) & node->missing_left);
        const unsigned lost = sides[node->above] != node->above_side;

        turns[i].part = node->part[left];
        turns[i].taken = node->child[1 - left];
        turns[i].other = node->child[left];
        turns[i].factors = (node->factors & (lost - 1u)) | lost;
        sides[i] = (uint8_t)((1 - left) | lost << 2);
    }
}

/* Sums below the splits with two leaves, which are last and come first. */
LANED_INLINE void LANED(up_leaves)(const gr_shap_tree *tree, const gr_shap_turn *turns,
                                   const double *factors, size_t points, double *below)
{
    const float *leaves = tree->leaves;
    const size_t splits = tree->splits;

    for (size_t i = tree->inner; i < splits; i++) {
        const gr_shap_turn turn = turns[i];
        const double high = (double)leaves[turn.taken - splits];
        const double apart = high - (double)leaves[turn.other - splits];
        const double *scale = factors + 2 * turn.factors * points;

        for (size_t p = 0; p < points; p += WIDTH)
            LANED(store)(below + i * points + p, high - turn.part * LANED(load)(scale + p) * apart);
    }
}

/* Sums below each other split, from the last to the first, and the terms of the features. */
LANED_INLINE void LANED(up)(const gr_shap_turn *turns, size_t inner, const double *factors,
                            size_t points, double *below, double *terms)
{
    for (size_t i = inner; i-- > 0;) {
        const gr_shap_turn turn = turns[i];
        const double *taken = below + turn.taken * points, *other = below + turn.other * points;
        const double *scale = factors + 2 * turn.factors * points, *weight = scale + points;
        double *sum = below + i * points, *to = terms + i * points;

        for (size_t p = 0; p < points; p += WIDTH) {
            const lanes step = turn.part * LANED(load)(scale + p), high = LANED(load)(taken + p);
            const lanes change = step * (high - LANED(load)(other + p));

            LANED(store)(to + p, change * LANED(load)(weight + p));
            LANED(store)(sum + p, high - change);
        }
    }
}

/* Products above each split, and the sums of the features. */
LANED_INLINE void LANED(down)(const gr_shap_turn *turns, const gr_shap_node *nodes, size_t inner,
                              const double *factors, size_t points, double *above,
                              const double *terms, double *sums)
{
    for (size_t i = 0; i < inner; i++) {
        const gr_shap_turn turn = turns[i];
        const double *from = above + i * points, *term = terms + i * points;
        const double *scale = factors + 2 * turn.factors * points;
        double *taken = above + turn.taken * points, *other = above + turn.other * points;
        double *sum = sums + nodes[i].slot * points;

        for (size_t p = 0; p < points; p += WIDTH) {
            const lanes product = LANED(load)(from + p);
            const lanes rest = product * (turn.part * LANED(load)(scale + p));

            LANED(store)(other + p, rest);
            LANED(store)(taken + p, product - rest);
            LANED(store)(sum + p, LANED(load)(sum + p) + product * LANED(load)(term + p));
        }
    }
}

/* The features of the splits with two leaves. */
LANED_INLINE void LANED(down_leaves)(const gr_shap_tree *tree, const gr_shap_turn *turns,
                                     const double *factors, size_t points, const double *above,
                                     double *sums)
{
    const float *leaves = tree->leaves;
    const size_t splits = tree->splits;

    for (size_t i = tree->inner; i < splits; i++) {
        const gr_shap_turn turn = turns[i];
        const double apart =
            (double)leaves[turn.taken - splits] - (double)leaves[turn.other - splits];
        const double *scale = factors + 2 * turn.factors * points, *weight = scale + points;
        double *sum = sums + tree->nodes[i].slot * points;

        for (size_t p = 0; p < points; p += WIDTH) {
            const lanes change = turn.part * LANED(load)(scale + p) * apart;

            LANED(store)
            (sum + p, LANED(load)(sum + p) +
                          LANED(load)(above + i * points + p) * (change * LANED(load)(weight + p)));
        }
    }
}

LANED_INLINE void LANED(add_rows)(const gr_shap_tree *tree, const float *values, size_t rows,
                                  size_t stride, size_t points, void *work, double *sums,
                                  size_t sums_stride)
{
    const size_t splits = tree->splits, inner = tree->inner, vectors = 2 * splits + 1;
    const gr_shap_node *nodes = tree->nodes;
    const double *factors = tree->factors;
    double *below = work, *above = below + vectors * points, *terms = above + vectors * points;
    gr_shap_turn *turns = (gr_shap_turn *)(void *)(terms + splits * points);
    uint8_t *sides = (uint8_t *)(turns + splits);

    sides[splits] = 0;
    for (size_t l = 0; l < tree->beside; l++) {
        const lanes value = LANED(all_of)((double)tree->leaves[l]);

        for (size_t p = 0; p < points; p += WIDTH)
            LANED(store)(below + (splits + l) * points + p, value);
    }
    for (size_t p = 0; p < points; p++)
        above[p] = 1.0;
    for (size_t r = 0; r < rows; r++, sums += sums_stride) {
        LANED(pass)(nodes, splits, values + r * stride, turns, sides);
        LANED(up_leaves)(tree, turns, factors, points, below);
        LANED(up)(turns, inner, factors, points, below, terms);
        LANED(down)(turns, nodes, inner, factors, points, above, terms, sums);
        LANED(down_leaves)(tree, turns, factors, points, above, sums);
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
    else if (tree->points == 12)
        LANED(add_rows)(tree, values, rows, stride, 12, work, sums, sums_stride);
    else
        LANED(add_rows)(tree, values, rows, stride, tree->points, work, sums, sums_stride);
}

const gr_shap_kernels LANED(gr_shap_tree) = { LANED(add) };
#include "kernels/lanes_end.h"
