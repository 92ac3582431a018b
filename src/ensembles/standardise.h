/* SPDX-License-Identifier: Apache-2.0 */
/* Scores standardised within a query: minus their mean, divided by their population standard
 * deviation. */
#ifndef GR_ENSEMBLES_STANDARDISE_H
#define GR_ENSEMBLES_STANDARDISE_H

#include <stddef.h>

/* Maps scores of a query to standardised ones. */
typedef struct gr_standard {
    double centre, unit; /* of the range of the scores; unit 0: they are constant */
    double mean, factor; /* of the scores relative to them */
} gr_standard;

/* Fits to the scores of one query. The range is scaled to [-1, 1] first, so that the sums of finite
 * scores do not overflow. */
gr_standard gr_standard_fit(const double *scores, size_t count);

/* 0 if the scores of the query are constant. */
static inline double gr_standardised(const gr_standard *s, double score)
{
    return s->unit > 0.0 ? ((score - s->centre) / s->unit - s->mean) * s->factor : 0.0;
}

#endif
