/* SPDX-License-Identifier: Apache-2.0 */
/* The inner loops of nets: rows through a layer of units, and back. Units lie in lanes of GR_UNITS
 * and every sum runs over features, or over rows, in ascending order, so that every version gives
 * the same bits, however rows are cut into blocks. No product is fused with a sum. */
#ifndef GR_KERNELS_NET_H
#define GR_KERNELS_NET_H

#include "kernels/versions.h"

enum { GR_UNITS = 16 };

typedef enum gr_activation { GR_TANH, GR_RELU } gr_activation;

/* A layer of units and the output above it. Units past the last have only zeros. */
typedef struct gr_layer {
    size_t features, pitch; /* pitch: units, a multiple of GR_UNITS */
    gr_activation activation;
    const float *weights; /* features x pitch */
    const float *biases;  /* pitch */
    const float *output;  /* pitch */
} gr_layer;

/* units (rows x pitch) = activation(biases + values x weights), values `stride` floats apart, all
 * finite; scores = units x output: lane l over the units l, l + GR_UNITS, ..., then in halves. */
typedef void gr_net_forward(const gr_layer *layer, const float *values, size_t rows, size_t stride,
                            float *units, float *scores);
/* units as forward left them become the slopes at what they sum, for slopes of the scores. All
 * sums are added to. */
typedef struct gr_layer_sums {
    float *weights, *biases, *output;
} gr_layer_sums;
typedef void gr_net_backward(const gr_layer *layer, const float *values, size_t rows, size_t stride,
                             float *units, const float *slopes, const gr_layer_sums *sums);

typedef struct gr_net_kernels {
    gr_net_forward *forward;
    gr_net_backward *backward;
} gr_net_kernels;

extern const gr_net_kernels *const gr_net_versions[GR_VERSIONS];
/* The reference: the same sums in plain C; only its tanh is the C library's. */
extern const gr_net_kernels gr_net_plain;

static inline const gr_net_kernels *gr_net_fastest(void)
{
    return gr_net_versions[gr_versions_here() - 1];
}

#endif
