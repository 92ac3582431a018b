/* SPDX-License-Identifier: Apache-2.0 */
/* Public API: calibration, ensembles, and reliability of probabilities. */
#include "api/api_arguments.h"
#include "pipeline/calibrate.h"

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
        return gr_fail(err, GRADUS_BAD_ARGUMENT, "gradus_model_reliability needs 1 to %d bins",
                       GRADUS_MAX_BINS);
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
        gr_fail(err, GRADUS_BAD_ARGUMENT, "gradus_ensemble needs at least one model");
        return NULL;
    }
    return gr_ensemble(context, models, count, valid, options, err ? err : &own);
}
