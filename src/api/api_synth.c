/* SPDX-License-Identifier: Apache-2.0 */
/* Public API: synthetic datasets. */
#include "api/api_arguments.h"
#include "data/synth/synth.h"

static gradus_status open_set(gradus_context *context, const gradus_options *synth,
                              gr_synth_set *set, gradus_error *err)
{
    if (!synth)
        return gr_fail(
            err, GRADUS_BAD_ARGUMENT,
            "a synthetic dataset needs options that choose its kind, such as those of 'synth web'");
    return gr_synth_open(set, synth, gr_pool_of(context), err);
}

gradus_status gradus_synth_write(gradus_context *context, const gradus_options *synth,
                                 const char *path, const gradus_options *write, gradus_error *err)
{
    if (!GR_GIVEN(err, synth, path))
        return GRADUS_BAD_ARGUMENT;
    gr_synth_set set;
    gr_write_options options;

    GR_TRY(gr_options_get(write, &gr_operation_write, &options, err));
    GR_TRY(open_set(context, synth, &set, err));
    const gradus_status status = gr_synth_write(&set, path, &options, context, err);

    gr_synth_close(&set);
    return status;
}

gradus_dataset *gradus_synth(gradus_context *context, const gradus_options *synth,
                             gradus_error *err)
{
    if (!GR_GIVEN(err, synth))
        return NULL;
    gr_synth_set set;
    gradus_dataset *data;

    if (open_set(context, synth, &set, err) != GRADUS_OK)
        return NULL;
    data = gr_synth_dataset(&set, context, err);
    gr_synth_close(&set);
    return data;
}
