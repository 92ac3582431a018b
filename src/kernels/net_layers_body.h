/* SPDX-License-Identifier: Apache-2.0 */
/* gr_net_kernels over vectors of 2 * WIDTH floats; see net_layers.h. */
#include "kernels/float_lanes.h"

/* PARTS vectors hold GR_UNITS units; TALL such sums fit the registers. */
/* NOLINTNEXTLINE(bugprone-branch-clone): WIDTH may be 2 */
enum { LANED(PARTS) = 8 / WIDTH, LANED(TALL) = WIDTH < 4 ? 2 : WIDTH };

LANED_INLINE floats LANED(float_load)(const float *from)
{
    floats all;

    memcpy(&all, from, sizeof all);
    return all;
}

LANED_INLINE void LANED(float_store)(float *to, floats all)
{
    memcpy(to, &all, sizeof all);
}

/* tanh(x) = (1 - e) / (1 + e) with e = e^(-2|x|), times the sign of x. The error is at most 2e-7;
 * beyond |x| = 20 the result is 1 or -1, and NAN stays NAN. */
LANED_INLINE floats LANED(tanh)(floats x)
{
    const floats e = LANED(float_exp_minus)(2.0f * LANED(float_size)(x));

    return (floats)((marks)((1.0f - e) / (1.0f + e)) | ((marks)x & INT32_MIN));
}

/* Computes GR_UNITS units of `tall` rows, at most TALL. */
LANED_INLINE void LANED(forward_tile)(const gr_layer *layer, size_t h, const float *values,
                                      size_t stride, int tall, float *units)
{
    floats sums[LANED(TALL)][LANED(PARTS)];

    for (int i = 0; i < tall; i++)
        for (int part = 0; part < LANED(PARTS); part++)
            sums[i][part] = LANED(float_load)(layer->biases + h + part * LANED(FLOATS));
    for (size_t f = 0; f < layer->features; f++) {
        const float *weights = layer->weights + f * layer->pitch + h;

        for (int part = 0; part < LANED(PARTS); part++) {
            const floats few = LANED(float_load)(weights + part * LANED(FLOATS));

            for (int i = 0; i < tall; i++)
                sums[i][part] += values[(size_t)i * stride + f] * few;
        }
    }
    for (int i = 0; i < tall; i++)
        for (int part = 0; part < LANED(PARTS); part++) {
            const floats sum = sums[i][part], none = { 0.0f };

            LANED(float_store)
            (units + (size_t)i * layer->pitch + h + part * LANED(FLOATS),
             layer->activation == GR_RELU ? LANED(float_choose)(sum > none, sum, none)
                                          : LANED(tanh)(sum));
        }
}

LANED_INLINE float LANED(score)(const gr_layer *layer, const float *units)
{
    floats parts[LANED(PARTS)];
    float sums[GR_UNITS];

    for (int part = 0; part < LANED(PARTS); part++)
        parts[part] = (floats){ 0.0f };
    for (size_t h = 0; h < layer->pitch; h += GR_UNITS)
        for (int part = 0; part < LANED(PARTS); part++)
            parts[part] += LANED(float_load)(units + h + part * LANED(FLOATS)) *
                           LANED(float_load)(layer->output + h + part * LANED(FLOATS));
    memcpy(sums, parts, sizeof sums);
    for (int half = GR_UNITS / 2; half > 0; half /= 2)
        for (int l = 0; l < half; l++)
            sums[l] += sums[l + half];
    return sums[0];
}

TARGET static void LANED(forward)(const gr_layer *layer, const float *values, size_t rows,
                                  size_t stride, float *units, float *scores)
{
    const size_t whole = rows / LANED(TALL) * LANED(TALL);

    for (size_t r = 0; r < whole; r += LANED(TALL))
        for (size_t h = 0; h < layer->pitch; h += GR_UNITS)
            LANED(forward_tile)
    (layer, h, values + r * stride, stride, LANED(TALL), units + r * layer->pitch);
    for (size_t r = whole; r < rows; r++)
        for (size_t h = 0; h < layer->pitch; h += GR_UNITS)
            LANED(forward_tile)(layer, h, values + r * stride, stride, 1, units + r * layer->pitch);
    for (size_t r = 0; r < rows; r++)
        scores[r] = LANED(score)(layer, units + r * layer->pitch);
}

/* Backpropagates one row through the activation: units become derivatives by their inputs, and the
 * derivatives by the output and biases are added to the sums. */
LANED_INLINE void LANED(bend)(const gr_layer *layer, float slope, float *units,
                              const gr_layer_sums *sums)
{
    const floats none = { 0.0f }, one = none + 1.0f;

    for (size_t h = 0; h < layer->pitch; h += LANED(FLOATS)) {
        const floats unit = LANED(float_load)(units + h);
        const floats bend = layer->activation == GR_RELU
                                ? LANED(float_choose)(unit > none, one, none)
                                : 1.0f - unit * unit;
        const floats back = slope * LANED(float_load)(layer->output + h) * bend;

        LANED(float_store)(sums->output + h, LANED(float_load)(sums->output + h) + slope * unit);
        LANED(float_store)(sums->biases + h, LANED(float_load)(sums->biases + h) + back);
        LANED(float_store)(units + h, back);
    }
}

/* Adds the derivatives by the weights of `tall` features, at most TALL, and GR_UNITS units, over
 * all rows. */
LANED_INLINE void LANED(backward_tile)(const gr_layer *layer, const float *values, size_t rows,
                                       size_t stride, int tall, const float *units, float *sums)
{
    floats tile[LANED(TALL)][LANED(PARTS)];

    for (int i = 0; i < tall; i++)
        for (int part = 0; part < LANED(PARTS); part++)
            tile[i][part] =
                LANED(float_load)(sums + (size_t)i * layer->pitch + part * LANED(FLOATS));
    for (size_t r = 0; r < rows; r++)
        for (int part = 0; part < LANED(PARTS); part++) {
            const floats few = LANED(float_load)(units + r * layer->pitch + part * LANED(FLOATS));

            for (int i = 0; i < tall; i++)
                tile[i][part] += values[r * stride + (size_t)i] * few;
        }
    for (int i = 0; i < tall; i++)
        for (int part = 0; part < LANED(PARTS); part++)
            LANED(float_store)
    (sums + (size_t)i * layer->pitch + part * LANED(FLOATS), tile[i][part]);
}

TARGET static void LANED(backward)(const gr_layer *layer, const float *values, size_t rows,
                                   size_t stride, float *units, const float *slopes,
                                   const gr_layer_sums *sums)
{
    const size_t whole = layer->features / LANED(TALL) * LANED(TALL);

    for (size_t r = 0; r < rows; r++)
        LANED(bend)(layer, slopes[r], units + r * layer->pitch, sums);
    for (size_t h = 0; h < layer->pitch; h += GR_UNITS) {
        for (size_t f = 0; f < whole; f += LANED(TALL))
            LANED(backward_tile)
        (layer, values + f, rows, stride, LANED(TALL), units + h,
         sums->weights + f * layer->pitch + h);
        for (size_t f = whole; f < layer->features; f++)
            LANED(backward_tile)
        (layer, values + f, rows, stride, 1, units + h, sums->weights + f * layer->pitch + h);
    }
}

const gr_net_kernels LANED(gr_net_layers) = { LANED(forward), LANED(backward) };

#include "kernels/lanes_end.h"
