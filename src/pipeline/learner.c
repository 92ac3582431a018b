/* SPDX-License-Identifier: Apache-2.0 */
/* The table of learners, and checks of warm starts. */
#include "pipeline/learner.h"

#include "pipeline/ranker.h"

#define GR_OPTIONS(name)
static const gr_learner *const learners[] = {
#define GR_LEARNER(name, text) &gr_learner_##name,
#include "pipeline/learners.def"
#undef GR_LEARNER
};

#define GR_LEARNER(name, text) text,
const char *const gr_learner_names[] = {
#include "pipeline/learners.def"
    NULL
};
#undef GR_LEARNER
#undef GR_OPTIONS

const gr_learner *gr_learner_number(size_t index)
{
    return index < sizeof learners / sizeof *learners ? learners[index] : NULL;
}

const gr_about *gr_learners_at(size_t index)
{
    const gr_learner *learner = gr_learner_number(index);

    return learner ? &learner->about : NULL;
}

void gr_start_thresholds(const gr_fit *fit, gr_objective_options *options)
{
    if (!fit->start || !fit->start->scorer.thresholds)
        return;
    options->thresholds = fit->start->scorer.thresholds;
    options->threshold_sets = fit->start->scorer.threshold_sets;
}

gradus_status gr_start_fits(const gr_fit *fit, size_t features, size_t outputs, gradus_error *err)
{
    const size_t asked = fit->data->arrays.features;

    if (features == asked && outputs == fit->problem->outputs)
        return GRADUS_OK;
    return gr_fail(
        err, GRADUS_BAD_ARGUMENT,
        "the model to start from has %zu features and %zu outputs, the data require %zu and %zu",
        features, outputs, asked, fit->problem->outputs);
}

gradus_status gr_refuse_initial(const gr_fit *fit, gradus_error *err)
{
    return fit->initial ? gr_fail(err, GRADUS_BAD_ARGUMENT, "'%s' does not support initial scores",
                                  fit->ranker->about.name)
                        : GRADUS_OK;
}
