/* SPDX-License-Identifier: Apache-2.0 */
/* Small lists for tests of metrics, evaluated through the user's options. */
#include "evaluated_lists.h"

#include <stdlib.h>
#include <string.h>

static gradus_status try_evaluate(const gr_lists *lists, const char *const *options,
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

void evaluate(const gr_lists *lists, const char *const *options, gr_evaluation *evaluation)
{
    gradus_error err = { GRADUS_OK, "" };

    if (try_evaluate(lists, options, evaluation, &err) != GRADUS_OK) {
        print_error("%s\n", err.message);
        fail();
    }
}

double mean_of(const gr_lists *lists, const char *const *options)
{
    gr_evaluation evaluation;
    double mean;

    evaluate(lists, options, &evaluation);
    mean = evaluation.values[0].mean;
    gr_evaluation_end(&evaluation);
    return mean;
}

double value_of(size_t count, const float *labels, const double *scores, const char *const *options)
{
    const uint64_t starts[2] = { 0, count };
    const gr_lists lists = { .queries = 1, .starts = starts, .labels = labels, .scores = scores };

    return mean_of(&lists, options);
}

void check_refused(const gr_lists *lists, const char *const *options, const char *message)
{
    gradus_error err = { GRADUS_OK, "" };
    gr_evaluation evaluation;

    assert_int_not_equal(try_evaluate(lists, options, &evaluation, &err), GRADUS_OK);
    assert_string_equal(err.message, message);
}
