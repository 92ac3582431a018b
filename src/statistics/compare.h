/* SPDX-License-Identifier: Apache-2.0 */
/* Tests all pairs of several systems, each over the queries for which both have a value.
 *
 * How the files work together: compare.c collects the values of two systems and runs the selected
 * test (test.h; tests.def lists them: t.c, welch.c, wilcoxon.c, randomization.c, bootstrap.c),
 * which share the helpers of sample.c; multiple.c then corrects the p-values for the number of
 * comparisons. */
#ifndef GR_STATISTICS_COMPARE_H
#define GR_STATISTICS_COMPARE_H

#include "base/param.h"
#include "base/pool.h"

typedef struct gr_compare_options {
    int test;  /* index in gr_tests */
    int sided; /* 0: two-sided, 1: one-sided */
    double confidence;
    uint64_t resamples;
    uint64_t seed;
} gr_compare_options;

extern const gr_operation gr_operation_compare;

/* values[s][q]: the value of system s for query q; NAN: the query is left out. Creates systems *
 * (systems - 1) / 2 contrasts in the order (0, 1), (0, 2), ..., (1, 2), ...; the caller frees
 * them. */
gradus_status gr_compare(gr_pool *pool, size_t systems, size_t queries, const double *const *values,
                         const gr_compare_options *options, gradus_contrast **contrasts,
                         size_t *count, gradus_error *err);

#endif
