/* SPDX-License-Identifier: Apache-2.0 */
/* Minimisation of smooth functions of up to a few hundred variables. */
#ifndef GR_CALIBRATION_DESCEND_H
#define GR_CALIBRATION_DESCEND_H

#include "base/pool.h"

/* Returns the value at x and fills the gradient. */
typedef double (*gr_smooth)(const void *task, const double *x, double *gradient);

/* Minimises f from x by BFGS with step halving, for at most `most` steps or until the gradient
 * vanishes. *value: the value at the final x. asked: polled for cancellation. */
gradus_status gr_descend(gr_smooth f, const void *task, double *x, size_t n, size_t most,
                         gr_pool *asked, double *value, gradus_error *err);

#endif
