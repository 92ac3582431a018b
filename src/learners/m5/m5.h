/* SPDX-License-Identifier: Apache-2.0 */
/* M5' model trees (Quinlan 1992; Wang and Witten 1997) by the rules of WEKA's M5P: trees that are
 * grown by the reduction of spread, with a linear model in each leaf.
 *
 * - The spread of rows is their variance^(1/5). A cut lies half way between two different values,
 *   with more than a fifth of the rows on each side (more than one, of fewer than five rows). The
 *   cut that lowers the spread most is taken; a later feature must be better by 1e-6.
 * - A node is not split if it has fewer than min_leaf rows, or a standard deviation under 5% of the
 *   root's. A leaf may have fewer rows than min_leaf.
 * - An inner node has a linear model on the features that its subtree tests, less those that
 * Akaike's criterion drops; a leaf has the mean. Where the model's error, as estimated for new
 * rows, is not above that of the two subtrees, the node becomes a leaf with the model.
 * - The models of the nodes above are blended into those of the leaves.
 * - The mean of a feature over the training rows stands for a missing value.
 * - Weights count as rows: a row of weight 3 is the same as three rows. */
#ifndef GR_LEARNERS_M5_M5_H
#define GR_LEARNERS_M5_M5_H

#include "learners/forest/forest.h"
#include "objectives/problem.h"

enum { GR_M5_AUTO, GR_M5_EXACT, GR_M5_BINNED };
enum { GR_BAG_ROWS, GR_BAG_QUERIES };

typedef struct gr_m5_options {
    uint64_t min_leaf;
    bool unpruned, unsmoothed, constant; /* constant: leaves are means (a regression tree) */
    int search;                          /* GR_M5_AUTO: bins above 100,000 rows */
    int bag;                             /* what is drawn: rows or queries */
    double bag_share;
} gr_m5_options;

extern const gr_param gr_m5_params[];

/* The trees of a model. The forest has the splits, and as the value of a leaf the mean of its rows.
 * Leaf l of all (see forest.h) has the output intercepts[l] plus the sum of term_factors[i] times
 * the value of term_features[i], i from term_starts[l] to term_starts[l + 1], in this order. */
typedef struct gr_m5 {
    gr_forest forest; /* bases are 0 */
    double *means;    /* of each feature: what stands for a missing value */
    double *intercepts;
    uint64_t *term_starts; /* leaves + 1 */
    uint32_t *term_features;
    double *term_factors;
    size_t leaf_room, term_room; /* 0: not ours to free */
} gr_m5;

gradus_status gr_m5_start(gr_m5 *m5, size_t features, size_t outputs, const double *means,
                          gradus_error *err);
/* A leaf of a tree that is added; terms are those after the leaf before it. */
typedef struct gr_m5_leaf {
    double intercept;
    size_t terms; /* of this leaf */
} gr_m5_leaf;
gradus_status gr_m5_add(gr_m5 *m5, const gr_split *splits, size_t leaves, const float *values,
                        const uint32_t *covers, const gr_m5_leaf *models, const uint32_t *features,
                        const double *factors, gradus_error *err);
/* Adds the trees of another, of the same features and outputs. */
gradus_status gr_m5_append(gr_m5 *m5, const gr_m5 *from, gradus_error *err);
/* The first rounds, owned apart. */
gradus_status gr_m5_copy(const gr_m5 *from, size_t rounds, gr_m5 *to, gradus_error *err);
/* Forgets the trees after the first rounds. */
void gr_m5_forget(gr_m5 *m5, size_t rounds);
void gr_m5_free(gr_m5 *m5);
/* Whether everything is such that any row has an output; what a file says is not to be believed. */
gradus_status gr_m5_check(const gr_m5 *m5, gradus_error *err);
static inline size_t gr_m5_leaves(const gr_m5 *m5)
{
    return (size_t)m5->forest.starts[m5->forest.trees] + m5->forest.trees;
}
/* The output of tree t for a row. */
double gr_m5_tree_output(const gr_m5 *m5, size_t t, const float *row);
/* Adds the trees of rounds [first, end) to sums (outputs x rows), as gr_forest_add_scores does. */
gradus_status gr_m5_add_outputs(const gr_m5 *m5, size_t first, size_t end,
                                const gradus_dataset *data, double *sums, gr_pool *pool,
                                gradus_error *err);

/* Grows trees on a set. */
typedef struct gr_m5_grower gr_m5_grower;

/* What is not NULL must outlive it. bin: how features are cut, if they are. */
gr_m5_grower *gr_m5_grower_new(const gradus_context *context, const gradus_dataset *data,
                               const gr_problem *problem, const gr_m5_options *options,
                               const gr_bin_options *bin, gradus_error *err);
void gr_m5_grower_free(gr_m5_grower *grower);
const double *gr_m5_grower_means(const gr_m5_grower *grower);
/* What trees on these rows need, as many copies of each as counts says (NULL: one each). */
gradus_status gr_m5_prepare(gr_m5_grower *grower, const uint32_t *counts, gradus_error *err);
/* Adds a tree an output on the rows, which were prepared for. Several threads may do so at once,
 * for models of their own. */
gradus_status gr_m5_grow(const gr_m5_grower *grower, const uint32_t *counts, gr_pool *pool,
                         gr_m5 *m5, gradus_error *err);
/* Bytes that growing a tree takes at most, beyond the rows; of a tree on so many rows. */
double gr_m5_grower_bytes(const gr_m5_grower *grower, double rows);
/* Seconds spent on taking rows and cutting them into bins. */
double gr_m5_grower_preparing(const gr_m5_grower *grower);

/* Draws rows (or whole queries) with replacement: as many as the share makes of them, at least one.
 * counts: how often each row was drawn. */
gradus_status gr_m5_draw(const gr_problem *problem, const gr_m5_options *options, uint64_t seed,
                         uint64_t round, uint32_t *counts, gradus_error *err);

#endif
