/* SPDX-License-Identifier: Apache-2.0 */
/* Public API: scores, grades and probabilities of rows. */
#include "api/api_arguments.h"
#include "model/model.h"
#include "model/model_view.h"
#include "model/predict.h"

static gradus_status need_probabilities(const gradus_model *model, gradus_error *err)
{
    if (gr_scorer_knows_probabilities(&model->scorer))
        return GRADUS_OK;
    return gr_fail(err, GRADUS_BAD_ARGUMENT, "method '%s' gives a score, not grade probabilities",
                   model->method);
}

gradus_status gradus_model_score(gradus_context *context, const gradus_model *model,
                                 const gradus_dataset *data, double *scores, gradus_error *err)
{
    if (!GR_GIVEN(err, model, data, scores))
        return GRADUS_BAD_ARGUMENT;
    GR_TRY(gr_model_fits(model, data, context, err));
    return gr_model_run(model, data, context, scores, NULL, err);
}

gradus_status gradus_model_probabilities(gradus_context *context, const gradus_model *model,
                                         const gradus_dataset *data, double *probabilities,
                                         gradus_error *err)
{
    if (!GR_GIVEN(err, model, data, probabilities))
        return GRADUS_BAD_ARGUMENT;
    GR_TRY(need_probabilities(model, err));
    GR_TRY(gr_model_fits(model, data, context, err));
    return gr_model_run(model, data, context, NULL, probabilities, err);
}

gradus_status gradus_model_grades(gradus_context *context, const gradus_model *model,
                                  const gradus_dataset *data, double *grades, gradus_error *err)
{
    if (!GR_GIVEN(err, model, data, grades))
        return GRADUS_BAD_ARGUMENT;
    GR_TRY(gr_model_fits(model, data, context, err));
    return gr_model_grades(model, data, context, grades, err);
}

gradus_status gradus_model_score_rows(const gradus_model *model, const float *values, size_t rows,
                                      size_t features, size_t stride, double *scores,
                                      double *probabilities, gradus_error *err)
{
    if (!GR_GIVEN(err, model) || (rows && !GR_GIVEN(err, values)))
        return GRADUS_BAD_ARGUMENT;
    if ((!values && rows) || stride < features)
        return gr_fail(err, GRADUS_BAD_ARGUMENT,
                       "rows to score need values and a stride of at least the number of features");
    if (features < model->features)
        return gr_fail(err, GRADUS_BAD_ARGUMENT, "the model has %zu features, the rows %zu",
                       model->features, features);
    if (probabilities)
        GR_TRY(need_probabilities(model, err));
    if (rows == 0 || (!scores && !probabilities))
        return GRADUS_OK;
    return gr_model_run_rows(model, values, rows, stride, scores, probabilities, err);
}
