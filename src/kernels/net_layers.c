/* SPDX-License-Identifier: Apache-2.0 */
/* Forward and backward pass: the plain version; net_layers_body.h has the others. */
#include "kernels/net_layers.h"

#include <math.h>

#define BODY "kernels/net_layers_body.h"
#include "kernels/every_version.h"

const gr_net_kernels *const gr_net_versions[GR_VERSIONS] = GR_EVERY_VERSION(&kernels);

static float plain_score(const gr_layer *layer, const float *units)
{
    float lanes[GR_UNITS] = { 0.0f };

    for (size_t h = 0; h < layer->pitch; h++)
        lanes[h % GR_UNITS] += units[h] * layer->output[h];
    for (size_t half = GR_UNITS / 2; half > 0; half /= 2)
        for (size_t l = 0; l < half; l++)
            lanes[l] += lanes[l + half];
    return lanes[0];
}

static void plain_forward(const gr_layer *layer, const float *values, size_t rows, size_t stride,
                          float *units, float *scores)
{
    for (size_t r = 0; r < rows; r++, values += stride, units += layer->pitch) {
        for (size_t h = 0; h < layer->pitch; h++) {
            float sum = layer->biases[h];

            for (size_t f = 0; f < layer->features; f++)
                sum += values[f] * layer->weights[f * layer->pitch + h];
            units[h] = layer->activation == GR_RELU ? (sum > 0.0f ? sum : 0.0f) : tanhf(sum);
        }
        scores[r] = plain_score(layer, units);
    }
}

static void plain_backward(const gr_layer *layer, const float *values, size_t rows, size_t stride,
                           float *units, const float *slopes, const gr_layer_sums *sums)
{
    for (size_t r = 0; r < rows; r++, values += stride, units += layer->pitch)
        for (size_t h = 0; h < layer->pitch; h++) {
            const float unit = units[h];
            const float bend =
                layer->activation == GR_RELU ? (unit > 0.0f ? 1.0f : 0.0f) : 1.0f - unit * unit;

            sums->output[h] += slopes[r] * unit;
            units[h] = slopes[r] * layer->output[h] * bend;
            sums->biases[h] += units[h];
            for (size_t f = 0; f < layer->features; f++)
                sums->weights[f * layer->pitch + h] += values[f] * units[h];
        }
}

const gr_net_kernels gr_net_plain = { plain_forward, plain_backward };
