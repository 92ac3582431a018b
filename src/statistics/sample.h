/* SPDX-License-Identifier: Apache-2.0 */
/* What several tests share: moments of a sample, the t interval, and bootstrap means. */
#ifndef GR_STATISTICS_SAMPLE_H
#define GR_STATISTICS_SAMPLE_H

#include "statistics/test.h"

typedef struct gr_moments {
    double mean;
    double deviation; /* standard, over count - 1; NAN for a single value */
} gr_moments;

gr_moments gr_moments_of(const double *values, size_t count);

/* Fills p of an upper tail (one-sided) and a lower tail, as the settings ask. */
double gr_p_of_tails(double lower, double upper, bool one_sided);

/* Fills statistic, freedom, p and the interval from an estimate, its standard error and degrees of
 * freedom. An error of 0 gives an infinite statistic and p = 0, or p = 1 if the estimate is 0. */
void gr_student_verdict(double estimate, double error, double freedom,
                        const gr_test_settings *settings, gr_verdict *verdict);

/* The paired t test, which also gives wilcoxon its interval. */
void gr_paired_t(const gr_pairs *pairs, const gr_test_settings *settings, gr_verdict *verdict);

/* Means of samples of the values drawn with replacement; one for each resample. Resample r is a
 * function of (seed, r) only. means: settings->resamples numbers. */
void gr_bootstrap_means(const double *values, size_t count, const gr_test_settings *settings,
                        double *means);

/* The middle `confidence` part of the means (quantiles of R's type 7); NAN for a single query. */
gradus_status gr_percentile_interval(const double *means, const gr_pairs *pairs,
                                     const gr_test_settings *settings, gr_verdict *verdict,
                                     gradus_error *err);

/* Sums closer than this are one: rounding in the values must not decide a comparison of sums that
 * are equal on paper. A fixed part, 1e-12, of the sum of absolute values. */
double gr_rounding_slack(const double *values, size_t count);

#endif
