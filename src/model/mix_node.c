/* SPDX-License-Identifier: Apache-2.0 */
/* A weighted sum of other nodes: averaging ensembles. */
#include "model/mix_node.h"

#include "model/model_reader.h"
#include "model/model_write.h"

#include <stdlib.h>
#include <string.h>

typedef struct mix_state {
    size_t members, columns;
    double *weights;
    bool own;
} mix_state;

static size_t columns(const void *state)
{
    return ((const mix_state *)state)->columns;
}

static size_t members(const void *state)
{
    return ((const mix_state *)state)->members;
}

/* Adds members in order, so that the sums are always the same. */
static void apply(const void *state, const gr_batch *batch, double *out)
{
    const mix_state *mix = state;
    const size_t cells = mix->columns * batch->rows;

    memset(out, 0, cells * sizeof *out);
    for (size_t m = 0; m < mix->members; m++)
        for (size_t i = 0; i < cells; i++)
            out[i] += mix->weights[m] * batch->inputs[m][i];
}

static gradus_status put(const void *state, gr_model_writer *writer, gradus_error *err)
{
    const mix_state *mix = state;

    gr_json_put_count(gr_model_json(writer), "members", mix->members);
    gr_json_put_count(gr_model_json(writer), "columns", mix->columns);
    return gr_model_add_section(writer, "weights", GR_F64, mix->weights,
                                mix->members * sizeof *mix->weights, err);
}

static void free_state(void *state)
{
    mix_state *mix = state;

    if (mix->own)
        free(mix->weights);
}

gradus_status gr_mix_node_new(const double *weights, size_t members, size_t count, gr_node *node,
                              gradus_error *err)
{
    mix_state mix = { .members = members,
                      .columns = count,
                      .weights = gr_new_array(members, sizeof *weights),
                      .own = true };

    if (!mix.weights)
        return gr_fail_memory(err, "a model");
    memcpy(mix.weights, weights, members * sizeof *weights);
    const gradus_status status = gr_node_new(&gr_node_mix, &mix, node, err);

    free(mix.weights);
    return status;
}

static gradus_status read_state(gr_model_reader *reader, size_t features, void *state,
                                gradus_error *err)
{
    mix_state *mix = state;
    uint64_t count;

    (void)features;
    GR_TRY(gr_model_read_count(reader, "columns", &count, err));
    if (count == 0 || count > UINT16_MAX)
        return gr_model_damaged(reader, err, "a weighted sum of %llu columns",
                                (unsigned long long)count);
    GR_TRY(gr_model_read_weights(reader, "a weighted sum", &mix->members, &mix->weights, err));
    mix->columns = (size_t)count;
    return GRADUS_OK;
}

static const char *combination(const void *state)
{
    (void)state;
    return "weighted-sum";
}

static double weight(const void *state, size_t member)
{
    return ((const mix_state *)state)->weights[member];
}

static bool fact_at(const void *state, size_t index, gradus_model_fact *fact)
{
    const gradus_model_fact all[] = { GR_LINE_FACT("ensemble", "weighted sum of their outputs") };

    (void)state;
    return GR_FACT_AT(all, index, fact);
}

const gr_node_kind gr_node_mix = {
    .about = { .name = "mix", .summary = "weighted sum of nodes", .details = "" },
    .size = sizeof(mix_state),
    .columns = columns,
    .takes = columns,
    .members = members,
    .apply = apply,
    .write = put,
    .read = read_state,
    .free = free_state,
    .combination = combination,
    .weight = weight,
    .fact = fact_at,
};
