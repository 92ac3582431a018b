/* SPDX-License-Identifier: Apache-2.0 */
/* Two systems that R, Python and C generate identically, for tests of statistics. In R:
 *   a <- function(n) ((37*(1:n)) %% 101)/101;  b <- function(n) ((53*(1:n)+11) %% 97)/97
 *   ta <- function(n) ((37*(1:n)) %% 11)/8;    tb <- function(n) ((53*(1:n)+3) %% 13)/8
 *   far <- function(n) a(n) + ((53*(1:n)) %% 97)/97 - 0.25 */
#ifndef GR_TESTS_SAMPLE_SYSTEMS_H
#define GR_TESTS_SAMPLE_SYSTEMS_H

#include "checks.h"

#include "gradus.h"
#include "statistics/test.h"

#include <string.h>

enum { MAX_QUERIES = 4000 };

typedef struct systems {
    double a[MAX_QUERIES], b[MAX_QUERIES];
    size_t count;
} systems;

void make_smooth(systems *s, size_t n);

void make_tied(systems *s, size_t n);

void make_far(systems *s, size_t n);

void make_from(systems *s, const double *differences, size_t n);

gr_test_settings settings_of(bool one_sided);

gr_verdict run_with(const gr_test *test, const systems *s, const gr_test_settings *settings);

gr_verdict run_one(const gr_test *test, const systems *s, bool one_sided);

#endif
