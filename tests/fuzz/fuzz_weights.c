/* SPDX-License-Identifier: Apache-2.0 */
/* Row and query weights from a file: accepted weights are finite and non-negative. */
#include "fuzz_file.h"
#include "built_data.h"

#include "data/weight_files.h"

#include <math.h>

static const made_row rows[] = {
    { "b", "b1", { 0 } },
    { "a", "a1", { 0 } },
    { "b", "b2", { 0 } },
};

static void check_weights(const float *weights, size_t count)
{
    must(weights != NULL, "weights are there");
    for (size_t i = 0; i < count; i++)
        must(isfinite(weights[i]) && weights[i] >= 0.0f, "weights are finite, not negative");
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size)
{
    fuzz_file file = fuzz_file_new(bytes, size);

    for (int queries = 0; queries < 2; queries++) {
        gradus_error err = { GRADUS_OK, "" };
        gradus_dataset *data = make_data(rows, sizeof rows / sizeof *rows, &err);
        gradus_status status;

        must(data != NULL, "an input fits into memory");
        status = queries ? gr_query_weights_read(data, file.path, &err)
                         : gr_row_weights_read(data, file.path, &err);
        must_explain(status != GRADUS_OK, &err);
        if (status == GRADUS_OK && queries)
            check_weights(data->arrays.query_weights, data->arrays.queries);
        else if (status == GRADUS_OK)
            check_weights(data->arrays.row_weights, data->arrays.rows);
        gradus_dataset_free(data);
    }
    fuzz_file_close(&file);
    return 0;
}
