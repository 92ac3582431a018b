/* SPDX-License-Identifier: Apache-2.0 */
/* The metric of tuning and automatic training, with its gains. */
#include "experiments/metric_choice.h"

#include "base/error.h"
#include "base/text.h"
#include "experiments/helpers.h"

#include <stdio.h>
#include <string.h>

gradus_status gr_metric_choice_check(const char *metric, gradus_error *err)
{
    gradus_metric_facts facts;

    /* NOLINTNEXTLINE(clang-analyzer-core.NonNullParamChecker): options have values */
    if (strchr(metric, ','))
        return gr_fail(err, GRADUS_BAD_ARGUMENT, "'metric' takes one metric, not '%.60s'", metric);
    GR_TRY(gradus_metric_describe(metric, &facts, err));
    return facts.geometric ? gr_fail(err, GRADUS_BAD_ARGUMENT,
                                     "'%.60s' is a geometric mean, but tuning averages and tests "
                                     "the values of queries: use map",
                                     metric)
                           : GRADUS_OK;
}

static gradus_status put_gains(const gr_metric_choice *choice, bool chosen, bool linear,
                               gr_chosen_gains *gains, gradus_error *err)
{
    if (strlen(choice->label_gain) + sizeof "label-gain=" > sizeof gains->words)
        return gr_fail(err, GRADUS_BAD_ARGUMENT, "--label-gain is too long: at most %zu characters",
                       sizeof gains->words - sizeof "label-gain=");
    if (*choice->label_gain)
        snprintf(gains->words, sizeof gains->words, "label-gain=%s", choice->label_gain);
    else if (chosen || linear)
        snprintf(gains->words, sizeof gains->words, "gain=%s", linear ? "linear" : "exp");
    if (*gains->words)
        snprintf(gains->convention, sizeof gains->convention, "%s, %.*s %s", choice->convention,
                 (int)strcspn(gains->words, "="), gains->words, strchr(gains->words, '=') + 1);
    return GRADUS_OK;
}

gradus_status gr_metric_choice_gains(const gradus_context *context, const gr_metric_choice *choice,
                                     gr_chosen_gains *gains, gradus_error *err)
{
    const bool chosen = strcmp(choice->rule, "method") != 0 || *choice->label_gain;
    const bool linear =
        strcmp(choice->rule, "linear") == 0 ||
        (!chosen && !choice->convention_given && choice->labels == GRADUS_LABELS_NUMBERS);
    gradus_metric_facts metric;

    *gains = (gr_chosen_gains){ .words = "" };
    gr_text_copy(gains->convention, sizeof gains->convention, choice->convention, "");
    GR_TRY(gradus_metric_describe(choice->metric, &metric, err));
    if (!metric.uses_gains)
        return chosen ? gr_fail(err, GRADUS_BAD_ARGUMENT,
                                "--gain and --label-gain apply to metrics with gains, not to "
                                "'%.60s'",
                                choice->metric)
                      : GRADUS_OK;
    GR_TRY(put_gains(choice, chosen, linear, gains, err));
    if (linear && !chosen)
        gr_send_note(context, "the labels are not whole numbers: gains are linear in %s",
                     choice->metric);
    return GRADUS_OK;
}
