/* SPDX-License-Identifier: Apache-2.0 */
/* Features rescaled: a value becomes (value - shift) / unit, or 0 where unit is 0. Fitting and
 * applying are apart, so that what was fitted on one set can be applied to another. Values that
 * are not finite (missing ones are NAN) are left out of the fit and stay as they are. */
#ifndef GR_DATA_TRANSFORM_H
#define GR_DATA_TRANSFORM_H

#include "base/param.h"
#include "base/table.h"
#include "data/spread.h"

typedef struct gr_transform {
    gr_about about;
    bool by_query; /* fitted to each query anew, so that nothing is kept */
    /* unit 0: the feature is constant */
    void (*settle)(const gr_spread *spread, double *shift, double *unit);
} gr_transform;

#define GR_TRANSFORM(name) extern const gr_transform gr_transform_##name;
#include "data/transforms.def"
#undef GR_TRANSFORM

const gr_about *gr_transform_at(size_t index); /* NULL past the end */
/* The transform of gr_transform_options.kind; NULL for 0, none. */
const gr_transform *gr_transform_number(size_t kind);

/* To [0, 1]: what minmax and query share. */
void gr_settle_range(const gr_spread *spread, double *shift, double *unit);

typedef struct gr_transform_options {
    int kind; /* 0: none; else one more than the position in transforms.def */
    bool keep_zeros;
} gr_transform_options;

/* Values of kind. Training replaces the last, which no transform has, by another. */
enum {
    GR_TRANSFORM_NONE,
#define GR_TRANSFORM(name) GR_TRANSFORM_IS_##name,
#include "data/transforms.def"
#undef GR_TRANSFORM
    GR_TRANSFORM_AUTO
};

extern const gr_param gr_transform_params[];
extern const gr_param gr_train_transform_params[]; /* with auto, and values to tune */
extern const gr_operation gr_operation_transform;

/* What a model keeps. */
typedef struct gr_fitted_transform {
    const gr_transform *transform;
    size_t features;
    bool keep_zeros;      /* scale only: every shift is 0 */
    double *shift, *unit; /* one a feature; NULL if by query */
} gr_fitted_transform;

gradus_status gr_transform_fit(const gr_transform *transform, const gradus_dataset *data,
                               bool keep_zeros, gr_pool *pool, gr_fitted_transform *fitted,
                               gradus_error *err);
void gr_fitted_transform_free(gr_fitted_transform *fitted);

/* Rescales dense rows in place; they are those of one query if the transform is by query.
 * scratch: one a feature, used if by query. */
void gr_transform_rows(const gr_fitted_transform *fitted, float *values, size_t rows, size_t stride,
                       gr_spread *scratch);

/* A rescaled copy. Sparse rows stay sparse as long as zeros stay 0; else the copy is dense, which
 * is noted, or refused if it would take more than half of the machine's memory. */
gradus_dataset *gr_transform_apply(gradus_context *context, const gr_fitted_transform *fitted,
                                   const gradus_dataset *data, gradus_error *err);

/* Fits to a set and applies to it. */
gradus_dataset *gr_dataset_transform(gradus_context *context, const gradus_dataset *data,
                                     const gr_transform_options *options, gradus_error *err);

#endif
