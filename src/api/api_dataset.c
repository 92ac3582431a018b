/* SPDX-License-Identifier: Apache-2.0 */
/* Public API: accessors and operations of datasets. */
#include "api/api_arguments.h"
#include "bins/bins.h"
#include "data/binned.h"
#include "data/distinct.h"
#include "data/join.h"
#include "data/sections.h"
#include "data/row_names.h"
#include "data/split.h"
#include "data/subset.h"
#include "data/transform.h"
#include "data/write.h"
#include "metrics/gains.h"
#include "pipeline/check_data.h"
#include "pipeline/fingerprint.h"
#include "pipeline/train.h"

#include <stdlib.h>

size_t gradus_dataset_rows(const gradus_dataset *data)
{
    if (!GR_GIVEN(NULL, data))
        return 0;
    return data->arrays.rows;
}

size_t gradus_dataset_features(const gradus_dataset *data)
{
    if (!GR_GIVEN(NULL, data))
        return 0;
    return data->arrays.features;
}

size_t gradus_dataset_queries(const gradus_dataset *data)
{
    if (!GR_GIVEN(NULL, data))
        return 0;
    return data->arrays.queries;
}

/* "" for a damaged name: functions that can fail report the damage. */
static const char *name_of(const gradus_dataset *data, unsigned parts, const gr_names *names,
                           size_t index)
{
    if (gr_dataset_need(data, parts, NULL, NULL) != GRADUS_OK)
        return "";
    return gr_name_at(names, index);
}

const char *gradus_dataset_query_name(const gradus_dataset *data, size_t query)
{
    if (!GR_GIVEN(NULL, data))
        return "";
    return name_of(data, GR_PART(GR_QUERY_NAMES), &data->query_names, query);
}

const char *gradus_dataset_document_name(const gradus_dataset *data, size_t row)
{
    if (!GR_GIVEN(NULL, data))
        return "";
    return name_of(data, GR_NEED_DOCUMENTS, &data->document_names, row);
}

const char *gradus_dataset_feature_name(const gradus_dataset *data, size_t feature)
{
    if (!GR_GIVEN(NULL, data))
        return "";
    return name_of(data, GR_PART(GR_FEATURE_NAMES), &data->feature_names, feature);
}

size_t gradus_dataset_first_id(const gradus_dataset *data)
{
    if (!GR_GIVEN(NULL, data))
        return 0;
    return data->first_id;
}

gradus_status gradus_dataset_file_order(const gradus_dataset *data, size_t *order,
                                        gradus_error *err)
{
    gr_keyed *keyed;

    if (!GR_GIVEN(err, data, order))
        return GRADUS_BAD_ARGUMENT;
    GR_TRY(gr_dataset_need(data, GR_PART(GR_FILE_ROWS), NULL, err));
    GR_TRY(gr_file_order(data, &keyed, err));
    for (size_t i = 0; i < data->arrays.rows; i++)
        order[i] = keyed ? keyed[i].item : i;
    free(keyed);
    return GRADUS_OK;
}

gradus_status gradus_dataset_find_feature(const gradus_dataset *data, const char *word,
                                          size_t *feature, gradus_error *err)
{
    if (!GR_GIVEN(err, data, word, feature))
        return GRADUS_BAD_ARGUMENT;
    GR_TRY(gr_dataset_need(data, GR_PART(GR_FEATURE_NAMES), NULL, err));
    return gr_find_feature(data, word, feature, err);
}

gradus_status gradus_dataset_write(gradus_context *context, const gradus_dataset *data,
                                   const char *path, const gradus_options *options,
                                   gradus_error *err)
{
    if (!GR_GIVEN(err, data, path))
        return GRADUS_BAD_ARGUMENT;
    gr_write_options chosen;

    GR_TRY(gr_options_get(options, &gr_operation_write, &chosen, err));
    return gr_write(context, data, path, &chosen, err);
}

gradus_dataset *gradus_dataset_transform(gradus_context *context, const gradus_dataset *data,
                                         const gradus_options *options, gradus_error *err)
{
    if (!GR_GIVEN(err, data))
        return NULL;
    gr_transform_options chosen;

    if (gr_options_get(options, &gr_operation_transform, &chosen, err) != GRADUS_OK)
        return NULL;
    return gr_dataset_transform(context, data, &chosen, err);
}

gradus_status gradus_dataset_split(const gradus_dataset *data, const gradus_options *options,
                                   size_t *part_of_query, size_t *parts, gradus_error *err)
{
    if (!GR_GIVEN(err, data, part_of_query, parts))
        return GRADUS_BAD_ARGUMENT;
    gr_split_options chosen;

    GR_TRY(gr_options_get(options, &gr_operation_split, &chosen, err));
    return gr_split_queries(data->arrays.queries, &chosen, part_of_query, parts, err);
}

