/* SPDX-License-Identifier: Apache-2.0 */
/* Settings of published experiments. Where a paper does not state a setting (rows per leaf,
 * regularisation), none is applied, as in its algorithm. */
#include "pipeline/presets.h"

#include <string.h>

static const struct {
    gr_about about;
    const char *settings;
} presets[] = {
#define GR_PRESET(name, summary, settings) { { name, summary, settings }, settings },
#include "pipeline/presets.def"
#undef GR_PRESET
};

#define GR_PRESET(name, summary, settings) name,
const char *const gr_preset_names[] = { "none",
#include "pipeline/presets.def"
                                        NULL };
#undef GR_PRESET

const gr_about *gr_presets_at(size_t index)
{
    return index < sizeof presets / sizeof *presets ? &presets[index].about : NULL;
}

const char *gr_preset_settings(const char *name)
{
    for (size_t i = 0; i < sizeof presets / sizeof *presets; i++)
        if (strcmp(presets[i].about.name, name) == 0)
            return presets[i].settings;
    return NULL;
}
