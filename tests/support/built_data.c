/* SPDX-License-Identifier: Apache-2.0 */
/* Builds a small dataset from rows written out in a test. */
#include "built_data.h"

#include <string.h>

gradus_dataset *make_data(const made_row *rows, size_t count, gradus_error *err)
{
    const gr_read_options options = { .storage = GR_STORE_DENSE };
    gr_builder *builder = gr_builder_new(NULL, &options, "made", err);
    gr_query_run runs[MADE_ROWS];
    float labels[MADE_ROWS] = { 0 }, values[MADE_ROWS * MADE_WIDTH];
    uint64_t ends[MADE_ROWS];
    char names[MADE_BYTES];
    size_t used = 0;

    for (size_t r = 0; r < count; r++) {
        const char *query = rows[r].query ? rows[r].query : "";
        const char *document = rows[r].document ? rows[r].document : "";

        runs[r] = (gr_query_run){ r, query, strlen(query) };
        memcpy(values + r * MADE_WIDTH, rows[r].values, sizeof rows[r].values);
        memcpy(names + used, document, strlen(document) + 1);
        used += strlen(document) + 1;
        ends[r] = used;
    }
    const gr_block block = {
        .rows = count,
        .labels = labels,
        .dense = true,
        .width = MADE_WIDTH,
        .stride = MADE_WIDTH,
        .values = values,
        .first_id = 1,
        .runs = rows[0].query ? count : 0,
        .query_runs = runs,
        .has_documents = rows[0].document != NULL,
        .document_bytes = names,
        .document_ends = ends,
    };

    if (!builder || gr_builder_append(builder, &block, err) != GRADUS_OK) {
        gr_builder_free(builder);
        return NULL;
    }
    return gr_builder_finish(builder, NULL, err);
}
