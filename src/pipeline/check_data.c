/* SPDX-License-Identifier: Apache-2.0 */
/* Reports, before training, data that a method cannot learn from or learns little from. */
#include "pipeline/check_data.h"

#include "data/binned.h"
#include "data/row_names.h"
#include "pipeline/train.h"

#include <math.h>
#include <stdlib.h>

/* Sums of squares of labels over 1e8 rows must fit the floats of a model. */
#define LARGEST_LABEL 1e15

static bool same_value(float a, float b)
{
    return a == b || (isnan(a) && isnan(b));
}

/* Whether two sparse rows have the same values; absent entries are 0. */
static bool same_entries(const gradus_arrays *a, size_t first, size_t second)
{
    uint64_t i = a->row_starts[first], j = a->row_starts[second];
    const uint64_t i_end = a->row_starts[first + 1], j_end = a->row_starts[second + 1];

    while (i < i_end || j < j_end) {
        const uint32_t left = i < i_end ? a->columns[i] : UINT32_MAX;
        const uint32_t right = j < j_end ? a->columns[j] : UINT32_MAX;

        if (!same_value(left <= right && i < i_end ? a->entries[i] : 0.0f,
                        right <= left && j < j_end ? a->entries[j] : 0.0f))
            return false;
        i += left <= right && i < i_end;
        j += right <= left && j < j_end;
    }
    return true;
}

static bool same_row(const gradus_dataset *data, size_t first, size_t second)
{
    const gradus_arrays *a = &data->arrays;

    if (!gr_dataset_is_dense(data))
        return same_entries(a, first, second);
    for (size_t f = 0; f < a->features; f++)
        if (!same_value(a->values[first * a->stride + f], a->values[second * a->stride + f]))
            return false;
    return true;
}

/* The same for bins; true if rows differ in one. */
static bool bins_vary(const gradus_dataset *data, bool by_query, float *rows)
{
    const gradus_arrays *a = &data->arrays;
    const gr_binned *b = data->binned;

    for (size_t q = 0; q < a->queries; q++)
        for (uint64_t r = a->query_starts[q]; r < a->query_starts[q + 1]; r++) {
            const size_t first = by_query ? (size_t)a->query_starts[q] : 0;

            b->decode(b->state, first, first + 1, rows);
            b->decode(b->state, (size_t)r, (size_t)r + 1, rows + a->features);
            for (size_t f = 0; f < a->features; f++)
                if (!same_value(rows[f], rows[a->features + f]))
                    return true;
        }
    return false;
}

/* Whether any two rows of the data, or of the same query, differ in a feature; in a bin of it, if
 * values are not known. */
static bool features_vary(const gradus_dataset *data, bool by_query)
{
    const gradus_arrays *a = &data->arrays;

    if (gr_dataset_is_divided(data))
        return true; /* no process has all rows; the answer is for a note only */
    if (gr_dataset_lacks_values(data)) {
        float *rows = gr_new_array(2 * a->features, sizeof *rows);
        const bool vary = !rows || bins_vary(data, by_query, rows);

        free(rows);
        return vary;
    }
    for (size_t q = 0; q < a->queries; q++)
        for (uint64_t r = a->query_starts[q]; r < a->query_starts[q + 1]; r++)
            if (!same_row(data, by_query ? (size_t)a->query_starts[q] : 0, (size_t)r))
                return true;
    return false;
}

bool gr_labels_vary(const gradus_dataset *data, bool by_query)
{
    const gradus_arrays *a = &data->arrays;

    for (size_t q = 0; q < a->queries; q++)
        for (uint64_t r = a->query_starts[q]; r < a->query_starts[q + 1]; r++)
            if (a->labels[r] != a->labels[by_query ? a->query_starts[q] : 0])
                return true;
    return false;
}

static bool all_missing(const gradus_dataset *data)
{
    const gradus_arrays *a = &data->arrays;

    float *row = gr_new_array(a->features, sizeof *row);
    bool missing = row;

    if (row && gr_dataset_lacks_values(data))
        data->binned->decode(data->binned->state, 0, 1, row);
    else if (row)
        gr_dataset_row(data, 0, row);
    for (size_t f = 0; f < a->features && missing; f++)
        missing = isnan(row[f]);
    free(row);
    return missing;
}

static bool compares_rows(const gradus_training *t)
{
    return !t->input.objective && gr_needs_queries(t->recipe.ranker, t->recipe.options);
}

gradus_status gr_fail_without_queries(const char *method, gradus_error *err)
{
    return gr_fail(err, GRADUS_BAD_ARGUMENT,
                   "the training data have no query ids, and '%s' compares rows of the same query; "
                   "if all rows are one query, add 'one-query'",
                   method);
}

