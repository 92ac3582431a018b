/* SPDX-License-Identifier: Apache-2.0 */
/* A graph of array operations as an ONNX file (ModelProto). */
#include "exchange/onnx_model.h"

#include "exchange/onnx_ops.h"
#include "exchange/onnx_proto.h"

#include <stdio.h>
#include <string.h>

enum { OPSET_DOMAIN = 1, OPSET_VERSION = 2, PROPERTY_KEY = 1, PROPERTY_VALUE = 2 };
/* Version of the file format: that of the first ONNX release with the version of ai.onnx.ml
 * (1.11 and 1.16), so that every runtime that has the operators reads the file. */
enum { IR_OF_ML_3 = 8, IR_OF_ML_5 = 10 };
/* Protobuf messages have at most 2^31 - 1 bytes. */
enum { MAX_FILE = INT32_MAX };
enum { NAME_SIZE = 128 };

static void put_opset(gr_buffer *out, const char *domain, uint64_t version)
{
    size_t opset = gr_proto_begin(out, GR_PROTO_OPSET_IMPORT);

    gr_proto_text(out, OPSET_DOMAIN, domain);
    gr_proto_number(out, OPSET_VERSION, (int64_t)version);
    gr_proto_end(out, opset);
}

/* Not isalpha, which depends on the locale. */
static bool is_letter(char c)
{
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z');
}

/* Names of ONNX are C identifiers. */
static void put_graph_name(gr_buffer *out, const char *name)
{
    char text[NAME_SIZE];
    size_t length = 0;

    if (!is_letter(*name))
        text[length++] = '_';
    for (; *name && length + 1 < sizeof text; name++)
        text[length++] = is_letter(*name) || (*name >= '0' && *name <= '9') ? *name : '_';
    text[length] = '\0';
    gr_proto_text(out, GR_PROTO_GRAPH_NAME, text);
}

static gradus_status put_graph(gr_buffer *out, const gr_graph *graph, uint64_t opset_ml,
                               const char *name, gradus_error *err)
{
    size_t start = gr_proto_begin(out, GR_PROTO_GRAPH);

    put_graph_name(out, name);
    GR_TRY(gr_onnx_ops_write(out, graph, opset_ml, err));
    gr_onnx_value_info(out, GR_PROTO_GRAPH_INPUT, GR_ONNX_INPUT, GR_ONNX_FLOAT, GR_ONNX_ROWS,
                       graph->features);
    gr_onnx_value_info(out, GR_PROTO_GRAPH_OUTPUT, GR_ONNX_SCORE, GR_ONNX_DOUBLE, GR_ONNX_ROWS, 1);
    if (graph->probabilities != SIZE_MAX)
        gr_onnx_value_info(out, GR_PROTO_GRAPH_OUTPUT, GR_ONNX_PROBABILITIES, GR_ONNX_DOUBLE,
                           GR_ONNX_ROWS, graph->levels);
    gr_proto_end(out, start);
    return GRADUS_OK;
}

static void put_property(gr_buffer *out, const gr_onnx_property *property)
{
    size_t start = gr_proto_begin(out, GR_PROTO_METADATA_PROPS);

    gr_proto_text(out, PROPERTY_KEY, property->key);
    gr_proto_text(out, PROPERTY_VALUE, property->value);
    gr_proto_end(out, start);
}

gradus_status gr_onnx_model_write(gr_buffer *out, const gr_graph *graph, uint64_t opset_ml,
                                  const gr_onnx_about *about, gradus_error *err)
{
    size_t start = out->used;

    if (opset_ml != 3 && opset_ml != 5)
        return gr_fail(err, GRADUS_BAD_ARGUMENT, "'opset-ml' is %llu, but must be 3 or 5",
                       (unsigned long long)opset_ml);
    gr_proto_number(out, GR_PROTO_IR_VERSION, opset_ml == 3 ? IR_OF_ML_3 : IR_OF_ML_5);
    gr_proto_text(out, GR_PROTO_PRODUCER_NAME, "gradus");
    gr_proto_text(out, GR_PROTO_PRODUCER_VERSION, GRADUS_VERSION);
    gr_proto_text(out, GR_PROTO_DOC_STRING, about->description);
    put_opset(out, "", GR_ONNX_OPSET);
    put_opset(out, "ai.onnx.ml", opset_ml);
    for (size_t i = 0; i < about->property_count; i++)
        put_property(out, about->properties + i);
    GR_TRY(put_graph(out, graph, opset_ml, about->name, err));
    if (out->used - start > MAX_FILE)
        return gr_fail(err, GRADUS_BAD_ARGUMENT,
                       "the model needs %zu bytes; an onnx file has at most %d", out->used - start,
                       MAX_FILE);
    return gr_buffer_done(out, err);
}
