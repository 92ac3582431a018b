/* SPDX-License-Identifier: Apache-2.0 */
/* The data of automatic training: training and validation data together, split by query into folds
 * for training and into groups for cross-fitting the selection. */
#include "base/memory.h"
#include "base/names.h"
#include "base/text.h"
#include "experiments/auto_run.h"
#include "experiments/near_duplicates.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { USUAL_FOLDS = 5, LARGE_ROWS = 500000, FEWEST_QUERIES = 4 };

void gr_auto_data_free(gr_auto_data *data)
{
    for (size_t f = 0; f < data->fold_count; f++) {
        if (data->train)
            gradus_dataset_free(data->train[f]);
        if (data->valid)
            gradus_dataset_free(data->valid[f]);
        if (data->queries)
            free(data->queries[f]);
    }
    free(data->train);
    free(data->valid);
    free(data->queries);
    free(data->query_count);
    free(data->group_of);
    gradus_dataset_free(data->joined);
    *data = (gr_auto_data){ .all = NULL };
}

/* Joining merges queries with the same id, and ids that were counted anew in each file mean
 * different queries. */
static gradus_status check_ids(const gradus_dataset *train, const gradus_dataset *valid,
                               gradus_error *err)
{
    gr_name_set names = { .list = { .count = 0 } };
    gradus_status status = GRADUS_OK;

    for (size_t q = 0; status == GRADUS_OK && q < gradus_dataset_queries(train); q++) {
        const char *name = gradus_dataset_query_name(train, q);

        if (*name && gr_name_set_add(&names, name, strlen(name)) == SIZE_MAX)
            status = gr_fail_memory(err, "query ids");
    }
    for (size_t q = 0; status == GRADUS_OK && q < gradus_dataset_queries(valid); q++) {
        const char *name = gradus_dataset_query_name(valid, q);

        if (*name && gr_name_set_find(&names, name, strlen(name)) != SIZE_MAX)
            status = gr_fail(err, GRADUS_BAD_ARGUMENT,
                             "query '%.60s' is in the training and in the validation data: give "
                             "different queries different ids, or leave the validation data out",
                             name);
    }
    gr_name_set_free(&names);
    return status;
}

/* Finds out before training what would fail at the end. */
static gradus_status check_test(const gr_auto_run *run, gradus_error *err)
{
    const gradus_dataset *test = run->input->test;

    if (!test)
        return GRADUS_OK;
    if (!gradus_dataset_has_queries(test))
        return gr_fail(err, GRADUS_BAD_ARGUMENT, "the test data have no query ids");
    return gradus_dataset_check_valid(run->context, run->input->train, test, err);
}

static gradus_status join(gr_auto_run *run, gradus_error *err)
{
    const gradus_tuning_input *input = run->input;
    const gradus_dataset *sets[] = { input->train, input->valid };
    gr_auto_data *data = &run->data;

    if (!input->train)
        return gr_fail(err, GRADUS_BAD_ARGUMENT, "automatic training needs training data");
    if (!gradus_dataset_has_queries(input->train))
        return gr_fail(err, GRADUS_BAD_ARGUMENT,
                       "the training data have no query ids: automatic training holds out whole "
                       "queries to compare methods");
    data->all = input->train;
    if (input->valid) {
        GR_TRY(gradus_dataset_check_valid(run->context, input->train, input->valid, err));
        GR_TRY(check_ids(input->train, input->valid, err));
        data->all = data->joined = gradus_dataset_join(run->context, sets, 2, err);
        if (!data->joined)
            return err->status;
    }
    const size_t queries = gradus_dataset_queries(data->all);

    return queries >= FEWEST_QUERIES
               ? GRADUS_OK
               : gr_fail(err, GRADUS_BAD_ARGUMENT,
                         "automatic training needs at least %d queries, not %zu", FEWEST_QUERIES,
                         queries);
}

/* Numbers the parts that have queries, in order. Returns how many there are. */
static size_t number_parts(size_t *part_of, size_t queries, size_t parts, size_t *number)
{
    size_t used = 0;

    for (size_t q = 0; q < queries; q++)
        number[part_of[q]] = 1;
    for (size_t p = 0; p < parts; p++)
        number[p] = number[p] ? used++ : 0;
    for (size_t q = 0; q < queries; q++)
        part_of[q] = number[part_of[q]];
    return used;
}

/* Moves queries that share most of their documents to the part of the first of them. *parts: how
 * many are left. Does nothing if only one would be. */
static gradus_status join_repeated(const gradus_dataset *data, size_t *part_of, size_t *parts,
                                   size_t *repeated, bool *apart, gradus_error *err)
{
    const size_t queries = gradus_dataset_queries(data);
    size_t *same_as = gr_new_array(queries, sizeof *same_as);
    size_t *joined = gr_new_array(queries, sizeof *joined),
           *number = gr_new_array(*parts, sizeof *number);
    gradus_status status = same_as && joined && number ? GRADUS_OK : gr_fail_memory(err, "folds");

    if (status == GRADUS_OK)
        status = gr_near_duplicates(data, same_as, repeated, err);
    if (status == GRADUS_OK && *repeated) {
        for (size_t q = 0; q < queries; q++)
            joined[q] = part_of[same_as[q]];
        const size_t used = number_parts(joined, queries, *parts, number);

        *apart = used < 2;
        if (!*apart) {
            memcpy(part_of, joined, queries * sizeof *joined);
            *parts = used;
        }
    }
    free(same_as);
    free(joined);
    free(number);
    return status;
}