static gradus_status check_queries(const gradus_training *t, gradus_error *err)
{
    const gradus_dataset *data = t->train;

    if (compares_rows(t) && data->lacks_queries && !t->recipe.options->one_query)
        return gr_fail_without_queries(t->recipe.ranker->about.name, err);
    if (data->lacks_queries && !t->recipe.options->one_query)
        gr_note(t->context, "the training data have no query ids: all %zu rows are one query",
                data->arrays.rows);
    else if (compares_rows(t) && data->arrays.queries == 1 && !t->recipe.options->one_query)
        gr_note(t->context,
                "the training data are a single query of %zu rows: '%s' learns only to order these",
                data->arrays.rows, t->recipe.ranker->about.name);
    return GRADUS_OK;
}

static gradus_status check_labels(const gradus_training *t, gradus_error *err)
{
    const gradus_arrays *a = &t->train->arrays;

    for (size_t r = 0; r < a->rows; r++)
        if (!(fabs((double)a->labels[r]) <= LARGEST_LABEL))
            return gr_fail(err, GRADUS_BAD_NUMBER,
                           "row %llu: label %g is too large to learn from: the maximum is %g",
                           (unsigned long long)gr_file_row(t->train, r) + 1, (double)a->labels[r],
                           LARGEST_LABEL);
    if (t->input.objective)
        return GRADUS_OK; /* the caller's objective may not use the labels */
    if (compares_rows(t) && !gr_labels_vary(t->train, true))
        return gr_fail(err, GRADUS_BAD_NUMBER,
                       "no query has rows with different labels: '%s' has nothing to learn from",
                       t->recipe.ranker->about.name);
    if (t->recipe.ranker->least_levels < 2 && !gr_labels_vary(t->train, false))
        gr_note(t->context, "all rows have label %g: the model will be constant",
                (double)a->labels[0]);
    return GRADUS_OK;
}

static void note_features(const gradus_training *t)
{
    if (!features_vary(t->train, false))
        gr_note(t->context, "%s in all rows: the model cannot distinguish them",
                all_missing(t->train) ? "every feature is missing"
                                      : "every feature has the same value");
    else if (compares_rows(t) && !features_vary(t->train, true))
        gr_note(t->context, "every feature has the same value in all rows of a query: the model "
                            "cannot order them");
}

gradus_status gr_training_check_data(const gradus_training *t, gradus_error *err)
{
    const gradus_arrays *a = &t->train->arrays;

    if (a->rows == 0 || a->features == 0)
        return gr_fail(err, GRADUS_BAD_NUMBER, "there are no %s to train on",
                       a->rows == 0 ? "rows" : "features");
    if (!a->labels)
        return gr_fail(err, GRADUS_BAD_NUMBER, "the data have no labels to train on");
    GR_TRY(check_queries(t, err));
    GR_TRY(check_labels(t, err));
    if (gr_dataset_lacks_values(t->train) && !gr_dataset_is_binned(t->train) &&
        !features_vary(t->train, compares_rows(t)))
        GR_TRY(gr_dataset_need(t->train, GR_NEED_VALUES, gr_pool_of(t->context), err));
    note_features(t);
    return GRADUS_OK;
}

gradus_status gr_check_valid(const gradus_dataset *train, const gradus_dataset *valid,
                             gradus_context *context, gradus_error *err)
{
    const size_t have = valid->arrays.features, want = train->arrays.features;
    const unsigned names = 1u << GR_FEATURE_BYTES | 1u << GR_FEATURE_NAMES;
    const size_t common = have < want ? have : want;

    GR_TRY(gr_dataset_need(train, names, gr_pool_of(context), err));
    GR_TRY(gr_dataset_need(valid, names, gr_pool_of(context), err));
    const size_t f = gr_names_differ(&train->feature_names, &valid->feature_names, common);

    if (f < common)
        return gr_fail(err, GRADUS_BAD_ARGUMENT,
                       "feature %zu is '%.60s' in the training data, but '%.60s' in the validation "
                       "data: both must have the same features in the same order",
                       f + 1, gr_name_at(&train->feature_names, f),
                       gr_name_at(&valid->feature_names, f));
    if (!valid->arrays.labels || valid->arrays.rows == 0)
        return gr_fail(err, GRADUS_BAD_ARGUMENT, "the validation data have no %s",
                       valid->arrays.rows ? "labels" : "rows");
    if (have < want && gr_dataset_is_dense(valid))
        return gr_fail(err, GRADUS_BAD_ARGUMENT,
                       "the training data have %zu features, the validation data %zu", want, have);
    if (have < want)
        gr_note(
            context,
            "the training data have %zu features, the validation data %zu: the missing ones are 0",
            want, have);
    if (valid->lacks_queries && !train->lacks_queries)
        gr_note(context, "the validation data have no query ids: all %zu rows are one query",
                valid->arrays.rows);
    return GRADUS_OK;
}

void gr_note_valid_labels(const gradus_dataset *valid, const char *metric, gradus_context *context)
{
    if (!gr_labels_vary(valid, true))
        gr_note(
            context,
            "no query of the validation data has rows with different labels: %s is the same for "
            "every order and cannot select a round",
            metric);
}
