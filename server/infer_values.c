/* SPDX-License-Identifier: Apache-2.0 */
/* Reads the values of an input tensor, from JSON or binary, as floats. */
#include "infer.h"

#include "rows.h"

#include <math.h>
#include <string.h>

typedef enum element {
    FP32,
    FP64,
    INT8,
    INT16,
    INT32,
    INT64,
    UINT8,
    UINT16,
    UINT32,
    UINT64,
    ELEMENTS
} element;

static const struct {
    const char *name;
    size_t size;
} elements[ELEMENTS] = {
    [FP32] = { "FP32", 4 },     [FP64] = { "FP64", 8 },     [INT8] = { "INT8", 1 },
    [INT16] = { "INT16", 2 },   [INT32] = { "INT32", 4 },   [INT64] = { "INT64", 8 },
    [UINT8] = { "UINT8", 1 },   [UINT16] = { "UINT16", 2 }, [UINT32] = { "UINT32", 4 },
    [UINT64] = { "UINT64", 8 },
};

#define CONVERT(type)                                                                              \
    for (size_t n = 0; n < count; n++) {                                                           \
        type item;                                                                                 \
        memcpy(&item, bytes + n * sizeof item, sizeof item);                                       \
        values[n] = (float)item;                                                                   \
    }                                                                                              \
    break

/* Little-endian elements of any alignment. */
static void convert(element kind, const char *bytes, float *values, size_t count)
{
    switch (kind) {
    case FP32:
        memcpy(values, bytes, count * sizeof *values);
        break;
    case FP64:
        CONVERT(double);
    case INT8:
        CONVERT(int8_t);
    case INT16:
        CONVERT(int16_t);
    case INT32:
        CONVERT(int32_t);
    case INT64:
        CONVERT(int64_t);
    case UINT8:
        CONVERT(uint8_t);
    case UINT16:
        CONVERT(uint16_t);
    case UINT32:
        CONVERT(uint32_t);
    case UINT64:
        CONVERT(uint64_t);
    case ELEMENTS:
        break;
    }
}

static gradus_status read_binary(request *r, const input_tensor *input, element kind, size_t count)
{
    const size_t expected = count * elements[kind].size, start = r->json_size;
    float *values = r->values.at;

    if (start == SIZE_MAX)
        return request_refuse(r, ERROR_CONTENT,
                              "binary_data_size needs the header Inference-Header-Content-Length");
    if (input->binary_size != expected)
        return request_refuse(r, ERROR_CONTENT,
                              "binary_data_size is %zu, and the shape and datatype need %zu bytes",
                              input->binary_size, expected);
    if (r->content_size - start != expected)
        return request_refuse(r, ERROR_CONTENT, "%zu bytes follow the JSON, expected %zu",
                              r->content_size - start, expected);
    convert(kind, r->content + start, values, count);
    for (size_t n = 0; n < count; n++) /* NAN is a missing value */
        if (isinf(values[n]))
            return request_refuse(r, ERROR_CONTENT,
                                  "row %zu has a value that is infinite as a float",
                                  n / input->shape[1] + 1);
    return GRADUS_OK;
}

gradus_status infer_prepare_rows(request *r, const input_tensor *input)
{
    const size_t features = r->model->info.features, most = settings_of(r->server)->max_rows;

    if (input->shape[0] > most)
        return request_refuse(r, ERROR_TOO_LARGE, "more than %zu rows", most);
    if (input->shape[1] != features)
        return request_refuse(r, ERROR_CONTENT,
                              "the rows have %zu features, and model '%s' has %zu", input->shape[1],
                              r->model->name, features);
    r->rows = input->shape[0];
    return request_reserve(r, &r->values, r->rows * features + 1, sizeof(float));
}

gradus_status infer_read_values(request *r, const inference *i)
{
    const input_tensor *input = &i->input;
    element kind = FP32;
    size_t count;

    while (kind < ELEMENTS && strcmp(elements[kind].name, input->datatype) != 0)
        kind++;
    if (kind == ELEMENTS)
        return request_refuse(r, ERROR_CONTENT, "datatype '%s' is not a number of 8 to 64 bits",
                              input->datatype);
    if (input->read)
        return GRADUS_OK;
    GR_TRY(infer_prepare_rows(r, input));
    count = r->rows * r->model->info.features;
    if (!input->data)
        return read_binary(r, input, kind, count);
    gr_json_scan scan = gr_json_scan_new(
        r->content, r->json_size == SIZE_MAX ? r->content_size : r->json_size, &r->err);

    scan.at = input->data;
    return rows_read_numbers(r, &scan, r->values.at, count);
}
