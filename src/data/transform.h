/* SPDX-License-Identifier: Apache-2.0 */
/* Feature scaling: a value becomes (value - shift) / unit, or 0 if unit is 0. Fitting and applying
 * are separate, so that a transform fitted on one set can be applied to another. Values that are
 * not finite (missing ones are NAN) are ignored by the fit and left unchanged. */
#ifndef GR_DATA_TRANSFORM_H
#define GR_DATA_TRANSFORM_H

#include "base/param.h"
#include "base/table.h"
#include "data/column_statistics.h"

typedef struct gr_transform {
    gr_about about;
    bool by_query; /* fitted to each query separately, so nothing is stored */
    /* Computes shift and unit; unit 0: the feature is constant. */
    void (*scale)(const gr_spread *spread, double *shift, double *unit);
} gr_transform;

#define GR_TRANSFORM(name) extern const gr_transform gr_transform_##name;
#include "data/transforms.def"
#undef GR_TRANSFORM

const gr_about *gr_transform_at(size_t index); /* NULL past the end */
/* The transform of a gr_transform_options.kind; NULL for 0, none. */
const gr_transform *gr_transform_number(size_t kind);

/* Scales to [0, 1]: used by minmax and query. */
void gr_scale_of_range(const gr_spread *spread, double *shift, double *unit);

typedef struct gr_transform_options {
    int kind; /* 0: none; otherwise position in transforms.def plus 1 */
    bool keep_zeros;
} gr_transform_options;

/* Values of kind. GR_TRANSFORM_AUTO is not a transform: training replaces it by another value. */
enum {
    GR_TRANSFORM_NONE,
#define GR_TRANSFORM(name) GR_TRANSFORM_IS_##name,
#include "data/transforms.def"
#undef GR_TRANSFORM
    GR_TRANSFORM_AUTO
};

extern const gr_param gr_transform_params[];
extern const gr_param gr_train_transform_params[]; /* with auto and a search range for tuning */
extern const gr_operation gr_operation_transform;

/* The part that a model stores. */
typedef struct gr_fitted_transform {
    const gr_transform *transform;
    size_t features;
    bool keep_zeros;      /* scale only: all shifts are 0 */
    double *shift, *unit; /* one per feature; NULL if by query */
} gr_fitted_transform;

gradus_status gr_transform_fit(const gr_transform *transform, const gradus_dataset *data,
                               bool keep_zeros, gr_pool *pool, gr_fitted_transform *fitted,
                               gradus_error *err);
void gr_fitted_transform_free(gr_fitted_transform *fitted);

/* transform_apply.c */
/* A value of feature f, rescaled. Not for transforms by query. */
float gr_transform_value(const gr_fitted_transform *fitted, size_t f, float value);
/* Rescales dense rows in place; they must be those of one query if the transform is by query.
 * scratch: one per feature, used only if by query. */
void gr_transform_rows(const gr_fitted_transform *fitted, float *values, size_t rows, size_t stride,
                       gr_spread *scratch);

/* Returns a rescaled copy. Sparse rows stay sparse if zeros stay 0; otherwise the copy is dense,
 * with a note, or an error if it would take more than half of the machine's memory. */
gradus_dataset *gr_transform_apply(gradus_context *context, const gr_fitted_transform *fitted,
                                   const gradus_dataset *data, gradus_error *err);

/* transform.c */
/* Fits a transform to a dataset and applies it. */
gradus_dataset *gr_dataset_transform(gradus_context *context, const gradus_dataset *data,
                                     const gr_transform_options *options, gradus_error *err);

#endif
