/* SPDX-License-Identifier: Apache-2.0 */
/* Moves thresholds off training values. Rows outside the sample may have values equal to a
 * threshold; such a threshold moves to the next float below, unless some value is there. All values
 * stay on the same side, so the bins do not change. */
#include "bins/bins_work.h"

#include <stdlib.h>

/* Whether a threshold of the feature is 0 or the next float above it. Zeros that sparse rows omit
 * have not been compared with thresholds yet. */
static bool is_close_to_zero(const gr_cuts *cuts, size_t f)
{
    for (uint64_t t = cuts->starts[f]; t < cuts->starts[f + 1]; t++) {
        const int32_t key = gr_float_key(cuts->thresholds[t]);

        if (key == 0 || key == 1)
            return true;
    }
    return false;
}

static gradus_status look_at_absent(const gr_binning *work, gradus_error *err)
{
    const gradus_arrays *a = &work->data->arrays;
    uint32_t *listed = gr_new_array(a->features, sizeof *listed);

    if (!listed)
        return gr_fail_memory(err, "entry counts");
    for (uint64_t e = 0; e < a->row_starts[a->rows]; e++)
        listed[a->columns[e]]++;
    for (size_t f = 0; f < a->features; f++)
        if (listed[f] < a->rows && is_close_to_zero(&work->bins->cuts, f))
            gr_note_value(work, f, work->facts[f].zero_bin, 0);
    free(listed);
    return GRADUS_OK;
}

gradus_status gr_binning_adjust(gr_binning *work, gradus_error *err)
{
    gr_cuts *cuts = &work->bins->cuts;
    bool close = false;

    if (!work->seen)
        return GRADUS_OK;
    for (size_t f = 0; f < cuts->features && work->facts; f++) /* sparse rows */
        close = close || is_close_to_zero(cuts, f);
    if (close)
        GR_TRY(look_at_absent(work, err));
    GR_TRY(gr_share_or(work->bins->share, work->seen, (size_t)cuts->starts[cuts->features], err));
    for (uint64_t t = 0; t < cuts->starts[cuts->features]; t++)
        if (work->seen[t] == 1)
            cuts->thresholds[t] = gr_key_float(gr_float_key(cuts->thresholds[t]) - 1);
    return GRADUS_OK;
}
