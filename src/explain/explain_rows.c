/* SPDX-License-Identifier: Apache-2.0 */
/* Rows as the nodes of a model take them, and outputs of nodes. */
#include "explain/explain_rows.h"

#include "data/row_blocks.h"

#include <string.h>

static bool by_query(const gr_fitted_transform *fitted)
{
    return fitted && fitted->transform && fitted->transform->by_query;
}

bool gr_explain_needs_queries(const gradus_model *model)
{
    bool needs = by_query(&model->transform);

    for (size_t n = 0; n < model->node_count; n++)
        needs = needs || by_query(model->nodes[n].transform) || model->nodes[n].kind->by_query;
    return needs;
}

static gradus_status reserve(gr_explain_rows *rows, const gradus_model *model, size_t count,
                             gradus_error *err)
{
    size_t cells;

    *rows = (gr_explain_rows){ .model = model, .rows = count };
    rows->own = gr_arena_array(&rows->arena, model->node_count, sizeof *rows->own);
    if (!gr_size_times(count, model->features, &cells))
        return gr_fail_memory(err, "rows to explain");
    rows->raw = gr_arena_array(&rows->arena, cells, sizeof *rows->raw);
    if (model->transform.transform)
        rows->scaled = gr_arena_array(&rows->arena, cells, sizeof *rows->scaled);
    for (size_t n = 0; rows->own && n < model->node_count; n++) {
        const gr_node *node = &model->nodes[n];

        if ((node->columns || node->transform) && gr_node_takes_rows(node))
            rows->own[n] = gr_arena_array(&rows->arena, count * gr_node_features(model, node),
                                          sizeof *rows->raw);
    }
    return rows->arena.failed ? gr_fail_memory(err, "rows to explain") : GRADUS_OK;
}

/* The rows of a node with columns or a transform, before the transform. */
static void copy_columns(const gr_explain_rows *rows, const gr_node *node, float *to)
{
    const size_t features = rows->model->features;
    const size_t own = gr_node_features(rows->model, node);

    for (size_t r = 0; r < rows->rows; r++)
        for (size_t c = 0; c < own; c++)
            to[r * own + c] = rows->raw[r * features + (node->columns ? node->columns[c] : c)];
}

static void transform(const gr_fitted_transform *fitted, const gr_segment *segments, size_t count,
                      size_t features, float *values, gr_spread *spreads)
{
    for (size_t s = 0; s < count; s++) {
        gr_transform_rows(fitted, values, segments[s].count, features, spreads);
        values += segments[s].count * features;
    }
}

gradus_status gr_explain_rows_fill(gr_explain_rows *rows, const gradus_model *model,
                                   const gradus_arrays *arrays, const gr_segment *segments,
                                   size_t count, gradus_error *err)
{
    size_t all = 0, at = 0;

    for (size_t s = 0; s < count; s++)
        all += segments[s].count;
    GR_TRY(reserve(rows, model, all, err));
    gr_spread *spreads = gr_arena_array(&rows->arena, model->features, sizeof *spreads);

    if (!spreads)
        return gr_fail_memory(err, "rows to explain");
    for (size_t s = 0; s < count; s++, at += segments[s - 1].count)
        gr_block_fill(arrays, segments[s].first, segments[s].first + segments[s].count,
                      model->features, rows->raw + at * model->features);
    if (rows->scaled) {
        memcpy(rows->scaled, rows->raw, all * model->features * sizeof *rows->raw);
        transform(&model->transform, segments, count, model->features, rows->scaled, spreads);
    }
    for (size_t n = 0; n < model->node_count; n++) {
        const gr_node *node = &model->nodes[n];

        if (!rows->own[n])
            continue;
        copy_columns(rows, node, rows->own[n]);
        if (node->transform)
            transform(node->transform, segments, count, gr_node_features(model, node), rows->own[n],
                      spreads);
    }
    return GRADUS_OK;
}

gradus_status gr_explain_rows_pick(gr_explain_rows *rows, const gr_explain_rows *from,
                                   const size_t *which, size_t count, gradus_error *err)
{
    const gradus_model *model = from->model;

    GR_TRY(reserve(rows, model, count, err));
    for (size_t i = 0; i < count; i++) {
        const size_t size = model->features * sizeof *rows->raw;

        memcpy(rows->raw + i * model->features, from->raw + which[i] * model->features, size);
        if (rows->scaled)
            memcpy(rows->scaled + i * model->features, from->scaled + which[i] * model->features,
                   size);
        for (size_t n = 0; n < model->node_count; n++) {
            const size_t own = gr_node_features(model, &model->nodes[n]);

            if (rows->own[n])
                memcpy(rows->own[n] + i * own, from->own[n] + which[i] * own,
                       own * sizeof *rows->raw);
        }
    }
    return GRADUS_OK;
}

void gr_explain_rows_free(gr_explain_rows *rows)
{
    gr_arena_free(&rows->arena);
    rows->raw = NULL;
}

size_t gr_explain_columns(const gradus_model *model)
{
    const gr_node *last = &model->nodes[model->node_count - 1];

    return last->column + last->kind->columns(last->state);
}

size_t gr_explain_scratch(const gradus_model *model, size_t rows)
{
    size_t most = 0;

    for (size_t n = 0; n < model->node_count; n++) {
        const gr_node *node = &model->nodes[n];
        const size_t size = node->kind->scratch ? node->kind->scratch(node->state, rows) : 0;

        most = size > most ? size : most;
    }
    return (most + 64) / 64 * 64;
}

void gr_explain_run(const gradus_model *model, const float *const *values, size_t count,
                    double *outputs, void *scratch)
{
    for (size_t n = 0; n < model->node_count; n++) {
        const gr_node *node = &model->nodes[n];
        const double *inputs[GR_NODE_INPUTS];
        const gr_batch batch = { .values = values[n],
                                 .rows = count,
                                 .stride = gr_node_features(model, node),
                                 .inputs = inputs,
                                 .scratch = scratch };

        for (size_t i = 0; i < node->input_count; i++)
            inputs[i] = outputs + model->nodes[node->inputs[i]].column * count;
        node->kind->apply(node->state, &batch, outputs + node->column * count);
    }
}
