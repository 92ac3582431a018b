/* SPDX-License-Identifier: Apache-2.0 */
/* Runs, writes and reads calibration nodes. */
#include "model/calibration_node.h"

#include "model/model_reader.h"
#include "model/model_write.h"

static size_t columns(const void *state)
{
    return ((const gr_calibration *)state)->outputs;
}

static size_t takes(const void *state)
{
    return ((const gr_calibration *)state)->inputs;
}

static void apply(const void *state, const gr_batch *batch, double *out)
{
    gr_calibration_apply(state, batch->inputs[0], batch->rows, out);
}

static gradus_status put(const void *state, gr_model_writer *writer, gradus_error *err)
{
    const gr_calibration *c = state;
    gr_json_writer *facts = gr_model_json(writer);

    gr_json_put_count(facts, "method", (uint64_t)c->method);
    gr_json_put_text(facts, "name", gr_calibration_names[c->method]);
    gr_json_put_count(facts, "inputs", c->inputs);
    gr_json_put_count(facts, "outputs", c->outputs);
    gr_json_put_count(facts, "count", c->count);
    return gr_model_add_section(writer, "numbers", GR_F64, c->numbers,
                                c->count * sizeof *c->numbers, err);
}

static gradus_status check(const void *state, gradus_error *err)
{
    return gr_calibration_check(state, err);
}

static void free_state(void *state)
{
    gr_calibration_free(state);
}

gradus_status gr_calibration_node_new(gr_calibration *calibration, gr_node *node, gradus_error *err)
{
    return gr_node_new(&gr_node_calibration, calibration, node, err);
}

static gradus_status read_state(gr_model_reader *reader, size_t features, void *state,
                                gradus_error *err)
{
    uint64_t method, inputs, outputs, count;
    gr_calibration *c = state;

    (void)features;
    GR_TRY(gr_model_read_count(reader, "method", &method, err));
    GR_TRY(gr_model_read_count(reader, "inputs", &inputs, err));
    GR_TRY(gr_model_read_count(reader, "outputs", &outputs, err));
    GR_TRY(gr_model_read_count(reader, "count", &count, err));
    if (method >= GR_CALIBRATIONS || inputs > UINT16_MAX || outputs > UINT16_MAX)
        return gr_model_damaged(reader, err, "unknown calibration method");
    *c = (gr_calibration){ .method = (int)method,
                           .inputs = (size_t)inputs,
                           .outputs = (size_t)outputs,
                           .count = (size_t)count };
    return gr_model_read_array(reader, "numbers", count, sizeof *c->numbers, &c->numbers, err);
}

const gr_node_kind gr_node_calibration = {
    .about = { .name = "calibration",
               .summary = "calibration of a node's outputs, fitted on held-out rows",
               .details = "" },
    .size = sizeof(gr_calibration),
    .columns = columns,
    .takes = takes,
    .apply = apply,
    .write = put,
    .read = read_state,
    .check = check,
    .free = free_state,
};
