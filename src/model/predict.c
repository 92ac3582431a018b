/* SPDX-License-Identifier: Apache-2.0 */
/* Runs rows through the nodes of a model, a block at a time. Blocks depend on the data alone and
 * each row has its own output slot, so results do not depend on the number of threads. */
#include "model/predict.h"

#include "base/bisect.h"
#include "base/text.h"
#include "data/binned.h"
#include "data/row_blocks.h"
#include "model/narrow.h"
#include "model/predict_binned.h"
#include "model/predict_device.h"
#include "model/predict_parts.h"

#include <assert.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { LINE = 64, ROOM_ON_STACK = 16384, BLOCKS_BETWEEN_PROGRESS = 64, SPARSE_ROWS = 512 };

/* Offsets of a thread's buffers in one allocation. */
typedef struct layout {
    size_t scratch, outputs, spreads, values, scaled; /* where each starts */
    size_t end;
} layout;

/* Where results go: scores (one per row) and probabilities (rows x levels); NULL: not requested. */
typedef struct results {
    double *scores, *probabilities;
    double *outputs; /* of the last node: outputs x all rows; NULL: not requested */
    size_t all;
} results;

static bool advance(size_t *at, size_t count, size_t size, size_t *begin)
{
    size_t bytes;

    *begin = *at;
    return gr_size_times(count, size, &bytes) && gr_size_plus(bytes, LINE - 1, &bytes) &&
           gr_size_plus(*at, bytes / LINE * LINE, at);
}

/* Whether blocks must hold whole queries: a transform or a node works on all rows of a query. */
static bool sees_queries(const gradus_model *model)
{
    bool sees = model->transform.transform && model->transform.transform->by_query;

    for (size_t n = 0; n < model->node_count; n++) {
        const gr_node *node = &model->nodes[n];

        sees = sees || node->kind->by_query ||
               (node->transform && node->transform->transform->by_query);
    }
    return sees;
}

/* The most features of a node that rescales the rows itself or uses some of the columns; 0: none
 * does. */
static size_t own_features(const gradus_model *model)
{
    size_t most = 0;

    for (size_t n = 0; n < model->node_count; n++) {
        const gr_node *node = &model->nodes[n];
        const size_t features = gr_node_features(model, node);

        if ((node->transform || node->columns) && features > most)
            most = features;
    }
    return most;
}

static bool lay_out(const gradus_model *model, size_t rows, bool in_place, layout *room)
{
    const bool by_query = sees_queries(model);
    size_t scratch = 0, columns = 0, cells, own;

    for (size_t n = 0; n < model->node_count; n++) {
        const gr_node *node = &model->nodes[n];
        const size_t wanted = node->kind->scratch ? node->kind->scratch(node->state, rows) : 0;

        scratch = wanted > scratch ? wanted : scratch;
        columns += node->kind->columns(node->state);
    }
    *room = (layout){ .end = 0 };
    return advance(&room->end, scratch, 1, &room->scratch) &&
           gr_size_times(columns, rows, &cells) &&
           advance(&room->end, cells, sizeof(double), &room->outputs) &&
           advance(&room->end, by_query ? model->features : 0, sizeof(gr_spread), &room->spreads) &&
           gr_size_times(model->features, rows, &cells) &&
           advance(&room->end, in_place ? 0 : cells, sizeof(float), &room->values) &&
           gr_size_times(own_features(model), rows, &own) &&
           advance(&room->end, own, sizeof(float), &room->scaled);
}

/* The outputs of a node follow those of all earlier nodes. */
static double *outputs_of(const gradus_model *model, size_t node, size_t rows, const layout *room,
                          uint8_t *memory)
{
    return (double *)(void *)(memory + room->outputs) + model->nodes[node].column * rows;
}

/* Copies the features of a node from the rows of a batch. */
static void copy_rows(const gr_node *node, const gr_batch *batch, size_t features, float *values)
{
    for (size_t r = 0; r < batch->rows; r++) {
        const float *from = batch->values + r * batch->stride;

        if (!node->columns)
            memcpy(values + r * features, from, features * sizeof *values);
        for (size_t c = 0; node->columns && c < features; c++)
            values[r * features + c] = from[node->columns[c]];
    }
}

