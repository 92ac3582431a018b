/* SPDX-License-Identifier: Apache-2.0 */
/* Reads the JSON of an inference request. Members that the protocol does not define are ignored. */
#include "infer.h"

#include "rows.h"

#include "base/text.h"

#include <string.h>

const char *const output_names[OUTPUTS] = { "scores", "probabilities" };

/* Reads a key, or a string, into r->scratch. */
static gradus_status read_scratch(request *r, gr_json_scan *scan, bool key, size_t *length)
{
    GR_TRY(request_reserve(r, &r->scratch, (size_t)(scan->end - scan->at) + 1, 1));
    return key ? gr_json_scan_key(scan, r->scratch.at, length)
               : gr_json_scan_string(scan, r->scratch.at, length);
}

static bool scratch_is(const request *r, const char *word)
{
    return strcmp(r->scratch.at, word) == 0;
}

static gradus_status read_count(request *r, gr_json_scan *scan, const char *what, size_t *count)
{
    const char *text;
    size_t length;
    uint64_t value;

    GR_TRY(gr_json_scan_number(scan, &text, &length));
    if (gr_parse_count(text, text + length, &value) != text + length || value > SIZE_MAX)
        return request_refuse(r, ERROR_CONTENT, "%s is not a whole number from 0", what);
    *count = (size_t)value;
    return GRADUS_OK;
}

static gradus_status read_shape(request *r, gr_json_scan *scan, input_tensor *input)
{
    bool first = true, more;

    GR_TRY(gr_json_scan_open(scan, '['));
    for (input->dimensions = 0;; input->dimensions++) {
        GR_TRY(gr_json_scan_next(scan, ']', &first, &more));
        if (!more)
            return GRADUS_OK;
        if (input->dimensions == 2)
            return request_refuse(r, ERROR_CONTENT,
                                  "the shape of 'features' is not [rows, features]");
        GR_TRY(read_count(r, scan, "a dimension of the shape", &input->shape[input->dimensions]));
    }
}

typedef gradus_status (*member_reader)(request *r, gr_json_scan *scan, void *into);

/* Calls `read` for each member of an object, with its key in r->scratch. It must read the value. */
static gradus_status each_member(request *r, gr_json_scan *scan, member_reader read, void *into)
{
    bool first = true, more;
    size_t length;

    GR_TRY(gr_json_scan_open(scan, '{'));
    for (;;) {
        GR_TRY(gr_json_scan_next(scan, '}', &first, &more));
        if (!more)
            return GRADUS_OK;
        GR_TRY(read_scratch(r, scan, true, &length));
        GR_TRY(read(r, scan, into));
    }
}

/* Calls `read` for each item of a list. */
static gradus_status each_item(request *r, gr_json_scan *scan, member_reader read, void *into)
{
    bool first = true, more;

    GR_TRY(gr_json_scan_open(scan, '['));
    for (;;) {
        GR_TRY(gr_json_scan_next(scan, ']', &first, &more));
        if (!more)
            return GRADUS_OK;
        GR_TRY(read(r, scan, into));
    }
}

static gradus_status read_input_parameter(request *r, gr_json_scan *scan, void *into)
{
    input_tensor *input = into;

    if (!scratch_is(r, "binary_data_size"))
        return gr_json_scan_skip(scan);
    return read_count(r, scan, "binary_data_size", &input->binary_size);
}

/* Reads the values at once if their number is known; otherwise they are found again later. */
static gradus_status read_data(request *r, gr_json_scan *scan, input_tensor *input)
{
    gr_json_scan_kind(scan); /* skips white space */
    input->data = scan->at;
    if (input->dimensions != 2)
        return gr_json_scan_skip(scan);
    GR_TRY(infer_prepare_rows(r, input));
    input->read = true;
    return rows_read_numbers(r, scan, r->values.at, r->rows * r->model->info.features);
}

static gradus_status read_input_member(request *r, gr_json_scan *scan, void *into)
{
    input_tensor *input = into;
    size_t length;

    if (scratch_is(r, "shape"))
        return read_shape(r, scan, input);
    if (scratch_is(r, "parameters"))
        return each_member(r, scan, read_input_parameter, input);
    if (scratch_is(r, "data"))
        return read_data(r, scan, input);
    if (!scratch_is(r, "name") && !scratch_is(r, "datatype"))
        return gr_json_scan_skip(scan);
    const bool name = scratch_is(r, "name");

    GR_TRY(read_scratch(r, scan, false, &length));
    if (name) {
        input->named = true;
        return scratch_is(r, "features")
                   ? GRADUS_OK
                   : request_refuse(r, ERROR_CONTENT, "unknown input '%.100s', expected 'features'",
                                    (const char *)r->scratch.at);
    }
    if (length >= sizeof input->datatype)
        return request_refuse(r, ERROR_CONTENT, "unknown datatype '%.100s'",
                              (const char *)r->scratch.at);
    memcpy(input->datatype, r->scratch.at, length + 1);
    return GRADUS_OK;
}

