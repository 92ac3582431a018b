/* SPDX-License-Identifier: Apache-2.0 */
/* Decides whether scores and gradients are kept on a device, and knows whether those in memory are
 * out of date. */
#include "learners/boost/device_scores.h"

#include <stdlib.h>

/* Whether the device of the context keeps the scores of a problem if trees are grown there: not if every tree
 * needs a line search. */
static bool describe(const gr_boost_state *c, gr_device_problem *described)
{
    const gradus_device *device = c->context ? c->context->device : NULL;

    return device && device->boosting && !c->problem->share && !c->objective->searches_trees &&
           c->objective->describe && c->objective->describe(c->state, c->problem, described);
}

double gr_device_scores_bytes(const gr_boost_state *c)
{
    gr_device_problem described;

    return describe(c, &described) ? gr_device_problem_bytes(&described) : 0.0;
}

gradus_status gr_device_scores_open(gr_device_scores *scores, gr_boost_state *c,
                                    const struct gr_device_rows *rows, gradus_error *err)
{
    const gradus_device *device = c->context ? c->context->device : NULL;
    const gr_problem *problem = c->problem;
    gr_device_problem described;

    *scores = (gr_device_scores){ 0 };
    if (!rows || !describe(c, &described))
        return GRADUS_OK;
    described.ones = c->objective->unit && !problem->row_weights && !problem->weights;
    if (c->objective->level_numbers) {
        scores->numbers =
            gr_new_array(problem->levels, GR_DEVICE_LEVEL_NUMBERS * sizeof *scores->numbers);
        if (!scores->numbers)
            return gr_fail_memory(err, "thresholds");
    }
    GR_TRY(device->boosting->open(device, &described, rows, c->scores.at, &scores->boosting, err));
    scores->functions = device->boosting;
    scores->both = c->objective->leaf_reads_rows;
    scores->problem = *problem;
    scores->problem.device = scores->functions;
    scores->problem.boosting = scores->boosting;
    c->problem = &scores->problem;
    return GRADUS_OK;
}

void gr_device_scores_close(gr_device_scores *scores)
{
    if (scores->functions)
        scores->functions->close(scores->boosting);
    free(scores->numbers);
    *scores = (gr_device_scores){ 0 };
}

gradus_status gr_device_scores_gradients(const gr_device_scores *scores, const gr_boost_state *c,
                                         gradus_error *err)
{
    if (scores->numbers)
        c->objective->level_numbers(c->state, scores->numbers);
    return scores->functions->gradients(scores->boosting, gr_boost_state_passed_over(c),
                                        scores->numbers, err);
}

gradus_status gr_device_scores_add(gr_device_scores *scores, size_t output, const double *values,
                                   size_t leaves, gradus_error *err)
{
    scores->ahead = !scores->both;
    return scores->functions->add(scores->boosting, output, values, leaves, err);
}

gradus_status gr_device_scores_fetch(gr_device_scores *scores, double *to, gradus_error *err)
{
    if (!scores->ahead)
        return GRADUS_OK;
    GR_TRY(scores->functions->fetch(scores->boosting, to, err));
    scores->ahead = false;
    return GRADUS_OK;
}
