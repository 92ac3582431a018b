/* SPDX-License-Identifier: Apache-2.0 */
/* M5' model trees (Quinlan 1992; Wang and Witten 1997) with the rules of WEKA's M5P: trees grown by
 * reducing the spread of the target, with a linear model in each leaf. COCR uses them as base
 * regressors, alone and bagged.
 *
 * - The spread of a set of rows is variance^(1/5). A cut is the midpoint of two different values
 *   and leaves more than a fifth of the rows on each side (more than one row in nodes of fewer than
 *   five). The cut that reduces the spread most wins; a later feature must beat an earlier one by
 *   1e-6.
 * - A node is not split if it has fewer than min_leaf rows, or a standard deviation below 5% of the
 *   root's. A leaf may have fewer than min_leaf rows.
 * - An inner node has a linear model on the features that its subtree tests, minus those that
 *   Akaike's criterion drops; a leaf predicts the mean. If the model's estimated error on new rows
 *   is no larger than that of the subtree, the node is pruned to a leaf with that model.
 * - Smoothing blends the models of a leaf's ancestors into the leaf's own model.
 * - Missing values are replaced by the feature's mean over the training rows.
 * - Weights count rows: a row of weight 3 equals three identical rows.
 *
 * How the files work together: m5_rows.c fills in missing values; m5_bag.c draws the rows of a
 * bagging round; m5_grower.c turns the rows and targets of each output into a sample and grows its
 * tree. Dense samples are sorted (exact search) or binned (m5_bins.c), and their large nodes are
 * split with all threads on one node at a time, by grow_top.c or m5_binned.c. The nodes that remain
 * have at most GR_M5_PART_ROWS rows or cannot be cut between bins; grow_subtrees.c gives each of
 * them to one thread, which runs the sequential algorithm of m5_grow.c. m5_sparse.c grows trees on
 * sparse rows. m5_spread.c evaluates many cuts at once. m5_prune.c then fits a linear model to each
 * node (m5_fit.c, m5_products.c), prunes, smooths and appends the tree to the model, which
 * m5_trees.c stores, checks and evaluates. */
#ifndef GR_LEARNERS_M5_M5_H
#define GR_LEARNERS_M5_M5_H

#include "learners/forest/forest.h"
#include "objectives/problem.h"

enum { GR_M5_AUTO, GR_M5_EXACT, GR_M5_BINNED };
enum { GR_BAG_ROWS, GR_BAG_QUERIES };

typedef struct gr_m5_options {
    uint64_t min_leaf;
    bool unpruned, unsmoothed, constant; /* constant: leaves predict means (regression tree) */
    int search;                          /* GR_M5_AUTO: binned above 100,000 rows */
    int bag;                             /* sampling unit: rows or queries */
    double bag_share;
} gr_m5_options;

extern const gr_param gr_m5_params[];

/* The trees of a model. The forest stores the splits; its leaf values are the means of the leaves'
 * rows. Leaf l, counted over all trees (see forest.h), outputs intercepts[l] plus the sum, in this
 * order, of term_factors[i] times the value of feature term_features[i] for term_starts[l] <= i <
 * term_starts[l + 1]. */
typedef struct gr_m5 {
    gr_forest forest; /* its base scores are 0 */
    double *means;    /* [feature], replaces missing values */
    double *intercepts;
    uint64_t *term_starts; /* [leaves + 1] */
    uint32_t *term_features;
    double *term_factors;
    size_t leaf_room, term_room; /* 0: the arrays are borrowed */
} gr_m5;

/* m5_trees.c */
gradus_status gr_m5_start(gr_m5 *m5, size_t features, size_t outputs, const double *means,
                          gradus_error *err);
/* The linear model of a leaf of a new tree; its terms follow those of the previous leaf. */
typedef struct gr_m5_leaf {
    double intercept;
    size_t terms;
} gr_m5_leaf;
gradus_status gr_m5_add(gr_m5 *m5, const gr_split *splits, size_t leaves, const float *values,
                        const uint32_t *covers, const gr_m5_leaf *models, const uint32_t *features,
                        const double *factors, gradus_error *err);
/* Appends the trees of another model with the same features and outputs. */
gradus_status gr_m5_append(gr_m5 *m5, const gr_m5 *from, gradus_error *err);
/* A deep copy of the first `rounds` rounds. */
gradus_status gr_m5_copy(const gr_m5 *from, size_t rounds, gr_m5 *to, gradus_error *err);
/* Truncates to the first `rounds` rounds. */
void gr_m5_forget(gr_m5 *m5, size_t rounds);
void gr_m5_free(gr_m5 *m5);
/* Validates a model from an untrusted file: succeeds if every row can be scored safely. */
gradus_status gr_m5_check(const gr_m5 *m5, gradus_error *err);
static inline size_t gr_m5_leaves(const gr_m5 *m5)
{
    return (size_t)m5->forest.starts[m5->forest.trees] + m5->forest.trees;
}
/* The output of tree t for a dense row. */
double gr_m5_tree_output(const gr_m5 *m5, size_t t, const float *row);
/* Adds the outputs of rounds [first, end) to sums ([outputs x rows]), as gr_forest_add_scores
 * does. */
gradus_status gr_m5_add_outputs(const gr_m5 *m5, size_t first, size_t end,
                                const gradus_dataset *data, double *sums, gr_pool *pool,
                                gradus_error *err);

/* Grows trees on a data set. */
typedef struct gr_m5_grower gr_m5_grower;

/* m5_grower.c */
/* All non-NULL arguments must outlive the grower. bin: how features are binned for GR_M5_BINNED. */
gr_m5_grower *gr_m5_grower_new(const gradus_context *context, const gradus_dataset *data,
                               const gr_problem *problem, const gr_m5_options *options,
                               const gr_bin_options *bin, gradus_error *err);
void gr_m5_grower_free(gr_m5_grower *grower);
const double *gr_m5_grower_means(const gr_m5_grower *grower);
/* Prepares what trees on these rows need (bins). counts[r]: copies of row r; NULL: one each. */
gradus_status gr_m5_prepare(gr_m5_grower *grower, const uint32_t *counts, gradus_error *err);
/* Appends one tree per output, grown on rows that were passed to gr_m5_prepare. Thread-safe if each
 * thread has its own m5. */
gradus_status gr_m5_grow(const gr_m5_grower *grower, const uint32_t *counts, gr_pool *pool,
                         gr_m5 *m5, gradus_error *err);
/* Upper bound of the bytes needed to grow a tree on this many rows, beyond the rows themselves. */
double gr_m5_grower_bytes(const gr_m5_grower *grower, double rows);
/* Seconds spent preparing and binning the rows. */
double gr_m5_grower_preparing(const gr_m5_grower *grower);

/* m5_bag.c */
/* Draws rows or whole queries with replacement: bag_share of their number, at least one. counts[r]:
 * how often row r was drawn. */
gradus_status gr_m5_draw(const gr_problem *problem, const gr_m5_options *options, uint64_t seed,
                         uint64_t round, uint32_t *counts, gradus_error *err);

#endif
