/* SPDX-License-Identifier: Apache-2.0 */
/* Compiles gr_m5_products_kernel for each vector width. */
#include "learners/m5/m5_products.h"

#define BODY "learners/m5/m5_products_body.h"
#include "kernels/every_version.h"

gr_m5_products_kernel *const gr_m5_products_kernels[GR_VERSIONS] = GR_EVERY_VERSION(products);
