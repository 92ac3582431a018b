/* SPDX-License-Identifier: Apache-2.0 */
/* Public API: calibration, ensembles, distillation, and reliability of probabilities. */
#include "api/api_arguments.h"
#include "pipeline/calibrate.h"
#include "pipeline/distil.h"
#include "pipeline/ensemble.h"
#include "pipeline/ensemble_fit.h"
#include "pipeline/reliability.h"

gradus_model *gradus_calibrate(gradus_context *context, const gradus_model *model,
                               const gradus_dataset *data, const gradus_options *options,
                               gradus_error *err)
{
    if (!GR_GIVEN(err, model, data))
        return NULL;
    gradus_error own = { GRADUS_OK, "" };

    return gr_calibrate(context, model, data, options, err ? err : &own);
}

gradus_status gradus_model_reliability(gradus_context *context, const gradus_model *model,
                                       const gradus_dataset *data, size_t bins,
                                       gradus_reliability *out, gradus_error *err)
{
    if (!GR_GIVEN(err, model, data, out))
        return GRADUS_BAD_ARGUMENT;
    if (bins < 1 || bins > GRADUS_MAX_BINS)
        return gr_fail(err, GRADUS_BAD_ARGUMENT, "reliability needs 1 to %d bins", GRADUS_MAX_BINS);
    return gr_reliability(context, model, data, bins, out, err);
}

gradus_model *gradus_ensemble(gradus_context *context, const gradus_model *const *models,
                              size_t count, const gradus_dataset *valid,
                              const gradus_options *options, gradus_error *err)
{
    if (!GR_GIVEN(err, models))
        return NULL;
    gradus_error own = { GRADUS_OK, "" };

    if (count == 0) {
        gr_fail(err, GRADUS_BAD_ARGUMENT, "an ensemble needs at least one model");
        return NULL;
    }
    return gr_ensemble(context, models, count, valid, options, err ? err : &own);
}

gradus_status gradus_ensemble_select(gradus_context *context, const gradus_dataset *data,
                                     const double *const *scores, size_t count,
                                     const gradus_options *options, double *weights,
                                     gradus_error *err)
{
    if (!GR_GIVEN(err, data, scores, weights))
        return GRADUS_BAD_ARGUMENT;
    if (count == 0)
        return gr_fail(err, GRADUS_BAD_ARGUMENT, "a selection needs at least one member");
    return gr_ensemble_select(context, data, scores, count, options, weights, err);
}

gradus_model *gradus_distil(gradus_context *context, const gradus_model *model,
                            const gradus_dataset *data, const gradus_options *options,
                            gradus_error *err)
{
    if (!GR_GIVEN(err, model, data))
        return NULL;
    gradus_error own = { GRADUS_OK, "" };

    return gr_distil(context, model, data, options, err ? err : &own);
}
