/* SPDX-License-Identifier: Apache-2.0 */
/* Neural networks: storage, validation and scoring. */
#include "learners/net/net.h"

#include "data/row_blocks.h"
#include "kernels/axpy.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { BLOCK = 32 }; /* rows scored together */

static const float MAX_WEIGHT = 1e9f;

gradus_status gr_net_copy(const gr_net *from, gr_net *to, gradus_error *err)
{
    const size_t count = gr_net_count(from->features, from->units);
    float *weights = gr_new_array(count, sizeof *weights);

    *to = *from;
    to->weights = to->own = weights;
    if (!weights)
        return gr_fail_memory(err, "a net");
    memcpy(weights, from->weights, count * sizeof *weights);
    return GRADUS_OK;
}

void gr_net_free(gr_net *net)
{
    free(net->own);
    *net = (gr_net){ .features = 0 };
}

static gr_layer layer_of(const gr_net *net)
{
    const size_t pitch = gr_net_pitch(net->units);
    const float *biases = net->weights + net->features * pitch;

    return (gr_layer){ .features = net->features,
                       .pitch = pitch,
                       .activation = (gr_activation)net->activation,
                       .weights = net->weights,
                       .biases = biases,
                       .output = biases + pitch };
}

gradus_status gr_net_check(const gr_net *net, gradus_error *err)
{
    const float *weights = net->weights;
    const size_t count = gr_net_count(net->features, net->units), pitch = gr_net_pitch(net->units);

    for (size_t i = 0; i < count; i++) {
        if (!(fabsf(weights[i]) <= MAX_WEIGHT))
            return gr_fail(err, GRADUS_BAD_FORMAT, "a weight is not a finite number up to %g",
                           (double)MAX_WEIGHT);
        if (i < count - 1 && (pitch ? i % pitch >= net->units : i >= net->features) &&
            weights[i] != 0.0f)
            return gr_fail(err, GRADUS_BAD_FORMAT, "a weight past the last %s is not 0",
                           pitch ? "unit" : "feature");
    }
    return GRADUS_OK;
}

void gr_net_importance(const gr_net *net, double *sizes, uint64_t *ways)
{
    const gr_layer layer = layer_of(net);

    for (size_t f = 0; f < net->features; f++) {
        double size = net->units ? 0.0 : fabs((double)net->weights[f]);
        uint64_t count = !net->units && net->weights[f] != 0.0f;

        for (size_t h = 0; h < net->units; h++) {
            const double way = (double)layer.weights[f * layer.pitch + h] * (double)layer.output[h];

            size += fabs(way);
            count += way != 0.0;
        }
        if (sizes)
            sizes[f] = size;
        if (ways)
            ways[f] = count;
    }
}

size_t gr_net_scratch(const gr_net *net)
{
    return BLOCK * (net->features + gr_net_pitch(net->units) + 1) * sizeof(float);
}

/* Copies the rows, with values that are not finite as 0. */
static void clean(const float *values, size_t rows, size_t stride, size_t features, float *room)
{
    for (size_t r = 0; r < rows; r++)
        for (size_t f = 0; f < features; f++) {
            const float value = values[r * stride + f];

            room[r * features + f] = fabsf(value) <= 3.4028235e38f ? value : 0.0f;
        }
}

void gr_net_run(const gr_net *net, const float *values, size_t rows, size_t stride, double *scores,
                void *scratch)
{
    const gr_layer layer = layer_of(net);
    const gr_net_kernels *kernels = gr_net_layers_here();
    const gr_float_rows *row_kernels = gr_float_rows_here();
    const double base = (double)net->weights[gr_net_count(net->features, net->units) - 1];
    float *units = scratch, *few = units + BLOCK * layer.pitch, *room = few + BLOCK;

    for (size_t first = 0; first < rows; first += BLOCK) {
        const size_t count = rows - first < BLOCK ? rows - first : BLOCK;

        clean(values + first * stride, count, stride, net->features, room);
        if (net->units)
            kernels->forward(&layer, room, count, net->features, units, few);
        for (size_t r = 0; r < count && !net->units; r++)
            few[r] = row_kernels->dot(room + r * net->features, net->weights, net->features);
        for (size_t r = 0; r < count; r++)
            scores[first + r] = base + (double)few[r];
    }
}

typedef struct scoring {
    const gr_net *net;
    double *scores;
} scoring;

static void score_block(void *argument, const gr_row_block *block)
{
    const scoring *work = argument;

    gr_net_run(work->net, block->values, block->rows, block->stride, work->scores + block->first,
               block->scratch);
}

gradus_status gr_net_score(const gr_net *net, const gradus_dataset *data, double *scores,
                           gr_pool *pool, gradus_error *err)
{
    const gr_row_loop loop = { .arrays = &data->arrays,
                               .features = net->features,
                               .rows = gr_block_rows(net->features),
                               .scratch = gr_net_scratch(net) };
    scoring work = { net, scores };

    return gr_for_row_blocks(pool, &loop, score_block, &work, err);
}
