/* SPDX-License-Identifier: Apache-2.0 */
/* LETOR/SVMlight text, plain or compressed: accepted datasets are consistent, and the same for any
 * number of threads. */
#include "fuzz_target.h"

#include "data/letor.h"

#include <math.h>
#include <string.h>

static void check_row(const gradus_arrays *a, size_t r)
{
    const uint64_t first = a->row_starts ? a->row_starts[r] : 0;
    const uint64_t end = a->row_starts ? a->row_starts[r + 1] : 0;

    must(isfinite(a->labels[r]), "labels are finite");
    must(!a->row_weights || a->row_weights[r] >= 0.0f, "weights are not negative");
    for (uint64_t e = first; e < end; e++) {
        must(!isinf(a->entries[e]), "values are finite or missing");
        must(a->columns[e] < a->features, "columns are features");
        must(e == first || a->columns[e - 1] < a->columns[e], "columns ascend");
    }
    for (size_t f = 0; a->values && f < a->features; f++)
        must(!isinf(a->values[r * a->stride + f]), "values are finite or missing");
}

static void check_data(const gradus_dataset *data)
{
    const gradus_arrays *a = &data->arrays;

    must(a->rows > 0 && a->query_starts[0] == 0 && a->query_starts[a->queries] == a->rows,
         "queries hold all rows");
    for (size_t q = 0; q < a->queries; q++)
        must(a->query_starts[q] < a->query_starts[q + 1], "no query is empty");
    for (size_t r = 0; r < a->rows; r++)
        check_row(a, r);
}

static gradus_dataset *read_bytes(const uint8_t *bytes, size_t size, gradus_context *context,
                                  gradus_error *err)
{
    const gr_read_options options = { .storage = GR_STORE_AUTO };
    gr_source *source = gr_source_from_memory(bytes, size, "input", err);
    gr_builder *builder = gr_builder_new(NULL, &options, "input", err);
    gradus_dataset *data = NULL;

    if (source && builder && gr_letor_read(source, &options, context, builder, err) == GRADUS_OK)
        data = gr_builder_finish(builder, NULL, err);
    else
        gr_builder_free(builder);
    must_explain(!data, err);
    gr_source_close(source);
    return data;
}

static void check_same(const gradus_dataset *one, const gradus_dataset *two)
{
    const gradus_arrays *a = &one->arrays, *b = &two->arrays;

    must(a->rows == b->rows && a->features == b->features && a->queries == b->queries,
         "shapes do not depend on threads");
    must(memcmp(a->labels, b->labels, a->rows * sizeof *a->labels) == 0, "nor do labels");
    must(!a->row_starts == !b->row_starts, "nor does the storage");
    if (a->row_starts)
        must(memcmp(a->entries, b->entries, a->row_starts[a->rows] * sizeof(float)) == 0,
             "nor do entries");
    else if (a->features)
        must(memcmp(a->values, b->values, a->rows * a->stride * sizeof(float)) == 0,
             "nor do values");
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size)
{
    gradus_error err = { GRADUS_OK, "" }, err_two = { GRADUS_OK, "" };
    gradus_context *context = gradus_context_new(2, NULL);
    gradus_dataset *one = read_bytes(bytes, size, NULL, &err);
    gradus_dataset *two = read_bytes(bytes, size, context, &err_two);

    must(!one == !two && strcmp(err.message, err_two.message) == 0,
         "errors do not depend on threads");
    if (one) {
        check_data(one);
        check_same(one, two);
    }
    gradus_dataset_free(one);
    gradus_dataset_free(two);
    gradus_context_free(context);
    return 0;
}
