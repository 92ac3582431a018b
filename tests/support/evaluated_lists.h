/* SPDX-License-Identifier: Apache-2.0 */
/* Small lists for tests of metrics, evaluated through the user's options. */
#ifndef GR_TESTS_EVALUATED_LISTS_H
#define GR_TESTS_EVALUATED_LISTS_H

#include "checks.h"

#include "base/rng.h"
#include "metrics/evaluate.h"

#include <stdlib.h>
#include <string.h>

enum { MAX_QUERIES = 64 };

/* Options as name, value pairs, NULL-terminated: OPTIONS("metric", "map", "ties", "input"). */
#define OPTIONS(...) ((const char *const[]){ __VA_ARGS__, NULL })

void evaluate(const gr_lists *lists, const char *const *options, gr_evaluation *evaluation);

/* The mean of the first metric. */
double mean_of(const gr_lists *lists, const char *const *options);

/* One list. */
double value_of(size_t count, const float *labels, const double *scores,
                const char *const *options);

void check_refused(const gr_lists *lists, const char *const *options, const char *message);

#endif
