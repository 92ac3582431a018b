/* SPDX-License-Identifier: Apache-2.0 */
/* Monotone constraints: features with which the output may only rise, or only fall. */
#ifndef GR_LEARNERS_BOOST_MONOTONE_H
#define GR_LEARNERS_BOOST_MONOTONE_H

#include "learners/tree/tree.h"

/* Parses "3:+,price:-" (features as the user names them) into one sign per feature: 1 rising, -1
 * falling, 0 unconstrained. *signs is NULL for an empty text; free with free(). */
gradus_status gr_monotone_parse(const char *text, const gradus_dataset *data, int8_t **signs,
                                gradus_error *err);

/* Clamps leaf values so that, at every split on a constrained feature, no leaf on the left violates
 * the order with any leaf on the right. scratch: 4 numbers per leaf. */
void gr_monotone_clamp(const gr_grown *grown, const int8_t *signs, double *values, double *scratch);

#endif
