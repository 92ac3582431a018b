/* SPDX-License-Identifier: Apache-2.0 */
/* Compiles gr_m5_spread_kernel for each vector width. */
#include "learners/m5/m5_spread.h"

#define WIDTH 2
#define TARGET
#include "learners/m5/m5_spread_body.h"

double gr_m5_fifth_root(double x)
{
    return fifth_root_2((lanes_2){ x, x })[0];
}

#if defined(__x86_64__)
#define WIDTH 4
#define TARGET GR_TARGET_4
#include "learners/m5/m5_spread_body.h"

#define WIDTH 8
#define TARGET GR_TARGET_8
#include "learners/m5/m5_spread_body.h"

gr_m5_spread_kernel *const gr_m5_spread_kernels[GR_VERSIONS] = { spreads_2, spreads_4, spreads_8 };
#else
gr_m5_spread_kernel *const gr_m5_spread_kernels[GR_VERSIONS] = { spreads_2 };
#endif
