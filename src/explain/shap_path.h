/* SPDX-License-Identifier: Apache-2.0 */
/* Path-dependent Shapley values of forests (TreeSHAP, Lundberg et al., 2020): a feature outside a
 * coalition is unknown, and a split on it averages its children by their training rows.
 *
 * Method. Take one leaf of value v. For each feature g on its path let z_g be the product of the
 * fractions of training rows at the splits on g, and o_g 1 if the row passes these splits, else 0.
 * The Shapley value of feature f is then
 *     v (o_f - z_f) * integral over t in [0, 1] of the product over g != f of (t o_g + (1 - t) z_g),
 * because the weight of a coalition of size s among d features is the integral of
 * t^s (1 - t)^(d - 1 - s). The integrand is a polynomial of degree d - 1: Gauss's rule with d / 2
 * points is exact. At each point t, with u = 1 - t, the sum over all leaves needs two passes over
 * the splits. Let c be the child that the row does not take, with the fraction q of the split's
 * rows, and first let no ancestor split on f. Then
 *     up:    below = taken - e,  e = q u (taken - other)
 *     down:  above[taken] = above - above q u,  above[other] = above q u,
 *            sum[f] += above e / u,
 * where `taken` and `other` are the values `below` of the two children, that of a leaf is its value,
 * and `above` is 1 at the root. Below a split on the same feature, whose branch to this one has the
 * cumulative fraction z, let h = z u + t. If the row takes that branch, q u becomes q z u / h, and
 * the term of sum[f] is divided by h; if not, q u becomes q, and there is no term. These two vectors
 * do not depend on the row; kernels/shap_tree.h calls them factors. Everything is a convex
 * combination: no digits are lost by cancellation.
 *
 * Cost: per row and split, 7 multiplications and additions at each of max(4, d / 2) points, in
 * vectors; XGBoost's method needs about d^2 per leaf. */
#ifndef GR_EXPLAIN_SHAP_PATH_H
#define GR_EXPLAIN_SHAP_PATH_H

#include "learners/forest/forest.h"

typedef struct gr_shap_forest gr_shap_forest;

/* Prepares a forest, which is not needed afterwards. Fails with GRADUS_BAD_ARGUMENT if the numbers
 * of training rows are not known (imported models). */
gr_shap_forest *gr_shap_compile(const gr_forest *forest, gradus_error *err);
void gr_shap_free(gr_shap_forest *shap);

/* The features that splits use, ascending. */
const uint32_t *gr_shap_features(const gr_shap_forest *shap, size_t *count);
/* The mean of output k over the training rows, from their numbers in the leaves: what the contributions of a row
 * are added to. */
double gr_shap_base(const gr_shap_forest *shap, size_t output);

enum { GR_SHAP_ROWS = 16 }; /* maximum rows per call of gr_shap_run */
/* Bytes of scratch memory, aligned to 64, for one thread. */
size_t gr_shap_scratch(const gr_shap_forest *shap);
/* Contributions of dense rows: that of the i-th used feature to output k of row r is written to
 * out[(r * outputs + k) * count + i]. */
void gr_shap_run(const gr_shap_forest *shap, const float *values, size_t rows, size_t stride,
                 double *out, void *scratch);

#endif
