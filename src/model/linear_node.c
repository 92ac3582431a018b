/* SPDX-License-Identifier: Apache-2.0 */
/* Linear nodes: run on dense and sparse rows, write, read and describe equations. */
#include "model/linear_node.h"

#include "model/model.h"
#include "model/model_reader.h"
#include "model/model_write.h"

static size_t columns(const void *state)
{
    return ((const gr_linear *)state)->outputs;
}

static size_t scratch(const void *state, size_t rows)
{
    (void)rows;
    return gr_linear_scratch(state) * sizeof(double);
}

static void apply(const void *state, const gr_batch *batch, double *out)
{
    if (!batch->sparse)
        gr_linear_run(state, batch->values, batch->rows, batch->stride, out, batch->rows,
                      batch->scratch);
    else
        gr_linear_zeros(state, batch->scratch);
    for (size_t r = 0; batch->sparse && r < batch->rows; r++)
        gr_linear_run_sparse(state, batch->scratch, gr_batch_columns(batch, r),
                             gr_batch_entries(batch, r), gr_batch_count(batch, r), out + r,
                             batch->rows);
}

static bool takes_sparse(const void *state)
{
    return gr_linear_takes_sparse(state);
}

static void free_state(void *state)
{
    gr_linear_free(state);
}

static void importance(const void *state, double *sizes, uint64_t *equations)
{
    gr_linear_importance(state, sizes, equations);
}

static gradus_status write_linear(const void *state, gr_model_writer *writer, gradus_error *err)
{
    const gr_linear *linear = state;
    const size_t bytes = linear->features * sizeof(double);
    gr_json_writer *facts = gr_model_json(writer);

    gr_json_put_count(facts, "features", linear->features);
    gr_json_put_count(facts, "outputs", linear->outputs);
    GR_TRY(gr_model_add_section(writer, "means", GR_F64, linear->means, bytes, err));
    GR_TRY(gr_model_add_section(writer, "spreads", GR_F64, linear->spreads, bytes, err));
    GR_TRY(gr_model_add_section(writer, "bases", GR_F64, linear->bases,
                                linear->outputs * sizeof(double), err));
    return gr_model_add_section(writer, "coefficients", GR_F64, linear->coefficients,
                                linear->outputs * bytes, err);
}

static gradus_status read_linear(gr_model_reader *reader, size_t model_features, void *state,
                                 gradus_error *err)
{
    gr_linear *linear = state;
    uint64_t features, outputs;

    GR_TRY(gr_model_read_count(reader, "features", &features, err));
    GR_TRY(gr_model_read_count(reader, "outputs", &outputs, err));
    if (features > UINT32_MAX || outputs > UINT16_MAX)
        return gr_model_damaged(reader, err, "too many equations");
    *linear = (gr_linear){ .features = (size_t)features, .outputs = (size_t)outputs };
    GR_TRY(gr_model_read_array(reader, "means", features, sizeof(double), &linear->means, err));
    GR_TRY(gr_model_read_array(reader, "spreads", features, sizeof(double), &linear->spreads, err));
    GR_TRY(gr_model_read_array(reader, "bases", outputs, sizeof(double), &linear->bases, err));
    GR_TRY(gr_model_read_array(reader, "coefficients", outputs * features, sizeof(double),
                               &linear->coefficients, err));
    if (linear->features != model_features)
        return gr_model_damaged(reader, err,
                                "linear equations with %zu features in a model with %zu",
                                linear->features, model_features);
    return GRADUS_OK;
}

static gradus_status check(const void *state, gradus_error *err)
{
    return gr_linear_check(state, err);
}

static bool equation(const void *state, size_t output, double *intercept,
                     const double **coefficients, const double **means, const double **spreads)
{
    const gr_linear *linear = state;

    if (output >= linear->outputs)
        return false;
    const double *own = linear->coefficients + output * linear->features;

    if (intercept) {
        *intercept = linear->bases[output];
        for (size_t f = 0; f < linear->features; f++)
            *intercept -= own[f] * linear->means[f];
    }
    if (coefficients)
        *coefficients = own;
    if (means)
        *means = linear->means;
    if (spreads)
        *spreads = linear->spreads;
    return true;
}

gradus_status gr_linear_node_new(gr_linear *linear, gr_node *node, gradus_error *err)
{
    return gr_node_new(&gr_node_linear, linear, node, err);
}

const gr_linear *gr_model_linear(const gradus_model *model)
{
    return gr_model_last(model, &gr_node_linear);
}

static const gr_node_size sizes[] = {
    { "equations", "equation", "equations", NULL, columns },
    { NULL, NULL, NULL, NULL, NULL },
};

const gr_node_kind gr_node_linear = {
    .about = { .name = "linear", .summary = "linear equations, one per output", .details = "" },
    .noun = "linear model",
    .size = sizeof(gr_linear),
    .columns = columns,
    .scratch = scratch,
    .apply = apply,
    .takes_sparse = takes_sparse,
    .write = write_linear,
    .read = read_linear,
    .check = check,
    .free = free_state,
    .importance = importance,
    .equation = equation,
    .gain = "size",
    .places = "equations",
    .sizes = sizes,
};
