/* SPDX-License-Identifier: Apache-2.0 */
/* CSV and TSV: accepted datasets are consistent. */
#include "fuzz_target.h"

#include "data/csv.h"

#include <math.h>

static void check_data(const gradus_dataset *data)
{
    const gradus_arrays *a = &data->arrays;
    float *row = calloc(a->features + 1, sizeof *row);

    must(a->rows > 0 && a->query_starts[a->queries] == a->rows, "queries hold all rows");
    for (size_t q = 0; q < a->queries; q++)
        must(a->query_starts[q] < a->query_starts[q + 1], "no query is empty");
    for (size_t r = 0; r < a->rows && row; r++) {
        gr_dataset_row(data, r, row);
        for (size_t f = 0; f < a->features; f++)
            must(!isinf(row[f]), "values are finite or missing");
        must(isfinite(a->labels[r]), "labels are finite");
        must(!a->row_weights || a->row_weights[r] >= 0.0f, "weights are not negative");
    }
    free(row);
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size)
{
    const gr_read_options options = { .storage = GR_STORE_AUTO };
    gradus_error err = { GRADUS_OK, "" };
    gr_source *source = gr_source_from_memory(bytes, size, "input", &err);
    gr_builder *builder = gr_builder_new(NULL, &options, "input", &err);
    gradus_dataset *data = NULL;

    if (source && builder && gr_csv_read(source, &options, NULL, builder, &err) == GRADUS_OK)
        data = gr_builder_finish(builder, NULL, &err);
    else
        gr_builder_free(builder);
    must_explain(!data, &err);
    if (data)
        check_data(data);
    gradus_dataset_free(data);
    gr_source_close(source);
    return 0;
}
