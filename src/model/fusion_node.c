/* SPDX-License-Identifier: Apache-2.0 */
/* Rank fusion: combines the ranks that several nodes give a row within its query, by Borda count or
 * reciprocal rank (Cormack, Clarke and Buettcher, SIGIR 2009). Tied rows share their mean rank. */
#include "model/fusion_node.h"

#include "base/sort.h"
#include "model/model_reader.h"
#include "model/model_write.h"

#include <math.h>
#include <string.h>

static size_t columns(const void *state)
{
    (void)state;
    return 1;
}

static size_t members(const void *state)
{
    return ((const gr_fusion *)state)->members;
}

static size_t scratch(const void *state, size_t rows)
{
    (void)state;
    return rows * sizeof(size_t) + GR_SORT_SCRATCH(rows);
}

static double points(const gr_fusion *fusion, double place, size_t rows)
{
    if (fusion->reciprocal)
        return 1.0 / (fusion->constant + place);
    return rows > 1 ? ((double)rows - place) / (double)(rows - 1) : 0.5;
}

static void add_query(const gr_fusion *fusion, const double *scores, size_t rows, void *room,
                      double *out)
{
    gr_keyed *keys = room;
    size_t *order = (size_t *)(void *)((char *)room + GR_SORT_SCRATCH(rows));

    gr_sort_descending(scores, rows, order, keys);
    for (size_t first = 0, end; first < rows; first = end) {
        for (end = first + 1; end < rows && scores[order[end]] == scores[order[first]];)
            end++;
        /* ranks first + 1 to end */
        const double place = 0.5 * ((double)first + 1.0 + (double)end);

        for (size_t i = first; i < end; i++)
            out[order[i]] += points(fusion, place, rows) / (double)fusion->members;
    }
}

static void apply(const void *state, const gr_batch *batch, double *out)
{
    const gr_fusion *fusion = state;

    memset(out, 0, batch->rows * sizeof *out);
    for (size_t m = 0; m < fusion->members; m++)
        for (size_t q = 0; q < batch->queries; q++) {
            const size_t first = (size_t)(batch->query_starts[q] - batch->query_starts[0]);
            const size_t end = (size_t)(batch->query_starts[q + 1] - batch->query_starts[0]);

            add_query(fusion, batch->inputs[m] + first, end - first, batch->scratch, out + first);
        }
}

static gradus_status put(const void *state, gr_model_writer *writer, gradus_error *err)
{
    const gr_fusion *fusion = state;

    gr_json_put_count(gr_model_json(writer), "members", fusion->members);
    gr_json_put_count(gr_model_json(writer), "reciprocal", fusion->reciprocal);
    return gr_model_add_section(writer, "constant", GR_F64, &fusion->constant,
                                sizeof fusion->constant, err);
}

gradus_status gr_fusion_node_new(const gr_fusion *fusion, gr_node *node, gradus_error *err)
{
    gr_fusion state = *fusion;

    return gr_node_new(&gr_node_fusion, &state, node, err);
}

static gradus_status read_state(gr_model_reader *reader, size_t features, void *state,
                                gradus_error *err)
{
    gr_fusion *fusion = state;
    uint64_t count, reciprocal;
    const double *constant;

    (void)features;
    GR_TRY(gr_model_read_count(reader, "members", &count, err));
    GR_TRY(gr_model_read_count(reader, "reciprocal", &reciprocal, err));
    GR_TRY(gr_model_read_array(reader, "constant", 1, sizeof *constant, &constant, err));
    if (count == 0 || count > GR_NODE_INPUTS || reciprocal > 1 || !isfinite(*constant) ||
        *constant < 0.0)
        return gr_model_damaged(reader, err, "a rank fusion of %llu members",
                                (unsigned long long)count);
    *fusion =
        (gr_fusion){ .members = (size_t)count, .reciprocal = reciprocal, .constant = *constant };
    return GRADUS_OK;
}

static const char *combination(const void *state)
{
    return ((const gr_fusion *)state)->reciprocal ? "reciprocal-rank" : "borda";
}

static bool fact_at(const void *state, size_t index, gradus_model_fact *fact)
{
    const gr_fusion *fusion = state;
    const gradus_model_fact all[] = {
        GR_LINE_FACT("ensemble", fusion->reciprocal
                                     ? "mean of 1 / ({rank_constant} + rank in the query)"
                                     : "mean Borda count of ranks in the query"),
        GR_NUMBER_FACT("rank_constant", fusion->constant),
    };

    return GR_FACT_AT(all, index, fact);
}

const gr_node_kind gr_node_fusion = {
    .about = { .name = "fusion",
               .summary = "rank fusion of several nodes within each query",
               .details = "" },
    .by_query = true,
    .size = sizeof(gr_fusion),
    .columns = columns,
    .takes = columns,
    .members = members,
    .scratch = scratch,
    .apply = apply,
    .write = put,
    .read = read_state,
    .combination = combination,
    .fact = fact_at,
};
