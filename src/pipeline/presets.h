/* SPDX-License-Identifier: Apache-2.0 */
/* Settings of published experiments, by name. */
#ifndef GR_PIPELINE_PRESETS_H
#define GR_PIPELINE_PRESETS_H

#include "base/table.h"

extern const char *const gr_preset_names[];  /* "none" first; NULL-terminated */
const gr_about *gr_presets_at(size_t index); /* NULL past the last */
/* "rounds=1000 depth=4 ..."; NULL: unknown name. */
const char *gr_preset_settings(const char *name);

#endif
