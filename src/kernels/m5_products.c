/* SPDX-License-Identifier: Apache-2.0 */
/* Compiles gr_m5_products_kernel for each vector width. */
#include "kernels/m5_products.h"

#define BODY "kernels/m5_products_body.h"
#include "kernels/every_version.h"
