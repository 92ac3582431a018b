/* SPDX-License-Identifier: Apache-2.0 */
/* Compiles gr_m5_spread_kernel for each vector width. */
#include "kernels/m5_spread.h"

#define BODY "kernels/m5_spread_body.h"
#include "kernels/every_version.h"

double gr_m5_fifth_root(double x)
{
    return fifth_root_2((lanes_2){ x, x })[0];
}
