/* SPDX-License-Identifier: Apache-2.0 */
/* Writes and reads linear nodes. */
#include "model/linear_node.h"

#include "model/model_file.h"

#include <stdlib.h>

gradus_status gr_linear_node_write(const void *state, gr_model_writer *writer, gradus_error *err)
{
    const gr_linear *linear = state;
    const size_t bytes = linear->features * sizeof(double);
    gr_json_writer *facts = gr_model_facts(writer);
    gradus_error found = { GRADUS_OK, "" };

    if (gr_linear_check(linear, &found) != GRADUS_OK)
        return gr_fail(err, GRADUS_BAD_NUMBER, "the model cannot be written: %.400s",
                       found.message);
    gr_json_put_count(facts, "features", linear->features);
    gr_json_put_count(facts, "outputs", linear->outputs);
    GR_TRY(gr_model_add_section(writer, "means", linear->means, bytes, err));
    GR_TRY(gr_model_add_section(writer, "spreads", linear->spreads, bytes, err));
    GR_TRY(gr_model_add_section(writer, "bases", linear->bases, linear->outputs * sizeof(double),
                                err));
    return gr_model_add_section(writer, "coefficients", linear->coefficients,
                                linear->outputs * bytes, err);
}

static gradus_status point_at(gr_model_reader *reader, const char *name, uint64_t count,
                              const double **array, gradus_error *err)
{
    const void *bytes;

    GR_TRY(gr_model_read_section(reader, name, count, sizeof **array, &bytes, err));
    *array = bytes;
    return GRADUS_OK;
}

static gradus_status read_linear(gr_model_reader *reader, gr_linear *linear, gradus_error *err)
{
    uint64_t features, outputs;

    GR_TRY(gr_model_read_count(reader, "features", &features, err));
    GR_TRY(gr_model_read_count(reader, "outputs", &outputs, err));
    if (features > UINT32_MAX || outputs > UINT16_MAX)
        return gr_model_damaged(reader, err, "too many equations");
    *linear = (gr_linear){ .features = (size_t)features, .outputs = (size_t)outputs };
    GR_TRY(point_at(reader, "means", features, &linear->means, err));
    GR_TRY(point_at(reader, "spreads", features, &linear->spreads, err));
    GR_TRY(point_at(reader, "bases", outputs, &linear->bases, err));
    return point_at(reader, "coefficients", outputs * features, &linear->coefficients, err);
}

gradus_status gr_linear_node_read(gr_model_reader *reader, size_t features, void **state,
                                  gradus_error *err)
{
    gradus_error found = { GRADUS_OK, "" };
    gr_linear linear;
    gr_node node;

    GR_TRY(read_linear(reader, &linear, err));
    if (linear.features != features)
        return gr_model_damaged(reader, err,
                                "linear equations with %zu features in a model with %zu",
                                linear.features, features);
    if (gr_linear_check(&linear, &found) != GRADUS_OK)
        return gr_model_damaged(reader, err, "%.200s", found.message);
    GR_TRY(gr_linear_node_new(&linear, &node, err));
    *state = node.state;
    return GRADUS_OK;
}
