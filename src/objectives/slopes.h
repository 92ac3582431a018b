/* SPDX-License-Identifier: Apache-2.0 */
/* The slopes of the regression losses: the derivative by the score of a row, from score - target
 * (`off`) and the loss's number. Devices compile them too. */
#ifndef GR_OBJECTIVES_SLOPES_H
#define GR_OBJECTIVES_SLOPES_H

#include "base/device_code.h"

GR_DEVICE double gr_slope_squared(double off, double none)
{
    (void)none;
    return off;
}

GR_DEVICE double gr_slope_absolute(double off, double none)
{
    (void)none;
    return off > 0.0 ? 1.0 : off < 0.0 ? -1.0 : 0.0;
}

GR_DEVICE double gr_slope_huber(double off, double delta)
{
    return off > delta ? delta : off < -delta ? -delta : off;
}

GR_DEVICE double gr_slope_quantile(double off, double quantile)
{
    return off > 0.0 ? 1.0 - quantile : off < 0.0 ? -quantile : 0.0;
}

#endif
