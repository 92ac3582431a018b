/* SPDX-License-Identifier: Apache-2.0 */
/* Public API: hyperparameter tuning. */
#include "api/api_arguments.h"
#include "experiments/tuning.h"

gradus_tuning *gradus_tune(gradus_context *context, const gradus_tuning_input *input,
                           const gradus_options *options, gradus_error *err)
{
    if (!GR_GIVEN(err, input))
        return NULL;
    const gradus_tuning_input none = { .train = NULL };

    return gr_tune(context, input ? input : &none, options, err);
}

void gradus_tuning_free(gradus_tuning *tuning)
{
    gr_tuning_free(tuning);
}

bool gradus_tuning_trial_at(const gradus_tuning *tuning, size_t index, gradus_trial *trial)
{
    if (!GR_GIVEN(NULL, tuning, trial))
        return false;
    if (index >= tuning->trial_count)
        return false;
    *trial = tuning->trials[index];
    return true;
}

bool gradus_tuning_place_at(const gradus_tuning *tuning, size_t index, gradus_place *place)
{
    if (!GR_GIVEN(NULL, tuning, place))
        return false;
    if (index >= tuning->place_count)
        return false;
    *place = tuning->places[index];
    return true;
}

void gradus_tuning_describe(const gradus_tuning *tuning, gradus_tuning_facts *facts)
{
    if (!GR_GIVEN(NULL, tuning, facts))
        return;
    if (tuning && facts)
        *facts = tuning->facts;
}

const gradus_model *gradus_tuning_model(const gradus_tuning *tuning)
{
    if (!GR_GIVEN(NULL, tuning))
        return NULL;
    return tuning ? tuning->model : NULL;
}