/* Copies the rows of a batch to the layout's scaled area and rescales them as a node requires. */
static void scale_rows(const gr_node *node, size_t features, const gr_batch *batch,
                       const layout *room, uint8_t *memory)
{
    const gr_fitted_transform *fitted = node->transform;
    float *values = (float *)(void *)(memory + room->scaled);
    gr_spread *spreads = (gr_spread *)(void *)(memory + room->spreads);

    copy_rows(node, batch, features, values);
    if (!fitted)
        return;
    if (!fitted->transform->by_query)
        gr_transform_rows(fitted, values, batch->rows, features, NULL);
    for (size_t q = 0; fitted->transform->by_query && q < batch->queries; q++) {
        const uint64_t *start = batch->query_starts + q;

        gr_transform_rows(fitted, values + (start[0] - batch->query_starts[0]) * features,
                          (size_t)(start[1] - start[0]), features, spreads);
    }
}

/* Returns the outputs of the last node. ready: outputs that a device has computed; NULL: none. */
static const double *run_nodes(const gradus_model *model, const gr_batch *given, const layout *room,
                               uint8_t *memory, const gr_ready *ready)
{
    const gr_node *scaled_for = NULL; /* the node whose rows the scaled area holds */
    const size_t rows = given->rows;

    assert(model->node_count > 0);
    for (size_t n = 0; n < model->node_count; n++) {
        const gr_node *node = &model->nodes[n];
        const double *inputs[GR_NODE_INPUTS];
        double *own = outputs_of(model, n, rows, room, memory);
        gr_batch batch = *given;

        if (gr_ready_take(ready, n, given->first, rows, node->kind->columns(node->state), own))
            continue;
        batch.inputs = inputs;
        batch.scratch = memory + room->scratch;
        if (node->transform || node->columns) {
            batch.stride = gr_node_features(model, node);
            if (!scaled_for || node->transform != scaled_for->transform ||
                node->columns != scaled_for->columns)
                scale_rows(node, batch.stride, given, room, memory);
            scaled_for = node;
            batch.values = (const float *)(const void *)(memory + room->scaled);
        }
        for (size_t i = 0; i < node->input_count; i++)
            inputs[i] = outputs_of(model, node->inputs[i], rows, room, memory);
        node->kind->apply(node->state, &batch, own);
    }
    return outputs_of(model, model->node_count - 1, rows, room, memory);
}

static void run_block(const gradus_model *model, const gr_batch *batch, const layout *room,
                      uint8_t *memory, results out, const gr_ready *ready)
{
    const double *outputs = run_nodes(model, batch, room, memory, ready);
    const size_t levels = model->scorer.levels, rows = batch->rows;

    for (size_t k = 0; out.outputs && k < model->scorer.outputs; k++)
        memcpy(out.outputs + k * out.all, outputs + k * rows, rows * sizeof *outputs);
    for (size_t r = 0; r < rows; r++) {
        if (out.scores)
            out.scores[r] = gr_scorer_score(&model->scorer, outputs + r, rows);
        if (out.probabilities)
            gr_scorer_probabilities(&model->scorer, outputs + r, rows,
                                    out.probabilities + r * levels);
    }
}

/* The results from row `from` on. */
static results later(results all, const gradus_model *model, size_t from)
{
    return (results){ all.scores ? all.scores + from : NULL,
                      all.probabilities ? all.probabilities + from * model->scorer.levels : NULL,
                      all.outputs ? all.outputs + from : NULL, all.all };
}

/* Fails if a result is not finite. file_rows: the rows' numbers in the file; NULL: in order. */
static gradus_status check_results(const gradus_model *model, results all, size_t rows,
                                   const uint64_t *file_rows, gradus_error *err)
{
    const size_t levels = model->scorer.levels;

    for (size_t r = 0; r < rows; r++) {
        const double score = all.scores ? all.scores[r] : 0.0;
        bool finite = isfinite(score);

        for (size_t k = 0; all.probabilities && k < levels; k++)
            finite = finite && isfinite(all.probabilities[r * levels + k]);
        if (!finite)
            return gr_fail(err, GRADUS_BAD_NUMBER, "row %llu: the model's score is not finite",
                           (unsigned long long)(file_rows ? file_rows[r] : r) + 1);
    }
    return GRADUS_OK;
}

