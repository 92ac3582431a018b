/* SPDX-License-Identifier: Apache-2.0 */
/* Interventional Shapley values of forests against one reference row: a feature outside a coalition
 * has the value of the reference, so the contributions add up to the difference of the two outputs.
 *
 * A leaf counts only if on its path every feature is decided the same way by all its splits: by
 * both rows, by the row alone (there are a such features) or by the reference alone (b features).
 * It is then reached by the coalitions that contain the a features and none of the b. A feature of
 * the first kind gets leaf value times (a - 1)! b! / (a + b)!, one of the second kind minus the
 * value times a! (b - 1)! / (a + b)!. One walk over the leaves that count gives all of them: a split
 * where the rows separate, on a feature that is not decided yet, adds what lies on the row's side
 * minus what lies on the reference's side. */
#ifndef GR_EXPLAIN_SHAP_AGAINST_H
#define GR_EXPLAIN_SHAP_AGAINST_H

#include "learners/forest/forest.h"

/* Memory of one thread. */
typedef struct gr_against gr_against;

gr_against *gr_against_new(const gr_forest *forest, gradus_error *err);
void gr_against_free(gr_against *against);

/* Adds factor times the contributions of each feature to output k, for row against reference, to
 * sums[k * pitch + feature]. */
void gr_against_add(gr_against *against, const gr_forest *forest, const float *row,
                    const float *reference, double factor, double *sums, size_t pitch);

#endif
