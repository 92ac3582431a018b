/* SPDX-License-Identifier: Apache-2.0 */
/* What happens to scores and metrics if one feature of the data is changed: permutation importance
 * (Breiman, 2001) and partial dependence (Friedman, 2001). */
#ifndef GR_EXPLAIN_CHANGED_FEATURE_H
#define GR_EXPLAIN_CHANGED_FEATURE_H

#include "metrics/evaluate.h"
#include "model/model.h"

/* permuted.c */
/* See gradus_permutation_importance. */
gradus_status gr_permutation_importance(const gradus_context *context, const gradus_model *model,
                                        const gradus_dataset *data,
                                        const gr_evaluate_options *options, size_t repeats,
                                        uint64_t seed, gradus_permuted *permuted,
                                        gradus_error *err);

/* dependence.c */
/* See gradus_partial_dependence. */
gradus_status gr_partial_dependence(const gradus_context *context, const gradus_model *model,
                                    const gradus_dataset *data, size_t feature,
                                    gradus_dependence *points, size_t *count, gradus_error *err);

/* changed_feature.c */
/* A dense copy of data, with the model's features, in which one can be changed. */
typedef struct gr_changeable {
    gradus_dataset *data; /* over the arrays below and those of the original */
    float *values;        /* rows x features of the model */
    float *column;        /* the original values of the last feature that was taken */
    double *scores;       /* rows */
    size_t rows, features;
} gr_changeable;

gradus_status gr_changeable_start(gr_changeable *changeable, const gradus_context *context,
                                  const gradus_model *model, const gradus_dataset *data,
                                  gradus_error *err);
void gr_changeable_free(gr_changeable *changeable);
/* Copies the values of a feature to `column`. */
void gr_changeable_take(gr_changeable *changeable, size_t feature);
/* Resets a feature to `column`. */
void gr_changeable_reset(gr_changeable *changeable, size_t feature);
/* The mean of values that are not NAN, and its confidence interval of 95% (Student's t); NAN without
 * values, or with one. */
void gr_mean_interval(const double *values, size_t count, double *mean, double *low, double *high);

#endif
