/* SPDX-License-Identifier: Apache-2.0 */
/* Weights of the members of an ensemble. */
#ifndef GR_ENSEMBLES_WEIGHTS_H
#define GR_ENSEMBLES_WEIGHTS_H

#include "base/error.h"

/* e^(rate * values), divided by their sum; computed from logs, so that no rate overflows. */
void gr_exponential_weights(const double *values, size_t count, double rate, double *weights);
/* Least squares of y on columns (count x rows) and a constant, which is left out of the weights:
 * those of a score have no use for it. nonnegative: none below 0. */
gradus_status gr_stacking_weights(const double *columns, size_t count, const double *y, size_t rows,
                                  bool nonnegative, double *weights, gradus_error *err);

#endif
