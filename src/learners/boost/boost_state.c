/* SPDX-License-Identifier: Apache-2.0 */
/* The state common to all boosting loops. */
#include "learners/boost/boost_state.h"

#include "learners/boost/boost_sample.h"

#include <stdlib.h>

gr_boost_state gr_boost_state_of(const gradus_context *context, const gradus_dataset *data,
                                 const gr_problem *problem, const gr_objective *objective,
                                 const gr_boost_options *options)
{
    return (gr_boost_state){ .context = context,
                             .pool = gr_pool_of(context),
                             .data = data,
                             .problem = problem,
                             .objective = objective,
                             .options = *options };
}

gradus_status gr_boost_state_begin(gr_boost_state *c, bool new_bases, gradus_error *err)
{
    const bool from_average = c->options.from_average && c->objective->average;

    if (c->options.from_average && !c->objective->average && !c->objective->bases)
        return gr_fail(err, GRADUS_BAD_ARGUMENT,
                       "'boost-from-average' does not apply to '%s', which starts at 0",
                       c->objective->about.name);
    GR_TRY(c->objective->begin(c->problem, &c->options.objective, c->pool, &c->state, err));
    c->bases = gr_new_array(c->problem->outputs, sizeof *c->bases);
    if (!c->bases)
        return gr_fail_memory(err, "starting scores");
    if (new_bases && from_average)
        c->objective->average(c->state, gr_problem_whole(c->problem), c->bases);
    else if (new_bases && c->objective->bases)
        c->objective->bases(c->state, gr_problem_whole(c->problem), c->bases);
    return GRADUS_OK;
}

void gr_boost_state_free(gr_boost_state *c)
{
    if (c->objective->end)
        c->objective->end(c->state);
    free(c->bases);
    gr_array_free(&c->scores);
    gr_array_free(&c->gradients);
    gr_array_free(&c->hessians);
    gr_array_free(&c->sample);
    gr_array_free(&c->passed_over);
    gr_array_free(&c->thresholds.numbers);
}

static gradus_status make_room(gr_boost_state *c, gradus_error *err)
{
    size_t cells, bytes;

    if (!gr_size_times(c->problem->rows, c->problem->outputs, &cells) ||
        !gr_size_times(cells, sizeof(double), &bytes) || !gr_array_reserve(&c->scores, bytes) ||
        !gr_array_reserve(&c->gradients, cells * sizeof(float)) ||
        !gr_array_reserve(&c->hessians, cells * sizeof(float)) ||
        (gr_samples_rows(&c->options) &&
         (!gr_array_reserve(&c->sample, c->problem->rows * sizeof(uint32_t)) ||
          !gr_array_reserve(&c->passed_over, c->problem->queries * sizeof(bool)))))
        return gr_fail_memory(err, "scores and gradients");
    return GRADUS_OK;
}

gradus_status gr_boost_state_scores(gr_boost_state *c, const double *bases, const double *initial,
                                    gradus_error *err)
{
    const size_t rows = c->problem->rows;
    double *scores;

    GR_TRY(make_room(c, err));
    scores = c->scores.at;
    for (size_t k = 0; k < c->problem->outputs; k++)
        for (size_t r = 0; r < rows; r++)
            scores[k * rows + r] = bases[k] + (initial ? initial[k * rows + r] : 0.0);
    return GRADUS_OK;
}

gradus_status gr_boost_state_thresholds(gr_boost_state *c, gradus_error *err)
{
    return gr_thresholds_start(&c->thresholds, c->objective, c->state, c->problem,
                               &c->options.objective, c->scores.at, c->pool, err);
}

gradus_status gr_boost_state_sample(gr_boost_state *c, uint64_t round, const uint32_t **rows,
                                    size_t *count, gradus_error *err)
{
    *rows = NULL;
    *count = c->problem->rows;
    if (!gr_samples_rows(&c->options))
        return GRADUS_OK;
    *rows = c->sample.at;
    return gr_sample_rows(c->problem, &c->options, round, c->pool, c->sample.at, count,
                          c->passed_over.at, err);
}

const bool *gr_boost_state_passed_over(const gr_boost_state *c)
{
    return gr_samples_rows(&c->options) ? c->passed_over.at : NULL;
}

gradus_status gr_boost_state_gradients(gr_boost_state *c, uint64_t round, const uint32_t **rows,
                                       size_t *count, gradus_error *err)
{
    gr_problem seen = *c->problem;

    GR_TRY(gr_boost_state_sample(c, round, rows, count, err));
    seen.passed_over = gr_boost_state_passed_over(c);
    return c->objective->gradients(c->state, &seen, c->scores.at, c->gradients.at, c->hessians.at,
                                   c->pool, err);
}

gradus_status gr_boost_state_follow(gr_boost_state *c, uint64_t round, bool *grew,
                                    gradus_error *err)
{
    GR_TRY(gr_thresholds_follow(&c->thresholds, c->objective, c->state, c->problem, c->scores.at,
                                c->pool, &c->separated, err));
    if (c->separated) {
        *grew = false;
        gr_note(c->context,
                "round %llu: the grades are perfectly separated, so scores and thresholds would "
                "grow without bound; training stops",
                (unsigned long long)round + 1);
    }
    return GRADUS_OK;
}