/* Scoring a whole dataset. */
typedef struct running {
    const gradus_model *model;
    const gradus_arrays *arrays;
    results out;
    size_t blocks, first; /* first: the first block of the current batch of tasks */
    uint64_t *starts;     /* blocks + 1 row numbers */
    bool in_place;        /* rows are used where they are, not copied */
    bool sparse;          /* in place, as sparse rows */
    bool by_query;        /* blocks hold whole queries */
    layout room;
    uint8_t *memory; /* room.end bytes per thread */
    gr_ready ready;
} running;

/* Adds the queries of a block to a batch, if blocks hold whole queries. */
static void take_queries(const running *work, size_t from, size_t to, gr_batch *batch)
{
    const gradus_arrays *a = work->arrays;

    if (!work->by_query)
        return;
    const size_t first = gr_interval_of(a->query_starts, a->queries, from);

    batch->query_starts = a->query_starts + first;
    while (first + batch->queries < a->queries && a->query_starts[first + batch->queries] < to)
        batch->queries++;
}

/* Transforms copied rows. If the transform is per query, the block holds whole queries. */
static void transform_block(const running *work, size_t from, size_t to, float *values,
                            gr_spread *spreads)
{
    const gr_fitted_transform *fitted = &work->model->transform;
    const gradus_arrays *a = work->arrays;
    const size_t features = work->model->features;

    if (!fitted->transform->by_query) {
        gr_transform_rows(fitted, values, to - from, features, NULL);
        return;
    }
    for (size_t q = gr_interval_of(a->query_starts, a->queries, from);
         q < a->queries && a->query_starts[q] < to; q++)
        gr_transform_rows(fitted, values + (a->query_starts[q] - from) * features,
                          (size_t)(a->query_starts[q + 1] - a->query_starts[q]), features, spreads);
}

static void run_task(void *argument, size_t index, size_t worker)
{
    const running *work = argument;
    const gradus_model *model = work->model;
    const gradus_arrays *a = work->arrays;
    const size_t from = (size_t)work->starts[work->first + index];
    const size_t to = (size_t)work->starts[work->first + index + 1];
    uint8_t *memory = work->memory + worker * work->room.end;
    float *values = (float *)(void *)(memory + work->room.values);

    if (work->in_place) {
        gr_batch batch = { .values = work->sparse ? NULL : a->values + from * a->stride,
                           .rows = to - from,
                           .stride = a->stride,
                           .sparse = work->sparse ? a : NULL,
                           .first = from };

        take_queries(work, from, to, &batch);
        run_block(model, &batch, &work->room, memory, later(work->out, model, from), &work->ready);
        return;
    }
    gr_block_fill(a, from, to, model->features, values);
    if (model->transform.transform)
        transform_block(work, from, to, values, (gr_spread *)(void *)(memory + work->room.spreads));
    gr_batch batch = {
        .values = values, .rows = to - from, .stride = model->features, .first = from
    };

    take_queries(work, from, to, &batch);
    run_block(model, &batch, &work->room, memory, later(work->out, model, from), &work->ready);
    if (model->transform.transform) /* zeros may have been shifted */
        memset(values, 0, (to - from) * model->features * sizeof *values);
    else
        gr_block_clear(a, from, to, model->features, values);
}

/* Cuts the rows into blocks, of whole queries if required. *most: rows of the largest block. */
static gradus_status cut_blocks(running *work, size_t *most, gradus_error *err)
{
    const gradus_arrays *a = work->arrays;
    const size_t wanted = work->sparse ? SPARSE_ROWS : gr_block_rows(work->model->features);
    const bool by_query = work->by_query;
    const size_t count = by_query ? a->queries : (a->rows + wanted - 1) / wanted;

    work->starts = gr_new_array(count + 1, sizeof *work->starts);
    if (!work->starts)
        return gr_fail_memory(err, "rows to score");
    for (size_t i = 0; i < count; i++) {
        const uint64_t next = by_query ? a->query_starts[i + 1] : (uint64_t)(i + 1) * wanted;
        const uint64_t end = next < a->rows ? next : a->rows;
        const size_t rows = (size_t)(end - work->starts[work->blocks]);

        if (rows >= wanted || i + 1 == count) {
            work->starts[++work->blocks] = end;
            *most = rows > *most ? rows : *most;
        }
    }
    return GRADUS_OK;
}

