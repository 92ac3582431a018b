#include "pipeline/learner.h"

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
