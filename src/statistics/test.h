/* SPDX-License-Identifier: Apache-2.0 */
/* The interface of a significance test: two systems measured on the same queries. */
#ifndef GR_STATISTICS_TEST_H
#define GR_STATISTICS_TEST_H

#include "base/pool.h"
#include "base/table.h"

/* Values of systems a and b, [count] queries, all finite; at least one query. */
typedef struct gr_pairs {
    const double *a, *b;
    const double *differences; /* b - a */
    size_t count;
} gr_pairs;

typedef struct gr_test_settings {
    bool one_sided;     /* alternative: b is better; otherwise: a and b differ */
    double confidence;  /* confidence level of the interval, in (0, 1) */
    uint64_t resamples; /* at least 1 */
    uint64_t seed;
    gr_pool *pool;
} gr_test_settings;

typedef struct gr_verdict {
    double statistic; /* NAN: the test has none */
    double df;        /* degrees of freedom; NAN: the test has none */
    double p;         /* NAN: too few queries */
    double low, high; /* two-sided interval for the mean difference, also for one-sided tests */
} gr_verdict;

typedef struct gr_test {
    gr_about about;
    gradus_status (*run)(const gr_pairs *pairs, const gr_test_settings *settings,
                         gr_verdict *verdict, gradus_error *err);
} gr_test;

#define GR_TEST(name) extern const gr_test gr_test_##name;
#include "statistics/tests.def"
#undef GR_TEST

extern const gr_test *const gr_tests[]; /* all tests, in the order of tests.def; NULL-terminated */
extern const char *const gr_test_names[]; /* their names; NULL-terminated */

/* tests.c */
const gr_about *gr_tests_at(size_t index);

#endif