static gradus_status run_blocks(running *work, const gradus_context *context, gradus_error *err)
{
    const size_t together = BLOCKS_BETWEEN_PROGRESS * gr_pool_threads(gr_pool_of(context));
    size_t most = 0, bytes;

    GR_TRY(cut_blocks(work, &most, err));
    if (!lay_out(work->model, most, work->in_place, &work->room) ||
        !gr_size_times(work->room.end, gr_pool_threads(gr_pool_of(context)), &bytes) ||
        !(work->memory = aligned_alloc(LINE, bytes + LINE)))
        return gr_fail_memory(err, "rows to score");
    memset(work->memory, 0, bytes); /* gr_block_fill expects zeros */
    while (work->first < work->blocks) {
        const size_t left = work->blocks - work->first;
        const size_t count = left < together ? left : together;

        gr_pool_run(gr_pool_of(context), count, run_task, work);
        work->first += count;
        GR_TRY(gr_progress(context, "scoring", (double)work->first / (double)work->blocks, err));
    }
    return GRADUS_OK;
}

/* Features are found by position, so that columns in another order would be used silently. */
static gradus_status check_feature_names(const gradus_model *model, const gradus_dataset *data,
                                         const gradus_context *context, gradus_error *err)
{
    const unsigned names = 1u << GR_FEATURE_BYTES | 1u << GR_FEATURE_NAMES;

    GR_TRY(gr_dataset_need(data, names, gr_pool_of(context), err));
    const size_t f = gr_names_differ(&model->feature_names, &data->feature_names, model->features);

    if (f == model->features)
        return GRADUS_OK;
    return gr_fail(err, GRADUS_BAD_ARGUMENT,
                   "feature %zu is '%.60s' in the model, but '%.60s' in the data: the data must "
                   "have the model's features in the same order",
                   f + 1, gr_name_at(&model->feature_names, f),
                   gr_name_at(&data->feature_names, f));
}

gradus_status gr_model_fits(const gradus_model *model, const gradus_dataset *data,
                            const gradus_context *context, gradus_error *err)
{
    const size_t found = data->arrays.features;

    GR_TRY(check_feature_names(model, data, context, err));
    if (found < model->features)
        return gr_fail(
            err, GRADUS_BAD_ARGUMENT,
            "the model has %zu %s, the data %zu (if the missing ones are 0 in every row of a text "
            "file, give the option 'features' the value %zu)",
            model->features, gr_plural(model->features, "feature", "features"), found,
            model->features);
    if (found > model->features)
        gr_note(context, "the model has %zu %s, the data %zu: the last %zu %s ignored",
                model->features, gr_plural(model->features, "feature", "features"), found,
                found - model->features, gr_plural(found - model->features, "is", "are"));
    return GRADUS_OK;
}

/* Whether sparse rows can be used without making them dense. */
static bool takes_sparse(const gradus_model *model, const gradus_arrays *arrays)
{
    bool all = arrays->row_starts && !model->transform.transform && own_features(model) == 0;

    for (size_t n = 0; all && n < model->node_count; n++) {
        const gr_node *node = &model->nodes[n];

        all = node->input_count > 0 ||
              (node->kind->takes_sparse && node->kind->takes_sparse(node->state));
    }
    return all;
}

static gradus_status run_rows(const gradus_model *model, const gradus_dataset *data,
                              const gradus_context *context, results out, gradus_error *err)
{
    const gradus_arrays *a = &data->arrays;
    running work = { .model = model,
                     .arrays = a,
                     .out = out,
                     .sparse = takes_sparse(model, a),
                     .by_query = sees_queries(model) };
    gradus_status status;

    work.in_place =
        work.sparse || (!model->transform.transform && gr_block_in_place(a, model->features));
    status = gr_ready_start(&work.ready, model, a, context, err);
    if (status == GRADUS_OK)
        status = run_blocks(&work, context, err);
    gr_ready_free(&work.ready);
    free(work.starts);
    free(work.memory);
    if (status != GRADUS_OK)
        return status;
    return check_results(model, work.out, a->rows, data->file_rows, err);
}

static gradus_status run_narrow(const gradus_model *model, const gr_used *columns,
                                const gradus_dataset *data, const gradus_context *context,
                                results out, gradus_error *err)
{
    gradus_model *view = gr_model_narrowed(model, columns, err);
    gradus_dataset *rows = view ? gr_used_narrow(columns, data, err) : NULL;
    const gradus_status status = rows  ? run_rows(view, rows, context, out, err)
                                 : err ? err->status
                                       : GRADUS_NO_MEMORY;

    gradus_dataset_free(rows);
    gr_model_free(view);
    return status;
}

