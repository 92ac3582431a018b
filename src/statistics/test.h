/* SPDX-License-Identifier: Apache-2.0 */
/* The interface of a significance test: two systems measured on the same queries. */
#ifndef GR_STATISTICS_TEST_H
#define GR_STATISTICS_TEST_H

#include "base/pool.h"
#include "base/table.h"

/* Values of system a and system b, query by query, all finite; at least one query. */
typedef struct gr_pairs {
    const double *a, *b;
    const double *differences; /* b - a */
    size_t count;
} gr_pairs;

typedef struct gr_test_settings {
    bool one_sided;     /* the alternative is that b is better; else that they differ */
    double confidence;  /* of the interval, in (0, 1) */
    uint64_t resamples; /* at least 1 */
    uint64_t seed;
    gr_pool *pool;
} gr_test_settings;

typedef struct gr_verdict {
    double statistic; /* NAN where the test has none */
    double freedom;   /* degrees of freedom; NAN where the test has none */
    double p;         /* NAN where there are too few queries to tell */
    double low, high; /* two-sided interval of the mean difference, whatever the alternative */
} gr_verdict;

typedef struct gr_test {
    gr_about about;
    gradus_status (*run)(const gr_pairs *pairs, const gr_test_settings *settings,
                         gr_verdict *verdict, gradus_error *err);
} gr_test;

#define GR_TEST(name) extern const gr_test gr_test_##name;
#include "statistics/tests.def"
#undef GR_TEST

extern const gr_test *const gr_tests[];   /* every test, in the order of tests.def; NULL ends it */
extern const char *const gr_test_names[]; /* their names; NULL ends it */
const gr_about *gr_tests_at(size_t index);

#endif