/* Assigns each query of a set to one of *parts parts; fewer if queries are repeated. */
static gradus_status split(const gradus_dataset *data, size_t *parts, uint64_t seed,
                           size_t **part_of, size_t *repeated, bool *apart, gradus_error *err)
{
    char words[64];

    *part_of = gr_new_array(gradus_dataset_queries(data), sizeof **part_of);
    if (!*part_of)
        return gr_fail_memory(err, "folds");
    snprintf(words, sizeof words, "folds=%zu seed=%llu", *parts, (unsigned long long)seed);
    gradus_options *options = gr_words_options("split", words, err);
    const gradus_status status =
        options ? gradus_dataset_split(data, options, *part_of, parts, err) : err->status;

    gradus_options_free(options);
    return status == GRADUS_OK ? join_repeated(data, *part_of, parts, repeated, apart, err)
                               : status;
}

/* The queries in one part, or in all others; *count: how many. */
static gradus_dataset *cut(const gr_auto_run *run, const size_t *part_of, size_t part, bool inside,
                           gradus_error *err)
{
    const gradus_dataset *all = run->data.all;
    const size_t queries = gradus_dataset_queries(all);
    size_t *chosen = gr_new_array(queries, sizeof *chosen), count = 0;

    if (!chosen) {
        gr_fail_memory(err, "folds");
        return NULL;
    }
    for (size_t q = 0; q < queries; q++)
        if ((part_of[q] == part) == inside)
            chosen[count++] = q;
    gradus_dataset *made = gradus_dataset_subset(run->context, all, chosen, count, err);

    free(chosen);
    return made;
}

/* Lists the held-out queries of a fold by their numbers in `held`. */
static gradus_status list_queries(gr_auto_data *data, size_t fold, const size_t *part_of,
                                  gradus_error *err)
{
    const size_t queries = gradus_dataset_queries(data->all);
    size_t *list = gr_new_array(queries, sizeof *list), count = 0;

    if (!list)
        return gr_fail_memory(err, "folds");
    for (size_t q = 0; q < queries; q++)
        if (part_of[q] == fold) {
            list[count] = data->fold_count > 1 ? q : count;
            count++;
        }
    data->queries[fold] = list;
    data->query_count[fold] = count;
    return GRADUS_OK;
}

static gradus_status cut_folds(gr_auto_run *run, const size_t *part_of, gradus_error *err)
{
    gr_auto_data *data = &run->data;
    const size_t folds = data->fold_count;

    data->train = gr_new_array(folds, sizeof *data->train);
    data->valid = gr_new_array(folds, sizeof *data->valid);
    data->queries = gr_new_array(folds, sizeof *data->queries);
    data->query_count = gr_new_array(folds, sizeof *data->query_count);
    if (!data->train || !data->valid || !data->queries || !data->query_count)
        return gr_fail_memory(err, "folds");
    for (size_t f = 0; f < folds; f++) {
        data->train[f] = cut(run, part_of, f, false, err);
        if (!data->train[f])
            return err->status;
        data->valid[f] = cut(run, part_of, f, true, err);
        if (!data->valid[f])
            return err->status;
        GR_TRY(list_queries(data, f, part_of, err));
    }
    data->held = folds > 1 ? data->all : data->valid[0];
    return GRADUS_OK;
}

static gradus_status take_folds(gr_auto_run *run, gradus_error *err)
{
    gr_auto_data *data = &run->data;
    const size_t queries = gradus_dataset_queries(data->all);
    const bool large = gradus_dataset_rows(data->all) >= LARGE_ROWS;
    size_t wanted = run->options.folds ? (size_t)run->options.folds : large ? 1 : USUAL_FOLDS;
    size_t *part_of = NULL;

    if (wanted > queries && run->options.folds)
        return gr_fail(err, GRADUS_BAD_ARGUMENT, "'folds' is %zu, but there are only %zu queries",
                       wanted, queries);
    wanted = wanted < queries ? wanted : queries;
    size_t parts = wanted > 1 ? wanted : queries < USUAL_FOLDS ? queries : USUAL_FOLDS;
    gradus_status status =
        split(data->all, &parts, run->options.seed, &part_of, &data->repeated, &data->apart, err);

    data->asked_folds = wanted;
    data->fold_count = wanted > 1 ? parts : 1;
    if (status == GRADUS_OK)
        status = cut_folds(run, part_of, err);
    free(part_of);
    return status;
}

/* Groups for cross-fitting: about five, whatever the number of folds. */
static gradus_status take_groups(gr_auto_run *run, gradus_error *err)
{
    gr_auto_data *data = &run->data;
    const size_t queries = gradus_dataset_queries(data->held);

    size_t repeated = 0;
    bool apart = false;

    data->groups = queries < USUAL_FOLDS ? queries : USUAL_FOLDS;
    return split(data->held, &data->groups, run->options.seed, &data->group_of, &repeated, &apart,
                 err);
}

gradus_status gr_auto_data_take(gr_auto_run *run, gradus_error *err)
{
    GR_TRY(join(run, err));
    GR_TRY(check_test(run, err));
    return gradus_dataset_fingerprint(run->context, run->data.all, &run->data.fingerprint, err);
}

gradus_status gr_auto_data_fold(gr_auto_run *run, gradus_error *err)
{
    GR_TRY(take_folds(run, err));
    return take_groups(run, err);
}
