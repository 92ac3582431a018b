/* SPDX-License-Identifier: Apache-2.0 */
/* Interventional Shapley values of any model, by evaluating it on rows that have some features of a
 * row and the others of a reference row.
 *
 * With few differing features all combinations are evaluated and the values are exact. Otherwise
 * they are estimated from random orders of the features (Castro, Gomez and Tejada, 2009): starting
 * from the reference, features are switched to the row's values one after the other, and each
 * change of the score is attributed to the feature that was switched. The sum over features is exact
 * in every order. Orders come in pairs, one the reverse of the other, which cancels most of the
 * variance. */
#ifndef GR_EXPLAIN_SHAP_SAMPLE_H
#define GR_EXPLAIN_SHAP_SAMPLE_H

#include "explain/additive.h"
#include "explain/explain_rows.h"

typedef struct gr_sample_plan {
    const gradus_model *model;
    const uint32_t *features; /* ascending: those that can change the outputs */
    size_t used;
    const gr_explain_target *targets;
    size_t target_count;
    uint64_t pairs; /* of orders, for each row and all its references together */
    uint64_t seed;
} gr_sample_plan;

/* Memory of one thread. */
typedef struct gr_sampler gr_sampler;

gr_sampler *gr_sampler_new(const gr_sample_plan *plan, gradus_error *err);
void gr_sampler_free(gr_sampler *sampler);

/* Writes the contributions of feature i to target t, averaged over the reference rows `which`, to
 * contributions[t * used + i], and their standard errors. stream: selects the random numbers, and is
 * different for every row. */
void gr_sampler_run(gr_sampler *sampler, const gr_explain_rows *rows, size_t row,
                    const gr_explain_rows *references, const size_t *which, size_t count,
                    uint64_t stream, double *contributions, double *errors);

#endif
