/* SPDX-License-Identifier: Apache-2.0 */
/* Concatenates datasets by appending each to a builder. */
#include "data/join.h"

#include <stdlib.h>
#include <string.h>

/* The first row and the name of each query. */
static gr_query_run *runs_of(const gradus_dataset *set)
{
    gr_query_run *runs = gr_new_array(set->query_names.count, sizeof *runs);

    for (size_t q = 0; runs && q < set->query_names.count; q++) {
        const char *name = gr_name_at(&set->query_names, q);

        runs[q] = (gr_query_run){ (size_t)set->arrays.query_starts[q], name, strlen(name) };
    }
    return runs;
}

/* Offsets of sparse rows that do not start at 0, relative to the first. */
static uint64_t *ends_from(const gradus_arrays *arrays, uint64_t first)
{
    uint64_t *ends = gr_new_array(arrays->rows, sizeof *ends);

    for (size_t r = 0; ends && r < arrays->rows; r++)
        ends[r] = arrays->row_starts[r + 1] - first;
    return ends;
}

gradus_status gr_dataset_append(gr_builder *builder, const gradus_dataset *set, gradus_error *err)
{
    const gradus_arrays *arrays = &set->arrays;
    const bool dense = gr_dataset_is_dense(set);
    const uint64_t first = dense ? 0 : arrays->row_starts[0];
    gr_query_run *runs = runs_of(set);
    uint64_t *ends = first ? ends_from(arrays, first) : NULL;
    const gr_block block = {
        .rows = arrays->rows,
        .labels = arrays->labels,
        .weights = arrays->row_weights,
        .dense = dense,
        .width = arrays->features,
        .stride = arrays->stride,
        .values = arrays->values,
        .first_id = set->first_id,
        .row_ends = first   ? ends
                    : dense ? NULL
                            : arrays->row_starts + 1,
        .columns = dense ? NULL : arrays->columns + first,
        .entries = dense ? NULL : arrays->entries + first,
        .runs = set->query_names.count,
        .query_runs = runs,
        .has_documents = set->document_names.count > 0,
        .document_bytes = set->document_names.bytes,
        .document_ends = set->document_names.count ? set->document_names.starts + 1 : NULL,
    };
    const gradus_status status = runs && (ends || !first) ? gr_builder_append(builder, &block, err)
                                                          : gr_fail_memory(err, "a dataset");

    free(ends);
    free(runs);
    return status;
}

gradus_dataset *gr_dataset_join(gradus_context *context, const gradus_dataset *const *sets,
                                size_t count, gradus_error *err)
{
    gr_read_options options = { 0 };
    gr_builder *builder;

    if (gr_options_get(NULL, &gr_operation_read, &options, err) != GRADUS_OK)
        return NULL;
    builder = gr_builder_new(context, &options, "joined sets", err);
    for (size_t s = 0; builder && s < count; s++)
        if (gr_dataset_need(sets[s], GR_NEED_ALL, gr_pool_of(context), err) != GRADUS_OK ||
            gr_dataset_append(builder, sets[s], err) != GRADUS_OK) {
            gr_builder_free(builder);
            return NULL;
        }
    return builder ? gr_builder_finish(builder, context, err) : NULL;
}
