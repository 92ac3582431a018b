#include "data/synth/synth.h"

gradus_dataset *gradus_synth(gradus_context *context, const gradus_options *synth,
                             gradus_error *err)
{
    gr_synth_set set;
    gradus_dataset *data;

    if (!synth) {
        gr_fail(err, GRADUS_BAD_ARGUMENT, "a synthetic set needs options that say which");
        return NULL;
    }
    if (gr_synth_open(&set, synth, gr_pool_of(context), err) != GRADUS_OK)
        return NULL;
    data = gr_synth_dataset(&set, gr_pool_of(context), err);
    gr_synth_close(&set);
    return data;
}
