/* SPDX-License-Identifier: Apache-2.0 */
/* Runs linear nodes, on dense and on sparse rows. */
#include "model/linear_node.h"

#include <stdlib.h>

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
    if (state)
        gr_linear_free(state);
    free(state);
}

gradus_status gr_linear_node_new(gr_linear *linear, gr_node *node, gradus_error *err)
{
    gr_linear *state = malloc(sizeof *state);

    if (!state)
        return gr_fail_memory(err, "a model");
    *state = *linear;
    *linear = (gr_linear){ .features = 0 };
    *node = (gr_node){ .kind = &gr_node_linear, .state = state };
    return GRADUS_OK;
}

static void importance(const void *state, double *sizes, uint64_t *equations)
{
    gr_linear_importance(state, sizes, equations);
}

const gr_node_kind gr_node_linear = {
    .about = { .name = "linear", .summary = "linear equations, one per output", .details = "" },
    .noun = "linear model",
    .columns = columns,
    .scratch = scratch,
    .apply = apply,
    .takes_sparse = takes_sparse,
    .write = gr_linear_node_write,
    .read = gr_linear_node_read,
    .free = free_state,
    .importance = importance,
};
