/* SPDX-License-Identifier: Apache-2.0 */
/* Small lists for tests of metrics, evaluated through the user's options. */
#ifndef GR_TESTS_METRICS_HELP_H
#define GR_TESTS_METRICS_HELP_H

#include "check.h"

#include "base/rng.h"
#include "metrics/evaluate.h"

#include <stdlib.h>
#include <string.h>

enum { MAX_QUERIES = 64 };

/* Options as name, value pairs, NULL-terminated: OPTIONS("metric", "map", "ties", "input"). */
#define OPTIONS(...) ((const char *const[]){ __VA_ARGS__, NULL })

static inline gradus_status try_evaluate(const gr_lists *lists, const char *const *options,
                                         gr_evaluation *evaluation, gradus_error *err)
{
    gradus_options *set = gr_options_new(&gr_operation_evaluate, err);
    gr_evaluate_options chosen;
    gradus_status status = GRADUS_OK;

    assert_non_null(set);
    for (; options[0] && status == GRADUS_OK; options += 2)
        status = gr_options_set(set, options[0], options[1], err);
    if (status == GRADUS_OK)
        status = gr_options_get(set, &gr_operation_evaluate, &chosen, err);
    if (status == GRADUS_OK)
        status = gr_evaluate(lists, &chosen, NULL, evaluation, err);
    gr_options_free(set);
    return status;
}

static inline void evaluate(const gr_lists *lists, const char *const *options,
                            gr_evaluation *evaluation)
{
    gradus_error err = { GRADUS_OK, "" };

    if (try_evaluate(lists, options, evaluation, &err) != GRADUS_OK) {
        print_error("%s\n", err.message);
        fail();
    }
}

/* The mean of the first metric. */
static inline double mean_of(const gr_lists *lists, const char *const *options)
{
    gr_evaluation evaluation;
    double mean;

    evaluate(lists, options, &evaluation);
    mean = evaluation.values[0].mean;
    gr_evaluation_end(&evaluation);
    return mean;
}

/* One list. */
static inline double value_of(size_t count, const float *labels, const double *scores,
                              const char *const *options)
{
    const uint64_t starts[2] = { 0, count };
    const gr_lists lists = { .queries = 1, .starts = starts, .labels = labels, .scores = scores };

    return mean_of(&lists, options);
}

static inline void check_refused(const gr_lists *lists, const char *const *options,
                                 const char *message)
{
    gradus_error err = { GRADUS_OK, "" };
    gr_evaluation evaluation;

    assert_int_not_equal(try_evaluate(lists, options, &evaluation, &err), GRADUS_OK);
    assert_string_equal(err.message, message);
}

#endif
