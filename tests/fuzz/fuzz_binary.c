/* SPDX-License-Identifier: Apache-2.0 */
/* Binary data files: unchanged, and with corrected checksums, so that the code behind them is
 * reached. Accepted data must be consistent. */
#include "fuzz_target.h"
#include "seal.h"

#include "bins/attached.h"
#include "bins/bins_file.h"
#include "data/binary.h"

#include <math.h>

static void check_rows(const gradus_dataset *data, const gradus_arrays *a)
{
    for (size_t q = 0; q < a->queries; q++)
        must(a->query_starts[q] < a->query_starts[q + 1], "no query is empty");
    must(a->query_starts[0] == 0 && a->query_starts[a->queries] == a->rows,
         "queries hold all rows");
    for (size_t r = 0; r < a->rows; r++) {
        must(isfinite(a->labels[r]), "labels are finite");
        must(!a->row_weights || a->row_weights[r] >= 0.0f, "weights are not negative");
        must(!data->file_rows || data->file_rows[r] < a->rows, "places are in the file");
        for (uint64_t e = a->row_starts ? a->row_starts[r] : 0;
             a->row_starts && e < a->row_starts[r + 1]; e++)
            must(a->columns[e] < a->features, "columns are features");
    }
}

static size_t read_names(const gradus_dataset *data)
{
    size_t characters = 0;

    for (size_t q = 0; q < gradus_dataset_queries(data); q++)
        characters += strlen(gradus_dataset_query_name(data, q));
    for (size_t r = 0; r < gradus_dataset_rows(data); r++)
        characters += strlen(gradus_dataset_document_name(data, r));
    for (size_t f = 0; f < gradus_dataset_features(data) && f < 100000; f++)
        characters += strlen(gradus_dataset_feature_name(data, f));
    return characters;
}

/* Bins of a binned file must be safe to use, or refused. */
static void use_bins(gradus_dataset *data)
{
    gradus_error err = { GRADUS_OK, "" };
    gr_bins bins;

    if (gr_bins_file_attach(data, NULL, &err) != GRADUS_OK) {
        must_explain(true, &err);
        return;
    }
    if (!gr_dataset_lacks_values(data) || data->arrays.features > 100000)
        return;
    const gr_bin_options options = *gr_attached_options(data->binned->state);
    float *row = calloc(data->arrays.features + 1, sizeof *row);

    for (size_t r = 0; row && r < data->arrays.rows; r++)
        data->binned->decode(data->binned->state, r, r + 1, row);
    free(row);
    if (gr_bins_new(data, &options, NULL, &bins, &err) != GRADUS_OK) {
        must_explain(true, &err);
        return;
    }
    for (size_t f = 0; f < bins.features; f++)
        for (size_t r = 0; r < bins.rows; r++)
            must(gr_bin_at(&bins, f, r) < gr_cuts_bins(&bins.cuts, f), "bins are in range");
    gr_bins_free(&bins);
}

static void open_and_use(const char *bytes, size_t size)
{
    gr_array array = { malloc(size ? size : 1), size, false };
    gradus_error err = { GRADUS_OK, "" };
    gradus_arrays arrays;
    gradus_dataset *data;
    volatile float kept;
    float sum = 0.0f;

    memcpy(array.at, bytes, size);
    data = gr_binary_from_memory(&array, size, "input", &err);
    must_explain(!data, &err);
    if (!data)
        return;
    read_names(data);
    use_bins(data);
    if (gradus_dataset_arrays(NULL, data, &arrays, &err) == GRADUS_OK) {
        check_rows(data, &arrays);
        for (size_t r = 0; r < arrays.rows && arrays.features > 0; r++)
            sum += gr_dataset_value(data, r, arrays.features - 1);
    } else {
        must_explain(true, &err);
    }
    kept = sum;
    (void)kept;
    if (gr_dataset_need(data, GR_NEED_ALL, NULL, &err) != GRADUS_OK)
        must_explain(true, &err);
    gradus_dataset_free(data);
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size)
{
    char *copy = malloc(size + 1);

    if (!copy)
        return 0;
    memcpy(copy, bytes, size);
    open_and_use(copy, size);
    if (size >= 512) {
        seal_put(copy, 24, size, 8);
        seal_file(copy, size);
        open_and_use(copy, size);
    }
    free(copy);
    return 0;
}