static gradus_status read_input(request *r, gr_json_scan *scan, void *into)
{
    input_tensor *input = into;

    if (input->given)
        return request_refuse(r, ERROR_CONTENT, "more than one input, expected 'features'");
    *input = (input_tensor){ .given = true, .binary_size = SIZE_MAX };
    GR_TRY(each_member(r, scan, read_input_member, input));
    if (!input->named)
        return request_refuse(r, ERROR_CONTENT, "the input has no name, expected 'features'");
    if (!input->datatype[0])
        return request_refuse(r, ERROR_CONTENT, "input 'features' has no datatype");
    if (input->dimensions != 2)
        return request_refuse(r, ERROR_CONTENT, "the shape of 'features' is not [rows, features]");
    if (!input->data == (input->binary_size == SIZE_MAX))
        return request_refuse(r, ERROR_CONTENT,
                              "input 'features' must have either data or binary_data_size");
    return GRADUS_OK;
}

typedef struct output_reading {
    size_t which; /* OUTPUTS: no name yet */
    bool binary;
} output_reading;

static gradus_status read_output_parameter(request *r, gr_json_scan *scan, void *into)
{
    output_reading *output = into;

    return scratch_is(r, "binary_data") ? gr_json_scan_flag(scan, &output->binary)
                                        : gr_json_scan_skip(scan);
}

static gradus_status read_output_member(request *r, gr_json_scan *scan, void *into)
{
    output_reading *output = into;
    size_t length;

    if (scratch_is(r, "parameters"))
        return each_member(r, scan, read_output_parameter, output);
    if (!scratch_is(r, "name"))
        return gr_json_scan_skip(scan);
    GR_TRY(read_scratch(r, scan, false, &length));
    for (output->which = 0; output->which < OUTPUTS; output->which++)
        if (scratch_is(r, output_names[output->which]))
            return GRADUS_OK;
    return request_refuse(r, ERROR_CONTENT, "unknown output '%.100s'", (const char *)r->scratch.at);
}

static gradus_status read_output(request *r, gr_json_scan *scan, void *into)
{
    inference *i = into;
    output_reading output = { .which = OUTPUTS };

    GR_TRY(each_member(r, scan, read_output_member, &output));
    if (output.which == OUTPUTS)
        return request_refuse(r, ERROR_CONTENT, "an output has no name");
    i->any_chosen = i->chosen[output.which] = true;
    i->binary[output.which] = output.binary;
    return GRADUS_OK;
}

static gradus_status read_parameter(request *r, gr_json_scan *scan, void *into)
{
    inference *i = into;

    return scratch_is(r, "binary_data_output") ? gr_json_scan_flag(scan, &i->all_binary)
                                               : gr_json_scan_skip(scan);
}

static gradus_status read_top_member(request *r, gr_json_scan *scan, void *into)
{
    inference *i = into;
    size_t length;

    if (scratch_is(r, "inputs"))
        return each_item(r, scan, read_input, &i->input);
    if (scratch_is(r, "outputs"))
        return each_item(r, scan, read_output, i);
    if (scratch_is(r, "parameters"))
        return each_member(r, scan, read_parameter, i);
    if (!scratch_is(r, "id"))
        return gr_json_scan_skip(scan);
    GR_TRY(read_scratch(r, scan, false, &length));
    if (length >= sizeof i->id)
        return request_refuse(r, ERROR_CONTENT, "the id has more than %zu bytes", sizeof i->id - 1);
    memcpy(i->id, r->scratch.at, length + 1);
    i->has_id = true;
    return GRADUS_OK;
}

gradus_status infer_read(request *r, inference *i)
{
    const size_t size = r->json_size == SIZE_MAX ? r->content_size : r->json_size;
    gr_json_scan scan = gr_json_scan_new(r->content, size, &r->err);

    GR_TRY(each_member(r, &scan, read_top_member, i));
    GR_TRY(gr_json_scan_end(&scan));
    return i->input.given ? GRADUS_OK
                          : request_refuse(r, ERROR_CONTENT, "no input, expected 'features'");
}
