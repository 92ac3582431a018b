/* SPDX-License-Identifier: Apache-2.0 */
/* What is explained of a model: its score or an output of its learner; and whether that is a
 * weighted sum of the outputs of nodes that can be explained exactly (trees, linear models and sums
 * of functions of single features). */
#ifndef GR_EXPLAIN_ADDITIVE_H
#define GR_EXPLAIN_ADDITIVE_H

#include "model/model.h"

typedef struct gr_explain_target {
    bool is_score;
    size_t output; /* of the learner's node (gr_model_core), unless is_score */
} gr_explain_target;

/* The value of a target, from the outputs of all nodes: column c of the row at outputs[c * stride].
 */
double gr_explain_value(const gradus_model *model, const gr_explain_target *target,
                        const double *outputs, size_t stride);
/* Whether a target is additive; then fills in the weight of each column of the nodes (columns:
 * gr_explain_columns), which is 0 except for nodes that take rows. */
bool gr_explain_weights(const gradus_model *model, const gr_explain_target *target, size_t columns,
                        double *weights);
/* Whether a node can be explained exactly. */
bool gr_node_is_exact(const gr_node *node);
/* Whether a node is a sum of functions of single features. */
bool gr_node_is_separable(const gr_node *node);

/* Adds factor times what each feature contributes to output k of a separable node, for a row as the
 * node takes it, to sums[feature]; relative to training means (zeros in a hashed model). The sum
 * over features is output k minus gr_separable_base. */
void gr_separable_add(const gr_node *node, size_t output, const float *row, double factor,
                      double *sums);
double gr_separable_base(const gr_node *node, size_t output);
/* Whether the base is the output at the means of the training data. Not for linear nodes without means,
 * unless a standardisation made the means 0. */
bool gr_separable_has_means(const gradus_model *model, const gr_node *node);
/* Marks the features, of the node, that can change its outputs. */
void gr_node_mark_used(const gradus_model *model, const gr_node *node, bool *used);

#endif
