/* SPDX-License-Identifier: Apache-2.0 */
/* Runs neural net nodes. */
#include "model/net_node.h"

#include <stdlib.h>

static size_t columns(const void *state)
{
    (void)state;
    return 1;
}

static size_t scratch(const void *state, size_t rows)
{
    (void)rows;
    return gr_net_scratch(state);
}

static void apply(const void *state, const gr_batch *batch, double *out)
{
    gr_net_run(state, batch->values, batch->rows, batch->stride, out, batch->scratch);
}

static void free_state(void *state)
{
    if (state)
        gr_net_free(state);
    free(state);
}

gradus_status gr_net_node_new(gr_net *net, gr_node *node, gradus_error *err)
{
    gr_net *state = malloc(sizeof *state);

    if (!state)
        return gr_fail_memory(err, "a model");
    *state = *net;
    *net = (gr_net){ .features = 0 };
    *node = (gr_node){ .kind = &gr_node_net, .state = state };
    return GRADUS_OK;
}

static size_t rounds(const void *state)
{
    return (size_t)((const gr_net *)state)->rounds;
}

static void importance(const void *state, double *sizes, uint64_t *ways)
{
    gr_net_importance(state, sizes, ways);
}

const gr_node_kind gr_node_net = {
    .about = { .name = "net",
               .summary = "neural net: a linear score of the features or of one hidden layer",
               .details = "" },
    .noun = "net",
    .columns = columns,
    .scratch = scratch,
    .apply = apply,
    .write = gr_net_node_write,
    .read = gr_net_node_read,
    .free = free_state,
    .rounds = rounds,
    .importance = importance,
};