/* Runs wide sparse rows with the features that the model uses, if these are few. */
static gradus_status run_wide(const gradus_model *model, const gradus_dataset *data,
                              const gradus_context *context, results out, gradus_error *err)
{
    gr_used columns = { .features = 0 };
    bool known = false;
    gradus_status status = gr_used_start(&columns, model->features, err);

    if (status == GRADUS_OK)
        status = gr_model_add_columns(model, &columns, &known, err);
    if (status == GRADUS_OK)
        status = gr_used_finish(&columns, err);
    if (status == GRADUS_OK)
        status = known && gr_used_are_few(&columns)
                     ? run_narrow(model, &columns, data, context, out, err)
                     : run_rows(model, data, context, out, err);
    gr_used_free(&columns);
    return status;
}

static gradus_status run_data(const gradus_model *model, const gradus_dataset *data,
                              const gradus_context *context, results out, gradus_error *err)
{
    const unsigned needs = GR_NEED_VALUES | 1u << GR_QUERY_STARTS | 1u << GR_FILE_ROWS;

    if (gr_rows_are_shared(data))
        return gr_model_run_shared(model, data, context, out.scores, out.probabilities, out.outputs,
                                   err);
    if (gr_dataset_lacks_values(data) && !out.outputs && gr_model_takes_bins(model, data))
        return gr_model_run_bins(model, data, context, out.scores, out.probabilities, err);
    GR_TRY(gr_dataset_need(data, needs, gr_pool_of(context), err));
    if (data->arrays.row_starts && model->features >= gr_wide_features(context) &&
        !takes_sparse(model, &data->arrays))
        return run_wide(model, data, context, out, err);
    return run_rows(model, data, context, out, err);
}

gradus_status gr_model_run(const gradus_model *model, const gradus_dataset *data,
                           const gradus_context *context, double *scores, double *probabilities,
                           gradus_error *err)
{
    return run_data(model, data, context, (results){ scores, probabilities, NULL, 0 }, err);
}

gradus_status gr_model_outputs(const gradus_model *model, const gradus_dataset *data,
                               const gradus_context *context, double *outputs, gradus_error *err)
{
    const size_t rows = data->arrays.rows;

    GR_TRY(run_data(model, data, context, (results){ NULL, NULL, outputs, rows }, err));
    for (size_t i = 0; i < model->scorer.outputs * rows; i++)
        if (!isfinite(outputs[i]))
            return gr_fail(err, GRADUS_BAD_NUMBER, "the model's output for a row is not finite");
    return GRADUS_OK;
}

gradus_status gr_model_run_rows(const gradus_model *model, const float *values, size_t rows,
                                size_t stride, double *scores, double *probabilities,
                                gradus_error *err)
{
    const gr_fitted_transform *fitted = &model->transform;
    const bool whole = sees_queries(model);
    const uint64_t one_query[2] = { 0, rows };
    const size_t usual = gr_block_rows(model->features);
    const size_t block = whole || rows < usual ? rows : usual;
    const results out = { scores, probabilities, NULL, 0 };
    uint8_t on_stack[ROOM_ON_STACK] __attribute__((aligned(LINE)));
    uint8_t *memory = on_stack;
    layout room;

    if (!lay_out(model, block, !fitted->transform, &room))
        return gr_fail_memory(err, "rows to score");
    if (room.end > ROOM_ON_STACK)
        memory = aligned_alloc(LINE, room.end);
    if (!memory)
        return gr_fail_memory(err, "rows to score");
    for (size_t from = 0; from < rows; from += block) {
        const size_t count = rows - from < block ? rows - from : block;
        const float *used = values + from * stride;
        float *copy = (float *)(void *)(memory + room.values);

        if (fitted->transform) {
            for (size_t r = 0; r < count; r++)
                memcpy(copy + r * model->features, used + r * stride,
                       model->features * sizeof *copy);
            gr_transform_rows(fitted, copy, count, model->features,
                              (gr_spread *)(void *)(memory + room.spreads));
            used = copy;
        }
        const gr_batch batch = { .values = used,
                                 .rows = count,
                                 .stride = fitted->transform ? model->features : stride,
                                 .query_starts = one_query,
                                 .queries = whole };

        run_block(model, &batch, &room, memory, later(out, model, from), NULL);
    }
    if (memory != on_stack)
        free(memory);
    return check_results(model, out, rows, NULL, err);
}
