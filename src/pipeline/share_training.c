/* SPDX-License-Identifier: Apache-2.0 */
/* Divides a configured training among processes. Everything that is decided before the first round,
 * such as defaults, grades and gains, has been decided by every process from the labels of all
 * rows. */
#include "pipeline/share_training.h"

#include "backend/agree.h"
#include "base/crc32c.h"
#include "base/text.h"
#include "data/binned.h"
#include "data/share_rows.h"
#include "model/model_write.h"

#include <stdio.h>
#include <stdlib.h>

bool gr_training_is_shared(const gradus_training *t)
{
    return t->context && t->context->collectives && t->context->collectives->size > 1;
}

/* ---- Whether all processes have the same ---- */

enum { SAMPLED_ROWS = 64 };

/* Of what every process has in memory, and of some rows of values: data files are not read for it. */
static uint32_t checksum_of(const gradus_dataset *data)
{
    const gradus_arrays *a = &data->arrays;
    const size_t row = a->features * sizeof *a->values;
    uint32_t sum = gr_crc32c(0, a->query_starts, (a->queries + 1) * sizeof *a->query_starts);

    if (a->labels)
        sum = gr_crc32c(sum, a->labels, a->rows * sizeof *a->labels);
    if (a->row_weights)
        sum = gr_crc32c(sum, a->row_weights, a->rows * sizeof *a->row_weights);
    if (a->query_weights)
        sum = gr_crc32c(sum, a->query_weights, a->queries * sizeof *a->query_weights);
    if (!a->values || gr_dataset_is_divided(data) || gr_dataset_lacks_values(data))
        return sum;
    for (size_t i = 0; i < SAMPLED_ROWS && a->rows > 0; i++)
        sum = gr_crc32c(sum, a->values + (a->rows - 1) * i / (SAMPLED_ROWS - 1) * a->stride, row);
    return sum;
}

static void add_set(gr_facts *facts, const char *kind, const gradus_dataset *data)
{
    char name[48], value[120] = "";

    snprintf(name, sizeof name, data ? "%s data of" : "no %s data", kind);
    if (data)
        snprintf(value, sizeof value, "%zu rows, %zu features, %zu queries (checksum %08x)",
                 data->arrays.rows, data->arrays.features, data->arrays.queries, checksum_of(data));
    gr_facts_add(facts, name, value);
}

static void add_scores(gr_facts *facts, const char *kind, const double *scores,
                       const gradus_dataset *data)
{
    char name[48], value[40] = "";

    snprintf(name, sizeof name, scores ? "initial %s scores" : "no initial %s scores", kind);
    if (scores && data)
        snprintf(value, sizeof value, "of checksum %08x",
                 gr_crc32c(0, scores, data->arrays.rows * sizeof *scores));
    gr_facts_add(facts, name, value);
}

static gradus_status add_start(gr_facts *facts, const gradus_training_input *input,
                               gradus_error *err)
{
    char value[80];
    void *bytes;
    size_t size;

    if (!input->start) {
        gr_facts_add(facts, "no model to start from", NULL);
        return GRADUS_OK;
    }
    GR_TRY(gr_model_to_bytes(input->start, &bytes, &size, err));
    snprintf(value, sizeof value, "of %zu bytes (checksum %08x)", size, gr_crc32c(0, bytes, size));
    free(bytes);
    gr_facts_add(facts, input->resume ? "a checkpoint" : "a model to start from", value);
    return GRADUS_OK;
}

gradus_status gr_training_agree(const gradus_training *t, gradus_error *err)
{
    const gradus_training_input *input = &t->input;
    gr_facts facts = { .used = 0 };
    gradus_status status;

    if (!gr_training_is_shared(t))
        return GRADUS_OK;
    gr_facts_add_options(&facts, t->given);
    add_set(&facts, "training", input->train);
    add_set(&facts, "validation", input->valid);
    for (size_t i = 0; i < input->other_count; i++)
        add_set(&facts, "further validation", input->others[i]);
    add_scores(&facts, "training", input->initial, input->train);
    add_scores(&facts, "validation", input->initial_valid, input->valid);
    status = add_start(&facts, input, err);
    if (status == GRADUS_OK)
        status = gr_agree(t->context->collectives, &facts, err);
    gr_facts_free(&facts);
    return status;
}

/* ---- What cannot be distributed ---- */

static gradus_status check_queries(const gradus_training *t, gradus_error *err)
{
    const size_t size = t->context->collectives->size, queries = t->train->arrays.queries;

    if (queries >= size)
        return GRADUS_OK;
    if (t->train->lacks_queries)
        return gr_fail(
            err, GRADUS_BAD_ARGUMENT,
            "%zu processes cannot divide the training data, because its rows have no "
            "query ids and are one query: queries are not divided; add query ids, or use "
            "one process with more threads",
            size);
    return gr_fail(err, GRADUS_BAD_ARGUMENT,
                   "%zu processes, but only %zu %s: queries are not divided; use no more processes "
                   "than queries",
                   size, queries, gr_plural(queries, "query", "queries"));
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
    return check_queries(t, err);
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