gradus_dataset *gradus_dataset_subset(gradus_context *context, const gradus_dataset *data,
                                      const size_t *queries, size_t count, gradus_error *err)
{
    if (!GR_GIVEN(err, data, queries))
        return NULL;
    return gr_dataset_subset(data, queries, count, gr_pool_of(context), err);
}

bool gradus_dataset_has_queries(const gradus_dataset *data)
{
    return GR_GIVEN(NULL, data) && !data->lacks_queries;
}

gradus_status gradus_dataset_fingerprint(gradus_context *context, const gradus_dataset *data,
                                         uint64_t *fingerprint, gradus_error *err)
{
    if (!GR_GIVEN(err, data, fingerprint))
        return GRADUS_BAD_ARGUMENT;
    const unsigned parts = gr_dataset_lacks_values(data) || gr_dataset_is_divided(data)
                               ? GR_NEED_ALL & ~(unsigned)GR_NEED_VALUES
                               : (unsigned)GR_NEED_ALL;

    GR_TRY(gr_dataset_need(data, parts, gr_pool_of(context), err));
    return gr_fingerprint(data, NULL, gr_pool_of(context), fingerprint, err);
}

gradus_status gradus_dataset_labels(gradus_context *context, const gradus_dataset *data,
                                    gradus_label_kind *kind, gradus_error *err)
{
    static const gradus_label_kind kinds[] = { [GR_LABELS_ARE_GRADES] = GRADUS_LABELS_GRADES,
                                               [GR_LABELS_ARE_NUMBERS] = GRADUS_LABELS_NUMBERS,
                                               [GR_LABELS_ARE_OTHER] = GRADUS_LABELS_OTHER };

    if (!GR_GIVEN(err, data, kind))
        return GRADUS_BAD_ARGUMENT;
    GR_TRY(gr_dataset_need(data, GR_NEED_LABELS, gr_pool_of(context), err));
    if (!data->arrays.labels)
        return gr_fail(err, GRADUS_BAD_ARGUMENT, "the data have no labels");
    *kind = kinds[gr_labels_use(data->arrays.labels, data->arrays.rows)];
    return GRADUS_OK;
}

gradus_status gradus_dataset_check_valid(gradus_context *context, const gradus_dataset *train,
                                         const gradus_dataset *valid, gradus_error *err)
{
    if (!GR_GIVEN(err, train, valid))
        return GRADUS_BAD_ARGUMENT;
    return gr_check_valid(train, valid, context, err);
}

gradus_dataset *gradus_dataset_join(gradus_context *context, const gradus_dataset *const *sets,
                                    size_t count, gradus_error *err)
{
    if (!GR_GIVEN(err, sets))
        return NULL;
    if (count == 0) {
        gr_fail(err, GRADUS_BAD_ARGUMENT, "there are no datasets to join");
        return NULL;
    }
    for (size_t i = 0; i < count; i++)
        if (!sets[i]) {
            gr_fail(err, GRADUS_BAD_ARGUMENT, "dataset %zu of those to join is NULL", i);
            return NULL;
        }
    return gr_dataset_join(context, sets, count, err);
}

gradus_dataset *gradus_dataset_join_folds(gradus_context *context,
                                          const gradus_dataset *const *sets, size_t folds,
                                          size_t parts, gradus_error *err)
{
    bool any = false;

    if (!GR_GIVEN(err, sets))
        return NULL;
    for (size_t i = 0; i < folds * parts; i++)
        any = any || sets[i];
    if (!any) {
        gr_fail(err, GRADUS_BAD_ARGUMENT, "there are no datasets to join");
        return NULL;
    }
    return gr_dataset_join_distinct(context, sets, folds, parts, err);
}

gradus_status gradus_dataset_bins(gradus_context *context, const gradus_dataset *data,
                                  const gradus_options *options, size_t *bins, gradus_error *err)
{
    if (!GR_GIVEN(err, data, bins))
        return GRADUS_BAD_ARGUMENT;
    gradus_options *defaults = options ? NULL : gr_options_new(&gr_operation_train, err);
    gradus_status status = GRADUS_OK;
    gr_bins made;

    if (!options && !defaults)
        return GRADUS_NO_MEMORY;
    const gr_train_options *chosen = gr_train_view(options ? options : defaults, err);

    if (!chosen) {
        gr_options_free(defaults);
        return GRADUS_BAD_ARGUMENT;
    }
    gr_bin_options bin = *GR_TRAIN_BLOCK(chosen, bin);

    bin.seed = chosen->seed;
    gr_options_free(defaults);
    status = gr_bins_new(data, &bin, context, &made, err);
    if (status != GRADUS_OK)
        return status;
    for (size_t f = 0; f < data->arrays.features; f++)
        bins[f] = gr_cuts_bins(&made.cuts, f);
    gr_bins_free(&made);
    return GRADUS_OK;
}
