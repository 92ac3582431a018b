/* SPDX-License-Identifier: Apache-2.0 */
/* A weighted sum of other nodes: averaging ensembles. */
#include "model/model_file.h"
#include "model/forest_node.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static size_t columns(const void *state)
{
    return ((const gr_mix *)state)->columns;
}

static size_t members(const void *state)
{
    return ((const gr_mix *)state)->members;
}

static size_t scratch(const void *state, size_t rows)
{
    (void)state;
    (void)rows;
    return 0;
}

/* Adds members in order, so that the sums are always the same. */
static void apply(const void *state, const gr_batch *batch, double *out)
{
    const gr_mix *mix = state;
    const size_t cells = mix->columns * batch->rows;

    memset(out, 0, cells * sizeof *out);
    for (size_t m = 0; m < mix->members; m++)
        for (size_t i = 0; i < cells; i++)
            out[i] += mix->weights[m] * batch->inputs[m][i];
}

static gradus_status put(const void *state, gr_model_writer *writer, gradus_error *err)
{
    const gr_mix *mix = state;

    gr_json_put_count(gr_model_facts(writer), "members", mix->members);
    gr_json_put_count(gr_model_facts(writer), "columns", mix->columns);
    return gr_model_add_section(writer, "weights", mix->weights,
                                mix->members * sizeof *mix->weights, err);
}

static void end(void *state)
{
    gr_mix *mix = state;

    if (!mix)
        return;
    if (mix->own)
        free(mix->weights);
    free(mix);
}

gradus_status gr_mix_node_new(const double *weights, size_t members, size_t count, gr_node *node,
                              gradus_error *err)
{
    gr_mix *mix = calloc(1, sizeof *mix);

    if (mix)
        *mix = (gr_mix){ .members = members,
                         .columns = count,
                         .weights = gr_new_array(members, sizeof *weights),
                         .own = true };
    if (!mix || !mix->weights) {
        free(mix);
        return gr_fail_memory(err, "a model");
    }
    memcpy(mix->weights, weights, members * sizeof *weights);
    *node = (gr_node){ .kind = &gr_node_mix, .state = mix };
    return GRADUS_OK;
}

static gradus_status read_state(gr_model_reader *reader, size_t features, void **state,
                                gradus_error *err)
{
    uint64_t members, count;
    gr_mix made = { .members = 0 };
    gr_mix *mix;

    (void)features;
    GR_TRY(gr_model_read_count(reader, "members", &members, err));
    GR_TRY(gr_model_read_count(reader, "columns", &count, err));
    if (members == 0 || members > GR_NODE_INPUTS || count == 0 || count > UINT16_MAX)
        return gr_model_damaged(reader, err, "a weighted sum of %llu members",
                                (unsigned long long)members);
    GR_TRY(
        gr_section_as_array(reader, "weights", members, sizeof *made.weights, &made.weights, err));
    for (uint64_t m = 0; m < members; m++)
        if (!isfinite(made.weights[m]))
            return gr_model_damaged(reader, err, "the weights of its members are not finite");
    mix = malloc(sizeof *mix);
    if (!mix)
        return gr_fail_memory(err, "a model");
    *mix = made;
    mix->members = (size_t)members;
    mix->columns = (size_t)count;
    *state = mix;
    return GRADUS_OK;
}

const gr_node_kind gr_node_mix = {
    .about = { .name = "mix", .summary = "weighted sum of nodes", .details = "" },
    .columns = columns,
    .takes = columns,
    .members = members,
    .scratch = scratch,
    .apply = apply,
    .write = put,
    .read = read_state,
    .free = end,
};
