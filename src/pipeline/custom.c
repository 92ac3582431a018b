/* SPDX-License-Identifier: Apache-2.0 */
/* Objectives defined by the caller: gradients from a callback. */
#include "pipeline/train.h"

static gradus_status custom_begin(const gr_problem *problem, const gr_objective_options *options,
                                  gr_pool *pool, void **state, gradus_error *err)
{
    (void)pool;
    if (problem->outputs != 1)
        return gr_fail(err, GRADUS_BAD_ARGUMENT,
                       "a custom objective needs a method with one output");
    *state = options->custom;
    return GRADUS_OK;
}

static gradus_status custom_gradients(void *state, const gr_problem *problem, const double *scores,
                                      float *gradients, float *hessians, gr_pool *pool,
                                      gradus_error *err)
{
    const gradus_training *t = state;

    (void)problem;
    (void)pool;
    if (t->input.objective(t->input.user, t->input.train, scores, gradients, hessians) != GRADUS_OK)
        return gr_fail(err, GRADUS_CANCELLED, "the custom objective stopped training");
    return GRADUS_OK;
}

const gr_objective gr_custom_objective = {
    .about = { "custom", "defined by the caller", "" },
    .begin = custom_begin,
    .gradients = custom_gradients,
};
