/* SPDX-License-Identifier: Apache-2.0 */
/* Kernel: sums over rows of products of columns. */
#ifndef GR_LEARNERS_M5_M5_PRODUCTS_H
#define GR_LEARNERS_M5_M5_PRODUCTS_H

#include "kernels/versions.h"

enum { GR_M5_TILE = 8, GR_M5_PANEL = 32 };

/* products[i * width + j] += sum over r of left[r * width + i] * right[r * width + j], summed in
 * row order, for all j >= i (and some j < i). left, right: [rows x width]; products: [width x
 * width]; width is a multiple of GR_M5_TILE. */
typedef void gr_m5_products_kernel(const double *left, const double *right, size_t rows,
                                   size_t width, double *products);
extern gr_m5_products_kernel *const gr_m5_products_kernels[GR_VERSIONS];

#endif
