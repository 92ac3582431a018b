/* SPDX-License-Identifier: Apache-2.0 */
/* Runs, writes and reads calibration nodes. */
#include "model/model_file.h"
#include "model/forest_node.h"

#include <stdlib.h>

static size_t columns(const void *state)
{
    return ((const gr_calibration *)state)->outputs;
}

static size_t takes(const void *state)
{
    return ((const gr_calibration *)state)->inputs;
}

static size_t scratch(const void *state, size_t rows)
{
    (void)state;
    (void)rows;
    return 0;
}

static void apply(const void *state, const gr_batch *batch, double *out)
{
    gr_calibration_apply(state, batch->inputs[0], batch->rows, out);
}

static gradus_status put(const void *state, gr_model_writer *writer, gradus_error *err)
{
    const gr_calibration *c = state;
    gr_json_writer *facts = gr_model_facts(writer);

    GR_TRY(gr_calibration_check(c, err));
    gr_json_put_count(facts, "method", (uint64_t)c->method);
    gr_json_put_text(facts, "name", gr_calibration_names[c->method]);
    gr_json_put_count(facts, "inputs", c->inputs);
    gr_json_put_count(facts, "outputs", c->outputs);
    gr_json_put_count(facts, "count", c->count);
    return gr_model_add_section(writer, "numbers", c->numbers, c->count * sizeof *c->numbers, err);
}

static void end(void *state)
{
    if (!state)
        return;
    gr_calibration_free(state);
    free(state);
}

gradus_status gr_calibration_node_new(gr_calibration *calibration, gr_node *node, gradus_error *err)
{
    gr_calibration *state = malloc(sizeof *state);

    if (!state)
        return gr_fail_memory(err, "a model");
    *state = *calibration;
    *calibration = (gr_calibration){ .count = 0 };
    *node = (gr_node){ .kind = &gr_node_calibration, .state = state };
    return GRADUS_OK;
}

static gradus_status read_state(gr_model_reader *reader, size_t features, void **state,
                                gradus_error *err)
{
    gradus_error found = { GRADUS_OK, "" };
    uint64_t method, inputs, outputs, count;
    gr_calibration made = { .count = 0 };
    gr_node node = { .state = NULL };

    (void)features;
    GR_TRY(gr_model_read_count(reader, "method", &method, err));
    GR_TRY(gr_model_read_count(reader, "inputs", &inputs, err));
    GR_TRY(gr_model_read_count(reader, "outputs", &outputs, err));
    GR_TRY(gr_model_read_count(reader, "count", &count, err));
    if (method >= GR_CALIBRATIONS || inputs > UINT16_MAX || outputs > UINT16_MAX)
        return gr_model_damaged(reader, err, "unknown calibration method");
    made = (gr_calibration){ .method = (int)method,
                             .inputs = (size_t)inputs,
                             .outputs = (size_t)outputs,
                             .count = (size_t)count };
    GR_TRY(gr_section_as_array(reader, "numbers", count, sizeof *made.numbers, &made.numbers, err));
    if (gr_calibration_check(&made, &found) != GRADUS_OK)
        return gr_model_damaged(reader, err, "%.200s", found.message);
    GR_TRY(gr_calibration_node_new(&made, &node, err));
    *state = node.state;
    return GRADUS_OK;
}

const gr_node_kind gr_node_calibration = {
    .about = { .name = "calibration",
               .summary = "calibration of a node's outputs, fitted on held-out rows",
               .details = "" },
    .columns = columns,
    .takes = takes,
    .scratch = scratch,
    .apply = apply,
    .write = put,
    .read = read_state,
    .free = end,
};
