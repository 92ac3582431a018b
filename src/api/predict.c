/* Scores and probabilities by models. */
#include "model/model.h"

static gradus_status need_probabilities(const gradus_model *model, gradus_error *err)
{
    if (gr_scorer_knows_probabilities(&model->scorer))
        return GRADUS_OK;
    return gr_fail(err, GRADUS_BAD_ARGUMENT,
                   "method '%s' gives a score, and no probabilities of grades", model->method);
}

gradus_status gradus_model_score(gradus_context *context, const gradus_model *model,
                                 const gradus_dataset *data, double *scores, gradus_error *err)
{
    if (!model || !data || !scores)
        return gr_fail(err, GRADUS_BAD_ARGUMENT,
                       "gradus_model_score needs a model, data and scores");
    GR_TRY(gr_model_fits(model, data, context, err));
    return gr_model_run(model, data, context, scores, NULL, err);
}

gradus_status gradus_model_probabilities(gradus_context *context, const gradus_model *model,
                                         const gradus_dataset *data, double *probabilities,
                                         gradus_error *err)
{
    if (!model || !data || !probabilities)
        return gr_fail(err, GRADUS_BAD_ARGUMENT,
                       "gradus_model_probabilities needs a model, data and probabilities");
    GR_TRY(need_probabilities(model, err));
    GR_TRY(gr_model_fits(model, data, context, err));
    return gr_model_run(model, data, context, NULL, probabilities, err);
}

gradus_status gradus_model_grades(gradus_context *context, const gradus_model *model,
                                  const gradus_dataset *data, double *grades, gradus_error *err)
{
    if (!model || !data || !grades)
        return gr_fail(err, GRADUS_BAD_ARGUMENT,
                       "gradus_model_grades needs a model, data and grades");
    GR_TRY(gr_model_fits(model, data, context, err));
    return gr_model_grades(model, data, context, grades, err);
}

gradus_status gradus_model_score_rows(const gradus_model *model, const float *values, size_t rows,
                                      size_t features, size_t stride, double *scores,
                                      double *probabilities, gradus_error *err)
{
    if (!model || (!values && rows) || stride < features)
        return gr_fail(err, GRADUS_BAD_ARGUMENT,
                       "gradus_model_score_rows needs a model, values and a stride of at least "
                       "the number of features");
    if (features < model->features)
        return gr_fail(err, GRADUS_BAD_ARGUMENT, "the model has %zu features, the rows %zu",
                       model->features, features);
    if (probabilities)
        GR_TRY(need_probabilities(model, err));
    if (rows == 0 || (!scores && !probabilities))
        return GRADUS_OK;
    return gr_model_run_rows(model, values, rows, stride, scores, probabilities, err);
}
