/* SPDX-License-Identifier: Apache-2.0 */
/* e^-x of single numbers: the bits of LANED(exp_minus) in kernels/lanes.h and of
 * LANED(float_exp_minus) in kernels/float_lanes.h. */
#ifndef GR_PLUGINS_CUDA_EXP_BODY_H
#define GR_PLUGINS_CUDA_EXP_BODY_H

#include "kernels/exp_series.h"
#include "kernels/versions.h"
#include "portable.h"

GR_DEVICE double gr_exp_minus(double x)
{
    const double y = -x < -GR_EXP_LIMIT ? -GR_EXP_LIMIT : -x;
    const double rounded = GR_EXP_ROUNDED(y), r = GR_EXP_REST(y, rounded);

    return GR_EXP_SERIES(r) * gr_double_of_bits((gr_bits_of_double(rounded) + 1023) << 52);
}

GR_DEVICE float gr_float_exp_minus(float x)
{
    const float y = -x < GR_FLOAT_EXP_LEAST ? GR_FLOAT_EXP_LEAST : -x;
    const float rounded = GR_FLOAT_EXP_ROUNDED(y);
    const float k = rounded - 0x1.8p23f, r = GR_FLOAT_EXP_REST(y, k);

    return GR_FLOAT_EXP_SERIES(r) * gr_float_of_bits((gr_bits_of_float(rounded) + 127) << 23);
}

#endif
