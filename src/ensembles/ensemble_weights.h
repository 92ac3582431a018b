/* SPDX-License-Identifier: Apache-2.0 */
/* Weights of the members of an ensemble: exponential weights (calibrated AdaBoost.MH) and
 * stacking. */
#ifndef GR_ENSEMBLES_ENSEMBLE_WEIGHTS_H
#define GR_ENSEMBLES_ENSEMBLE_WEIGHTS_H

#include "base/error.h"

/* weights[m] = e^(rate * values[m]), normalised to sum 1; relative to the largest value, so that no
 * rate overflows. */
void gr_exponential_weights(const double *values, size_t count, double rate, double *weights);
/* Least squares fit of y on columns ([count x rows]) and a constant. The constant is not among the
 * weights, since it does not affect a ranking. nonnegative: weights are constrained to be >= 0. */
gradus_status gr_stacking_weights(const double *columns, size_t count, const double *y, size_t rows,
                                  bool nonnegative, double *weights, gradus_error *err);

#endif
