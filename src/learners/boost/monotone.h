/* SPDX-License-Identifier: Apache-2.0 */
/* Outputs that may only rise, or only fall, with a feature. */
#ifndef GR_LEARNERS_BOOST_MONOTONE_H
#define GR_LEARNERS_BOOST_MONOTONE_H

#include "learners/tree/tree.h"

/* Reads "3:+,price:-" (features as the user names them) into one sign a feature: 1 rising, -1
 * falling, 0 free. *signs is NULL for an empty text; end with free(). */
gradus_status gr_monotone_parse(const char *text, const gradus_dataset *data, int8_t **signs,
                                gradus_error *err);

/* Moves the values of leaves as little as needs be so that no leaf left of a split on a feature
 * with a sign is on the wrong side of a leaf right of it. covers: rows of each leaf. scratch: 4
 * numbers a leaf. */
void gr_monotone_clamp(const gr_grown *grown, const int8_t *signs, double *values, double *scratch);

#endif
