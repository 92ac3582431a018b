/* SPDX-License-Identifier: Apache-2.0 */
/* The inner loops of neural nets: the forward and backward pass of a hidden layer. Units are
 * processed in groups of GR_UNITS lanes, and every sum runs over features, or over rows, in
 * ascending order, so that all versions give the same bits, whatever the block size. No product is
 * fused with a sum. */
#ifndef GR_KERNELS_NET_LAYERS_H
#define GR_KERNELS_NET_LAYERS_H

#include "kernels/versions.h"

enum { GR_UNITS = 16 };

typedef enum gr_activation { GR_TANH, GR_RELU } gr_activation;

/* A hidden layer and the output above it. Padding units have only zeros. */
typedef struct gr_layer {
    size_t features, pitch; /* pitch: units, padded to a multiple of GR_UNITS */
    gr_activation activation;
    const float *weights; /* features x pitch */
    const float *biases;  /* pitch */
    const float *output;  /* pitch */
} gr_layer;

/* units (rows x pitch) = activation(biases + values x weights); rows of values are `stride` floats
 * apart and finite. scores = units x output, where lane l sums over units l, l + GR_UNITS, ..., and
 * lanes are added by halving. */
typedef void gr_net_forward(const gr_layer *layer, const float *values, size_t rows, size_t stride,
                            float *units, float *scores);
/* Backpropagation. slopes: derivatives of the loss by the scores. units: in, the values of the
 * forward pass; out, the derivatives by the inputs of the units. The derivatives by the weights,
 * biases and output are added to sums. */
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
/* The reference: the same sums in plain C, but with the C library's tanh. */
extern const gr_net_kernels gr_net_plain;

static inline const gr_net_kernels *gr_net_fastest(void)
{
    return gr_net_versions[gr_versions_here() - 1];
}

#endif
