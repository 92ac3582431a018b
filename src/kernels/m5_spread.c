/* SPDX-License-Identifier: Apache-2.0 */
/* Compiles gr_m5_spread_kernel for each vector width. */
#include "kernels/m5_spread.h"

#define WIDTH 2
#define TARGET
#include "kernels/m5_spread_body.h"

double gr_m5_fifth_root(double x)
{
    return fifth_root_2((lanes_2){ x, x })[0];
}

#if defined(__x86_64__)
#define WIDTH 4
#define TARGET GR_TARGET_4
#include "kernels/m5_spread_body.h"

#define WIDTH 8
#define TARGET GR_TARGET_8
#include "kernels/m5_spread_body.h"
#endif
