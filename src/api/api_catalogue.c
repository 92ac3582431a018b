/* SPDX-License-Identifier: Apache-2.0 */
/* Public API: lists of metrics, methods, learners and so on, by name. */
#include "api/api_arguments.h"
#include "costs/cost.h"
#include "data/synth/synth.h"
#include "data/transform.h"
#include "exchange/export.h"
#include "exchange/import.h"
#include "metrics/convention.h"
#include "metrics/metric.h"
#include "pipeline/learner.h"
#include "pipeline/methods.h"
#include "pipeline/operations.h"
#include "pipeline/presets.h"
#include "pipeline/ranker.h"
#include "statistics/test.h"

#include <string.h>

/* Trained methods, then those that need no training. */
static const gr_about *method_at(size_t index)
{
    size_t trained = 0;

    while (gr_rankers_at(trained))
        trained++;
    return index < trained ? gr_rankers_at(index) : gr_methods_at(index - trained);
}

static const struct {
    const char *name;
    const gr_about *(*at)(size_t index);
} catalogues[] = {
    { "metrics", gr_metrics_at },      { "conventions", gr_conventions_at },
    { "methods", method_at },          { "costs", gr_costs_at },
    { "tests", gr_tests_at },          { "synths", gr_synth_at },
    { "transforms", gr_transform_at }, { "presets", gr_presets_at },
    { "learners", gr_learners_at },    { "objectives", gr_objectives_at },
    { "formats", gr_formats_at },      { "importers", gr_importers_at },
};

static bool operation_at(size_t index, gradus_entry *entry)
{
    const gr_operation *operation = gr_operation_at(index);

    if (operation)
        *entry = (gradus_entry){ operation->name, operation->summary, "" };
    return operation != NULL;
}

bool gradus_entry_at(const char *catalogue, size_t index, gradus_entry *entry)
{
    if (!GR_GIVEN(NULL, catalogue, entry))
        return false;
    if (strcmp(catalogue, "operations") == 0)
        return operation_at(index, entry);
    for (size_t c = 0; c < sizeof catalogues / sizeof catalogues[0]; c++)
        if (strcmp(catalogues[c].name, catalogue) == 0) {
            const gr_about *about = catalogues[c].at(index);

            if (about)
                *entry = (gradus_entry){ about->name, about->summary, about->details };
            return about != NULL;
        }
    return false;
}
