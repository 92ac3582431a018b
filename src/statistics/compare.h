/* SPDX-License-Identifier: Apache-2.0 */
/* Every pair of several systems, tested over the queries that both have a value for. */
#ifndef GR_STATISTICS_COMPARE_H
#define GR_STATISTICS_COMPARE_H

#include "base/param.h"
#include "base/pool.h"

typedef struct gr_compare_options {
    int test;  /* position in gr_tests */
    int sided; /* 0: two-sided, 1: one-sided */
    double confidence;
    uint64_t resamples;
    uint64_t seed;
} gr_compare_options;

extern const gr_operation gr_operation_compare;

/* values[s][q]: system s on query q; NAN leaves the query out. Makes systems * (systems - 1) / 2
 * contrasts: (0, 1), (0, 2), ..., (1, 2), ...; end with free(). */
gradus_status gr_compare(gr_pool *pool, size_t systems, size_t queries, const double *const *values,
                         const gr_compare_options *options, gradus_contrast **contrasts,
                         size_t *count, gradus_error *err);

#endif
