/* SPDX-License-Identifier: Apache-2.0 */
/* The export format onnx: models as graphs for ONNX Runtime and other runtimes. */
#include "exchange/format.h"

#include "base/json.h"
#include "base/text.h"
#include "exchange/graph.h"
#include "exchange/onnx_model.h"

enum { MAX_PROPERTIES = 5, DEFAULT_OPSET_ML = 5 };

/* The properties of a model, which point into the texts. */
typedef struct onnx_properties {
    gr_onnx_property list[MAX_PROPERTIES];
    size_t count;
    char first_id[GRADUS_NUMBER_SIZE];
    gr_json_writer names, grades;
} onnx_properties;

static void add_property(onnx_properties *properties, const char *key, const char *value)
{
    properties->list[properties->count++] = (gr_onnx_property){ key, value };
}

static void add_list(onnx_properties *properties, const char *key, gr_json_writer *list)
{
    gr_json_close(list, ']');
    gr_json_append(list, "", 1);
    if (!list->failed)
        add_property(properties, key, list->bytes.at);
}

static gradus_status collect_properties(const gradus_model *model, const gr_graph *graph,
                                        onnx_properties *properties, gradus_error *err)
{
    gr_json_writer *names = &properties->names, *grades = &properties->grades;

    names->layout = grades->layout = GR_JSON_LINE;
    add_property(properties, "method", model->method);
    gr_format_count(model->first_id, properties->first_id);
    add_property(properties, "first_feature_id", properties->first_id);
    if (model->feature_names.count > 0) {
        gr_json_open(names, NULL, '[');
        for (size_t f = 0; f < model->features; f++)
            gr_json_put_text(names, NULL, gr_name_at(&model->feature_names, f));
        add_list(properties, "feature_names", names);
    }
    if (graph->probabilities != SIZE_MAX) {
        gr_json_open(grades, NULL, '[');
        for (size_t k = 0; k < graph->levels; k++)
            gr_json_put_label(grades, NULL, graph->level_labels[k]);
        add_list(properties, "grades", grades);
    }
    return names->failed || grades->failed ? gr_fail_memory(err, "the properties") : GRADUS_OK;
}

static gradus_status write_graph(const gradus_model *model, const gr_export_options *options,
                                 const gr_graph *graph, gr_buffer *out, gradus_error *err)
{
    onnx_properties properties = { .count = 0 };
    const char *name = options->name && *options->name ? options->name : "gradus";
    gr_onnx_about about = { .name = name, .properties = properties.list };
    gradus_status status = collect_properties(model, graph, &properties, err);
    gr_buffer description = { 0 };

    gr_buffer_text(&description, "gradus model, method ");
    gr_buffer_text(&description, model->method);
    gr_buffer_put(&description, "", 1);
    if (status == GRADUS_OK)
        status = gr_buffer_done(&description, err);
    if (status == GRADUS_OK) {
        about.description = description.bytes.at;
        about.property_count = properties.count;
        status = gr_onnx_model_write(
            out, graph, options->opset_ml ? options->opset_ml : DEFAULT_OPSET_ML, &about, err);
    }
    gr_buffer_free(&description);
    gr_json_writer_free(&properties.names);
    gr_json_writer_free(&properties.grades);
    return status;
}

static gradus_status write_onnx(const gradus_model *model, const gr_export_options *options,
                                gr_buffer *out, gradus_error *err)
{
    gr_graph graph = { 0 };
    gradus_status status = gr_graph_build(model, "onnx", &graph, err);

    if (status == GRADUS_OK)
        status = write_graph(model, options, &graph, out, err);
    gr_graph_free(&graph);
    return status;
}

static const char check_program[] =
    "import numpy as np, onnxruntime\n"
    "lines = [line for line in open('PARITY') if not line.startswith('#')]\n"
    "columns = [int(name) for name in lines[0].split(',')[1:]]\n"
    "table = np.array([line.split(',') for line in lines[1:]], dtype=np.float64)\n"
    "session = onnxruntime.InferenceSession('MODEL', providers=['CPUExecutionProvider'])\n"
    "rows = np.zeros((len(table), session.get_inputs()[0].shape[1]), dtype=np.float32)\n"
    "rows[:, columns] = table[:, 1:]\n"
    "scores = session.run(['score'], {'features': rows})[0][:, 0]\n"
    "worst = np.max(np.abs(scores - table[:, 0]) / np.maximum(1, np.abs(table[:, 0])))\n"
    "good = worst <= TOLERANCE\n"
    "print('largest difference:', worst, 'ok' if good else 'WRONG')\n"
    "raise SystemExit(not good)";

const gr_format gr_format_onnx = {
    .about = { "onnx", "a graph for ONNX Runtime",
               "Holds every model whose scores do not depend on the other documents of the query; "
               "ranks (borda, reciprocal-rank), scores standardised within queries and the "
               "transform 'query' are refused. Input: "
               "'features', float [N, features]; outputs: 'score', double [N, 1], and for models "
               "with grades 'probabilities', double [N, grades]. Operators: ai.onnx 13 and "
               "ai.onnx.ml 5, or 3 with --opset-ml 3. In ONNX Runtime sums of trees are "
               "bit-equal, for any number of threads and rows; softmax, logarithms and "
               "calibrations agree within 1e-12 relative." },
    .used_by = "ONNX Runtime",
    .extension = "onnx",
    .methods = GR_GRAPH_METHODS,
    .tolerance = 1e-12,
    .check = check_program,
    .write = write_onnx,
};
