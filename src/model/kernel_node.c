/* SPDX-License-Identifier: Apache-2.0 */
/* Runs kernel nodes: kernel expansions over support rows. */
#include "model/kernel_node.h"

#include <stdlib.h>

static size_t columns(const void *state)
{
    return ((const gr_machine *)state)->outputs;
}

static size_t scratch(const void *state, size_t rows)
{
    (void)rows;
    return gr_machine_scratch(state) * sizeof(double);
}

static void apply(const void *state, const gr_batch *batch, double *out)
{
    gr_machine_run(state, batch->values, batch->rows, batch->stride, out, batch->rows,
                   batch->scratch);
}

static void free_state(void *state)
{
    if (state)
        gr_machine_free(state);
    free(state);
}

gradus_status gr_kernel_node_new(gr_machine *machine, gr_node *node, gradus_error *err)
{
    gr_machine *state = malloc(sizeof *state);

    if (!state)
        return gr_fail_memory(err, "a model");
    *state = *machine;
    *machine = (gr_machine){ .outputs = 0 };
    *node = (gr_node){ .kind = &gr_node_kernel, .state = state };
    return GRADUS_OK;
}

const gr_node_kind gr_node_kernel = {
    .about = { .name = "kernel",
               .summary = "kernel expansions over support rows, one per output",
               .details = "" },
    .noun = "kernel machine",
    .columns = columns,
    .scratch = scratch,
    .apply = apply,
    .write = gr_kernel_node_write,
    .read = gr_kernel_node_read,
    .free = free_state,
};
