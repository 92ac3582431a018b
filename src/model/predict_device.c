/* SPDX-License-Identifier: Apache-2.0 */
/* Streams rows through a device that evaluates the forests of a model: while it works on one batch, the
 * threads of the pool fill the next. */
#include "model/predict_device.h"

#include "data/row_blocks.h"
#include "learners/forest/score_forest.h"
#include "model/forest_node.h"

#include <stdlib.h>
#include <string.h>

enum {
    BATCH_BYTES = 32 << 20, /* of values: long enough for a good rate of copying */
    FILL_ROWS = 1024,       /* rows that a thread copies at once */
};

typedef struct filling {
    const gradus_arrays *arrays;
    size_t first, end, features;
    float *room; /* of row `first` */
} filling;

/* One forest on its way through the device. */
typedef struct streaming {
    const gr_score_device *does;
    gr_score_run *scoring;
    const gradus_arrays *arrays;
    const gradus_context *context;
    size_t features, outputs, batch;
    double *to; /* outputs x all rows */
} streaming;

static void fill_some(void *argument, size_t index, size_t worker)
{
    const filling *work = argument;
    const size_t from = work->first + index * FILL_ROWS;
    const size_t to = work->end - from < FILL_ROWS ? work->end : from + FILL_ROWS;
    float *room = work->room + (from - work->first) * work->features;

    (void)worker;
    if (!gr_block_in_place(work->arrays, work->features))
        memset(room, 0, (to - from) * work->features * sizeof *room);
    gr_block_fill(work->arrays, from, to, work->features, room);
}

static size_t batch_end(const streaming *s, size_t first)
{
    return s->arrays->rows - first < s->batch ? s->arrays->rows : first + s->batch;
}

static gradus_status send(const streaming *s, size_t slot, size_t first, gradus_error *err)
{
    filling work = { .arrays = s->arrays,
                     .first = first,
                     .end = batch_end(s, first),
                     .features = s->features,
                     .room = s->does->room(s->scoring, slot) };

    gr_pool_run(gr_pool_of(s->context), (work.end - first + FILL_ROWS - 1) / FILL_ROWS, fill_some,
                &work);
    return s->does->start(s->scoring, slot, work.end - first, err);
}

static gradus_status receive(const streaming *s, size_t slot, size_t first, gradus_error *err)
{
    const size_t rows = batch_end(s, first) - first;
    const double *outputs;

    GR_TRY(s->does->finish(s->scoring, slot, &outputs, err));
    for (size_t k = 0; k < s->outputs; k++)
        memcpy(s->to + k * s->arrays->rows + first, outputs + k * rows, rows * sizeof *outputs);
    return GRADUS_OK;
}

static gradus_status stream(const streaming *s, gradus_error *err)
{
    const size_t count = (s->arrays->rows + s->batch - 1) / s->batch;

    /* batch i is sent before batch i - 1 is awaited */
    for (size_t i = 0; i <= count; i++) {
        if (i < count)
            GR_TRY(send(s, i % GR_SCORE_SLOTS, i * s->batch, err));
        if (i > 0)
            GR_TRY(receive(s, (i - 1) % GR_SCORE_SLOTS, (i - 1) * s->batch, err));
        GR_TRY(gr_progress(s->context, "scoring", (double)i / (double)(count + 1), err));
    }
    return GRADUS_OK;
}

static gradus_status run_forest(const gr_forest *forest, const gradus_arrays *arrays,
                                const gradus_context *context, double *to, gradus_error *err)
{
    const size_t fit = BATCH_BYTES / sizeof(float) / (forest->features ? forest->features : 1);
    streaming s = { .does = context->device->scoring,
                    .arrays = arrays,
                    .context = context,
                    .features = forest->features,
                    .outputs = forest->outputs,
                    .batch = fit < FILL_ROWS ? FILL_ROWS : fit,
                    .to = to };
    gr_score_forest described;

    s.batch = s.batch > arrays->rows ? arrays->rows : s.batch;
    GR_TRY(gr_score_forest_make(forest, 0, gr_forest_rounds(forest), &described, err));
    gradus_status status =
        s.does->open(context->device, &described.trees, s.batch, &s.scoring, err);

    gr_score_forest_free(&described);
    if (status == GRADUS_OK)
        status = stream(&s, err);
    s.does->close(s.scoring);
    return status;
}

/* Whether a node is a forest of the rows as they are. */
static bool can_run(const gradus_model *model, const gr_node *node)
{
    return node->kind == &gr_node_forest && !model->transform.transform && !node->transform &&
           !node->columns && gr_score_forest_fits(gr_forest_node_forest(node));
}

gradus_status gr_ready_start(gr_ready *ready, const gradus_model *model,
                             const gradus_arrays *arrays, const gradus_context *context,
                             gradus_error *err)
{
    gradus_status status = GRADUS_OK;

    *ready = (gr_ready){ .rows = arrays->rows };
    if (!context || !context->device || !context->device->scoring || !arrays->rows)
        return GRADUS_OK;
    ready->of = gr_new_array(model->node_count, sizeof *ready->of);
    if (!ready->of)
        return gr_fail_memory(err, "outputs");
    ready->nodes = model->node_count;
    for (size_t n = 0; n < model->node_count && status == GRADUS_OK; n++) {
        const gr_node *node = &model->nodes[n];
        size_t cells;

        if (!can_run(model, node))
            continue;
        const gr_forest *forest = gr_forest_node_forest(node);

        if (gr_size_times(forest->outputs, arrays->rows, &cells))
            ready->of[n] = gr_new_array(cells, sizeof *ready->of[n]);
        status = ready->of[n] ? run_forest(forest, arrays, context, ready->of[n], err)
                              : gr_fail_memory(err, "outputs");
    }
    return status;
}

void gr_ready_free(gr_ready *ready)
{
    for (size_t n = 0; n < ready->nodes; n++)
        free(ready->of[n]);
    free(ready->of);
    *ready = (gr_ready){ .of = NULL };
}

bool gr_ready_take(const gr_ready *ready, size_t n, size_t first, size_t rows, size_t outputs,
                   double *out)
{
    if (!ready || !ready->of || !ready->of[n])
        return false;
    for (size_t k = 0; k < outputs; k++)
        memcpy(out + k * rows, ready->of[n] + k * ready->rows + first, rows * sizeof *out);
    return true;
}
