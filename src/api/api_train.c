/* SPDX-License-Identifier: Apache-2.0 */
/* Public API: training, step by step or in one call. */
#include "api/api_arguments.h"
#include "pipeline/train.h"

#include <math.h>

gradus_training *gradus_training_new(gradus_context *context, const gradus_training_input *input,
                                     const gradus_options *options, gradus_error *err)
{
    if (!GR_GIVEN(err, input))
        return NULL;
    if (!input->train) {
        gr_fail(err, GRADUS_BAD_ARGUMENT, "training needs a training set");
        return NULL;
    }
    for (size_t i = 0; i < input->other_count; i++)
        if (!input->others || !input->others[i]) {
            gr_fail(err, GRADUS_BAD_ARGUMENT, "validation set %zu is NULL", i + 1);
            return NULL;
        }
    return gr_training_new(context, input, options, err);
}

gradus_status gradus_training_step(gradus_training *training, bool *done, gradus_error *err)
{
    if (!GR_GIVEN(err, training, done))
        return GRADUS_BAD_ARGUMENT;
    return gr_training_step(training, done, err);
}

void gradus_training_get_state(const gradus_training *training, gradus_training_state *state)
{
    if (!GR_GIVEN(NULL, training, state))
        return;
    gr_training_get_state(training, state);
}

double gradus_training_other(const gradus_training *training, size_t index)
{
    if (!GR_GIVEN(NULL, training))
        return (double)NAN;
    return gr_others_value(training, index);
}

gradus_model *gradus_training_checkpoint(const gradus_training *training, gradus_error *err)
{
    if (!GR_GIVEN(err, training))
        return NULL;
    return gr_training_model(training, gr_training_rounds(training), false, err);
}

gradus_model *gradus_training_finish(gradus_training *training, gradus_error *err)
{
    if (!GR_GIVEN(err, training))
        return NULL;
    return gr_training_model(training, gr_training_kept(training), true, err);
}

void gradus_training_free(gradus_training *training)
{
    gr_training_free(training);
}

gradus_model *gradus_train(gradus_context *context, const gradus_dataset *train,
                           const gradus_dataset *valid, const gradus_options *options,
                           gradus_error *err)
{
    if (!GR_GIVEN(err, train))
        return NULL;
    const gradus_training_input input = { .train = train, .valid = valid };
    gradus_training *training = gradus_training_new(context, &input, options, err);
    gradus_model *model = NULL;
    gradus_status status = training ? GRADUS_OK : GRADUS_BAD_ARGUMENT;
    bool done = false;

    while (status == GRADUS_OK && !done)
        status = gradus_training_step(training, &done, err);
    if (status == GRADUS_OK)
        model = gradus_training_finish(training, err);
    gradus_training_free(training);
    return model;
}
