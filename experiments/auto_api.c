/* SPDX-License-Identifier: Apache-2.0 */
/* Public API: automatic training. */
#include "api/api_arguments.h"
#include "experiments/auto_run.h"

gradus_auto_result *gradus_auto(gradus_context *context, const gradus_tuning_input *input,
                                const gradus_options *options, gradus_error *err)
{
    if (!GR_GIVEN(err, input))
        return NULL;
    return gr_auto(context, input, options, err);
}

void gradus_auto_free(gradus_auto_result *result)
{
    gr_auto_free(result);
}

void gradus_auto_describe(const gradus_auto_result *result, gradus_auto_facts *facts)
{
    if (GR_GIVEN(NULL, result, facts))
        *facts = result->facts;
}

bool gradus_auto_member_at(const gradus_auto_result *result, size_t index,
                           gradus_auto_member *member)
{
    if (!GR_GIVEN(NULL, result, member) || index >= result->member_count)
        return false;
    *member = result->members[index];
    return true;
}

const char *gradus_auto_warning_at(const gradus_auto_result *result, size_t index)
{
    return GR_GIVEN(NULL, result) && index < result->warning_count ? result->warnings[index] : NULL;
}

const gradus_model *gradus_auto_model(const gradus_auto_result *result)
{
    if (!GR_GIVEN(NULL, result))
        return NULL;
    return result->combined ? result->combined : result->models[0];
}

const gradus_model *gradus_auto_single(const gradus_auto_result *result)
{
    return GR_GIVEN(NULL, result) ? result->single : NULL;
}
