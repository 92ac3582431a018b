/* SPDX-License-Identifier: Apache-2.0 */
/* Divides a configured training among processes. Everything that is decided before the first round,
 * such as defaults, grades and gains, has been decided by every process from the labels of all
 * rows. */
#include "pipeline/share_training.h"

#include "data/share_rows.h"

bool gr_training_is_shared(const gradus_training *t)
{
    return t->context && t->context->collectives && t->context->collectives->size > 1;
}

gradus_status gr_training_check_shared(const gradus_training *t, gradus_error *err)
{
    const gr_objective_options *objective = GR_TRAIN_BLOCK(t->recipe.options, objective);

    if (!gr_training_is_shared(t))
        return GRADUS_OK;
    if (!t->recipe.learner->distributed)
        return gr_fail(
            err, GRADUS_BAD_ARGUMENT,
            "'%s' with the learner '%s' cannot be trained on several processes: %s, or one process "
            "with more threads",
            t->recipe.ranker->about.name, t->recipe.learner->about.name,
            t->recipe.learner->alone ? t->recipe.learner->alone
                                     : "its sums depend on the order of the rows; use a method of "
                                       "boosted trees (learner gbrt)");
    if (t->input.objective)
        return gr_fail(err, GRADUS_BAD_ARGUMENT,
                       "a custom objective cannot be trained on several processes: it may combine "
                       "rows of different queries; use one process with more threads");
    if (t->recipe.ranker->pair_costs && objective->pairrank.within == GR_PAIRS_WITHIN_ALL)
        return gr_fail(err, GRADUS_BAD_ARGUMENT,
                       "'within all' cannot be trained on several processes: it compares rows of "
                       "different queries; use 'within query', or one process with more threads");
    if (t->train->arrays.queries < t->context->collectives->size)
        return gr_fail(err, GRADUS_BAD_ARGUMENT,
                       "%zu processes, but only %zu queries: queries are not divided; use no more "
                       "processes than queries",
                       t->context->collectives->size, t->train->arrays.queries);
    return GRADUS_OK;
}

static void share_problem(gradus_training *t)
{
    const gradus_dataset *data = t->shared_train;
    const size_t first = gr_share_first_row(data->share);
    gr_problem *problem = &t->shared_problem;

    *problem = t->built.problem;
    problem->rows = data->arrays.rows;
    problem->queries = data->arrays.queries;
    problem->query_starts = data->arrays.query_starts;
    problem->labels = data->arrays.labels;
    if (problem->level_of)
        problem->level_of += first;
    if (problem->row_weights)
        problem->row_weights += first;
    problem->whole = &t->built.problem;
    problem->share = data->share;
}

gradus_status gr_training_share(gradus_training *t, gradus_error *err)
{
    if (!gr_training_is_shared(t))
        return GRADUS_OK;
    t->shared_train = gr_dataset_share(t->train, t->context->collectives, err);
    if (!t->shared_train)
        return GRADUS_NO_MEMORY;
    t->train = t->shared_train;
    share_problem(t);
    if (!t->valid)
        return GRADUS_OK;
    t->shared_valid = gr_dataset_share(t->valid, t->context->collectives, err);
    if (!t->shared_valid)
        return GRADUS_NO_MEMORY;
    t->valid = t->shared_valid;
    return GRADUS_OK;
}

const gr_problem *gr_training_problem(const gradus_training *t)
{
    return t->shared_train ? &t->shared_problem : &t->built.problem;
}

void gr_training_share_free(gradus_training *t)
{
    gradus_dataset_free(t->shared_train);
    gradus_dataset_free(t->shared_valid);
}
