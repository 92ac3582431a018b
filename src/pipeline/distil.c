/* SPDX-License-Identifier: Apache-2.0 */
/* Distils a model: trains another on its scores (Bucila, Caruana and Niculescu-Mizil, KDD 2006). The
 * rows are the data's, and the labels are the scores, so that the data need no labels. */
#include "pipeline/distil.h"

#include "model/predict.h"
#include "pipeline/finish.h"
#include "pipeline/train.h"
#include "pipeline/train_options.h"

#include <float.h>
#include <math.h>
#include <stdlib.h>

static gradus_status set_default(gradus_options *options, const char *name, const char *value,
                                 gradus_error *err)
{
    return gr_options_given(options, name) ? GRADUS_OK : gr_options_set(options, name, value, err);
}

/* The caller's options, with defaults that accept scores as labels. */
static gradus_options *training_options(const gradus_options *given, gradus_error *err)
{
    gradus_options *options =
        given ? gr_options_copy(given, err) : gr_options_new(&gr_operation_train, err);

    if (!options)
        return NULL;
    if (options->operation == &gr_operation_train &&
        (set_default(options, "method", "regression", err) != GRADUS_OK ||
         set_default(options, "metric", "rmse", err) != GRADUS_OK)) {
        gr_options_free(options);
        return NULL;
    }
    return options;
}

/* Scores of the model, as labels. */
static gradus_status take_labels(const gradus_context *context, const gradus_model *model,
                                 const gradus_dataset *data, double *scores, float *labels,
                                 gradus_error *err)
{
    GR_TRY(gr_model_fits(model, data, context, err));
    GR_TRY(gr_model_run(model, data, context, scores, NULL, err));
    for (size_t r = 0; r < data->arrays.rows; r++) {
        if (fabs(scores[r]) > (double)FLT_MAX)
            return gr_fail(err, GRADUS_BAD_NUMBER,
                           "the score %g of row %zu is too large to be learned", scores[r], r + 1);
        labels[r] = (float)scores[r];
    }
    return GRADUS_OK;
}

static gradus_model *train(gradus_context *context, const gradus_dataset *data,
                           const gradus_options *options, gradus_error *err)
{
    const gradus_training_input input = { .train = data };
    gradus_training *training = gr_training_new(context, &input, options, err);
    gradus_status status = training ? GRADUS_OK : GRADUS_BAD_ARGUMENT;
    gradus_model *model = NULL;
    bool done = false;

    while (status == GRADUS_OK && !done)
        status = gr_training_step(training, &done, err);
    if (status == GRADUS_OK)
        model = gr_training_model(training, gr_training_kept(training), true, err);
    if (model)
        model->distilled = true;
    gr_training_free(training);
    return model;
}

gradus_model *gr_distil(gradus_context *context, const gradus_model *model,
                        const gradus_dataset *data, const gradus_options *options,
                        gradus_error *err)
{
    gradus_dataset labelled = *data; /* the arrays of data, which remains their owner */
    gradus_options *chosen = training_options(options, err);
    gradus_model *made = NULL;
    double *scores;
    float *labels;

    if (!chosen)
        return NULL;
    scores = gr_new_array(data->arrays.rows, sizeof *scores);
    labels = gr_new_array(data->arrays.rows, sizeof *labels);
    if (!scores || !labels) {
        gr_fail_memory(err, "scores");
    } else if (gr_dataset_need(data, GR_NEED_ALL, gr_pool_of(context), err) == GRADUS_OK &&
               take_labels(context, model, data, scores, labels, err) == GRADUS_OK) {
        labelled.arrays.labels = labels;
        made = train(context, &labelled, chosen, err);
    }
    free(scores);
    free(labels);
    gr_options_free(chosen);
    return made;
}
