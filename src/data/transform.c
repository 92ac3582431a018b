/* SPDX-License-Identifier: Apache-2.0 */
/* The table of transforms, their options, and fitting. */
#include "data/transform.h"

#include "data/subset.h"

#include <stdlib.h>

#define GR_TRANSFORM(name) &gr_transform_##name,
static const gr_transform *const transforms[] = {
#include "data/transforms.def"
};
#undef GR_TRANSFORM

#define GR_TRANSFORM(name) #name,
static const char *const kinds[] = { "none",
#include "data/transforms.def"
                                     NULL };
static const char *const kinds_and_auto[] = { "none",
#include "data/transforms.def"
                                              "auto", NULL };
#undef GR_TRANSFORM

#define KEEP_ZEROS                                                                                 \
    GR_PARAM_FLAG(gr_transform_options, keep_zeros, "keep-zeros",                                  \
                  "scale without shifting, so that zeros stay 0 and sparse rows sparse")

const gr_param gr_transform_params[] = {
    GR_PARAM_CHOICE(gr_transform_options, kind, "transform", "KIND", "none", kinds,
                    "how features are rescaled (gradus help transforms)"),
    KEEP_ZEROS,
    GR_PARAM_END,
};

const gr_param gr_train_transform_params[] = {
    GR_TUNED_CHOICE(
        gr_transform_options, kind, "transform", "KIND", "none", kinds_and_auto,
        "auto|none|minmax|standardise|query",
        "how features are rescaled (gradus help transforms); auto, the default of linear methods, "
        "nets and svor, chooses on --valid"),
    KEEP_ZEROS,
    GR_PARAM_END,
};

const gr_operation gr_operation_transform = {
    .name = "transform",
    .summary = "rescale the features of a set",
    .params = gr_transform_params,
    .size = sizeof(gr_transform_options),
};

const gr_about *gr_transform_at(size_t index)
{
    return index < sizeof transforms / sizeof *transforms ? &transforms[index]->about : NULL;
}

const gr_transform *gr_transform_number(size_t kind)
{
    return kind > 0 && kind <= sizeof transforms / sizeof *transforms ? transforms[kind - 1] : NULL;
}

void gr_scale_of_range(const gr_spread *spread, double *shift, double *unit)
{
    const bool varies = spread->low < spread->high;

    *shift = varies ? spread->low : 0.0;
    *unit = varies ? spread->high - spread->low : 0.0;
}

void gr_fitted_transform_free(gr_fitted_transform *fitted)
{
    free(fitted->shift);
    free(fitted->unit);
    fitted->shift = fitted->unit = NULL;
}

static gradus_status scale_all(gr_fitted_transform *fitted, const gradus_dataset *data,
                               gr_pool *pool, gradus_error *err)
{
    gr_spread *spreads = gr_new_array(fitted->features, sizeof *spreads);
    gradus_status status;

    fitted->shift = gr_new_array(fitted->features, sizeof *fitted->shift);
    fitted->unit = gr_new_array(fitted->features, sizeof *fitted->unit);
    if (!spreads || !fitted->shift || !fitted->unit)
        status = gr_fail_memory(err, "a transform");
    else
        status = gr_spread_all(data, spreads, pool, err);
    for (size_t f = 0; status == GRADUS_OK && f < fitted->features; f++) {
        fitted->transform->scale(&spreads[f], &fitted->shift[f], &fitted->unit[f]);
        if (fitted->keep_zeros)
            fitted->shift[f] = 0.0;
    }
    free(spreads);
    return status;
}

gradus_status gr_transform_fit(const gr_transform *transform, const gradus_dataset *data,
                               bool keep_zeros, gr_pool *pool, gr_fitted_transform *fitted,
                               gradus_error *err)
{
    gradus_status status;

    *fitted = (gr_fitted_transform){ transform, data->arrays.features, keep_zeros, NULL, NULL };
    if (transform->by_query)
        return GRADUS_OK;
    GR_TRY(gr_dataset_need(data, GR_NEED_VALUES, pool, err));
    status = scale_all(fitted, data, pool, err);
    if (status != GRADUS_OK)
        gr_fitted_transform_free(fitted);
    return status;
}

gradus_dataset *gr_dataset_transform(gradus_context *context, const gradus_dataset *data,
                                     const gr_transform_options *options, gradus_error *err)
{
    gr_fitted_transform fitted;
    gradus_dataset *copy;

    if (options->kind == 0)
        return gr_dataset_copy(data, false, gr_pool_of(context), err);
    if (gr_transform_fit(transforms[options->kind - 1], data, options->keep_zeros,
                         gr_pool_of(context), &fitted, err) != GRADUS_OK)
        return NULL;
    copy = gr_transform_apply(context, &fitted, data, err);
    gr_fitted_transform_free(&fitted);
    return copy;
}
