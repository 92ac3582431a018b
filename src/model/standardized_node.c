/* SPDX-License-Identifier: Apache-2.0 */
/* A weighted sum of the scores of other nodes, standardised within each query: members with scores
 * of any scale, without validation data. */
#include "model/standardized_node.h"

#include "ensembles/standardise.h"
#include "model/model_reader.h"
#include "model/model_write.h"

#include <stdlib.h>
#include <string.h>

typedef struct standardized_state {
    size_t members;
    double *weights;
    bool own;
} standardized_state;

static size_t columns(const void *state)
{
    (void)state;
    return 1;
}

static size_t members(const void *state)
{
    return ((const standardized_state *)state)->members;
}

/* Adds members in order, so that the sums are always the same. */
static void apply(const void *state, const gr_batch *batch, double *out)
{
    const standardized_state *sum = state;

    memset(out, 0, batch->rows * sizeof *out);
    for (size_t m = 0; m < sum->members; m++)
        for (size_t q = 0; q < batch->queries; q++) {
            const size_t first = (size_t)(batch->query_starts[q] - batch->query_starts[0]);
            const size_t end = (size_t)(batch->query_starts[q + 1] - batch->query_starts[0]);
            const double *scores = batch->inputs[m];
            const gr_standard s = gr_standard_fit(scores + first, end - first);

            for (size_t r = first; r < end; r++)
                out[r] += sum->weights[m] * gr_standardised(&s, scores[r]);
        }
}

static gradus_status put(const void *state, gr_model_writer *writer, gradus_error *err)
{
    const standardized_state *sum = state;

    gr_json_put_count(gr_model_json(writer), "members", sum->members);
    return gr_model_add_section(writer, "weights", GR_F64, sum->weights,
                                sum->members * sizeof *sum->weights, err);
}

static void free_state(void *state)
{
    standardized_state *sum = state;

    if (sum->own)
        free(sum->weights);
}

gradus_status gr_standardized_node_new(const double *weights, size_t count, gr_node *node,
                                       gradus_error *err)
{
    standardized_state sum = { .members = count,
                               .weights = gr_new_array(count, sizeof *weights),
                               .own = true };

    if (!sum.weights)
        return gr_fail_memory(err, "a model");
    memcpy(sum.weights, weights, count * sizeof *weights);
    const gradus_status status = gr_node_new(&gr_node_standardized, &sum, node, err);

    free(sum.weights);
    return status;
}

static gradus_status read_state(gr_model_reader *reader, size_t features, void *state,
                                gradus_error *err)
{
    standardized_state *sum = state;

    (void)features;
    return gr_model_read_weights(reader, "a sum of standardised scores", &sum->members,
                                 &sum->weights, err);
}

static const char *combination(const void *state)
{
    (void)state;
    return "standardized";
}

static double weight(const void *state, size_t member)
{
    return ((const standardized_state *)state)->weights[member];
}

static bool fact_at(const void *state, size_t index, gradus_model_fact *fact)
{
    const gradus_model_fact all[] = {
        GR_LINE_FACT("ensemble", "weighted sum of their scores, standardised within the query"),
    };

    (void)state;
    return GR_FACT_AT(all, index, fact);
}

const gr_node_kind gr_node_standardized = {
    .about = { .name = "standardized",
               .summary = "weighted sum of scores of nodes, standardised within each query",
               .details = "" },
    .by_query = true,
    .size = sizeof(standardized_state),
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
