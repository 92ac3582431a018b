/* SPDX-License-Identifier: Apache-2.0 */
/* Helpers shared by the tests: moments of a sample, the t interval and bootstrap means. */
#ifndef GR_STATISTICS_SAMPLE_H
#define GR_STATISTICS_SAMPLE_H

#include "statistics/test.h"

typedef struct gr_moments {
    double mean;
    double deviation; /* standard deviation, with divisor count - 1; NAN for a single value */
} gr_moments;

gr_moments gr_moments_of(const double *values, size_t count);

/* The p-value of the two tails: the upper one if one-sided, else twice the smaller, at most 1. */
double gr_p_of_tails(double lower, double upper, bool one_sided);

/* Fills the statistic, degrees of freedom, p and the interval from an estimate and its standard
 * error. An error of 0 gives an infinite statistic and p = 0, or p = 1 if the estimate is 0 too. */
void gr_student_verdict(double estimate, double error, double freedom,
                        const gr_test_settings *settings, gr_verdict *verdict);

/* The paired t test; wilcoxon uses its interval too. */
void gr_paired_t(const gr_pairs *pairs, const gr_test_settings *settings, gr_verdict *verdict);

/* Means of bootstrap samples of the values, drawn with replacement. means: [settings->resamples].
 * Resample r depends only on (seed, r). */
gradus_status gr_bootstrap_means(const double *values, size_t count,
                                 const gr_test_settings *settings, double *means,
                                 gradus_error *err);

/* The central `confidence` part of the means (quantiles of R's type 7); NAN for a single query. */
gradus_status gr_percentile_interval(const double *means, const gr_pairs *pairs,
                                     const gr_test_settings *settings, gr_verdict *verdict,
                                     gradus_error *err);

/* Sums closer than this count as equal, so that rounding does not decide between sums that are
 * mathematically equal: 1e-12 times the sum of absolute values. */
double gr_rounding_slack(const double *values, size_t count);

#endif
