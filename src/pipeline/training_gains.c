/* SPDX-License-Identifier: Apache-2.0 */
/* Gains of labels, in the loss and in the metric: as chosen by the user, or as the labels allow.
 * Exponential gains need grades; other labels get linear gains. */
#include "metrics/gains.h"

#include "data/row_names.h"
#include "objectives/objective_lambdarank.h"
#include "pipeline/train.h"

#include <math.h>
#include <string.h>

bool gr_is_gain_option(const char *name)
{
    return strcmp(name, "gain") == 0 || strcmp(name, "label-gain") == 0;
}

/* Whether the loss uses gains under these options. */
static bool loss_uses_gains(const gradus_training *t)
{
    return t->ranker->gains != GR_GAINS_NONE && !t->input.objective &&
           t->options.boost.objective.lambda_metric == GR_LAMBDA_NDCG;
}

/* Whether the validation metric uses gains, or the metric that a method optimises directly. */
static gradus_status measures_gains(const gradus_training *t, bool *uses, gradus_error *err)
{
    *uses = false;
    if (!t->input.metric)
        GR_TRY(gr_metric_uses_gains(t->options.metric, uses, err));
    return *uses || !*t->options.weak.metric
               ? GRADUS_OK
               : gr_metric_uses_gains(t->options.weak.metric, uses, err);
}

static gradus_status choose(gradus_training *t, const char *name, const char *value,
                            gradus_error *err)
{
    GR_TRY(gr_options_set(t->given, name, value, err));
    return gr_options_get(t->given, &gr_operation_train, &t->options, err);
}

static gr_label_use use_of(const gradus_dataset *data)
{
    return gr_labels_use(data->arrays.labels, data->arrays.rows);
}

/* Defaults for labels that are not grades. With negative labels there is no NDCG, so RMSE is the
 * metric. measured: the metric uses gains. */
static gradus_status default_gains(gradus_training *t, bool measured, gradus_error *err)
{
    const gr_label_use train = use_of(t->train);
    const gr_label_use valid = t->valid ? use_of(t->valid) : GR_LABELS_ARE_GRADES;
    const gr_label_use use = train > valid ? train : valid;

    if (use == GR_LABELS_ARE_GRADES)
        return GRADUS_OK;
    if (use == GR_LABELS_ARE_OTHER)
        return t->input.metric || gr_options_given(t->given, "metric")
                   ? GRADUS_OK
                   : choose(t, "metric", "rmse", err);
    if (gr_options_given(t->given, "convention")) { /* it sets the metric's gains */
        t->options.gains.rule = GR_GAINS_LINEAR;
        return GRADUS_OK;
    }
    if (!measured && !loss_uses_gains(t))
        return GRADUS_OK;
    gr_note(t->context, "the labels are not whole numbers: gains are linear%s%s",
            measured ? " in " : "", measured ? t->options.metric : "");
    return choose(t, "gain", "linear", err);
}

/* Checks that the loss has a gain for every training label. */
static gradus_status check_labels(const gradus_training *t, gradus_error *err)
{
    const gradus_arrays *a = &t->train->arrays;
    const gr_gains *gains = &t->gains;

    if (gains->rule == GR_GAIN_EXP && t->ranker->gains == GR_GAINS_EXP)
        return gr_dataset_check_grades(t->train, 1023.0, err);
    for (size_t r = 0; r < a->rows; r++) {
        const double label = (double)a->labels[r];
        const unsigned long long row = (unsigned long long)gr_file_row(t->train, r) + 1;

        if (gains->rule == GR_GAIN_TABLE &&
            !(label >= 0.0 && label < (double)gains->count && label == floor(label)))
            return gr_fail(
                err, GRADUS_BAD_NUMBER,
                "row %llu: label %g has no gain: --label-gain gives those of the whole numbers "
                "from 0 to %zu",
                row, label, gains->count - 1);
        if (gains->rule == GR_GAIN_LINEAR && t->ranker->gains == GR_GAINS_EXP && !(label >= 0.0))
            return gr_fail(err, GRADUS_BAD_NUMBER,
                           "row %llu: label %g is negative: linear gain takes labels from 0 up",
                           row, label);
    }
    return GRADUS_OK;
}

gradus_status gr_training_configure_gains(gradus_training *t, gradus_error *err)
{
    const bool rule = gr_options_given(t->given, "gain");
    bool measured;

    GR_TRY(measures_gains(t, &measured, err));
    if (!rule && !gr_options_given(t->given, "label-gain"))
        GR_TRY(default_gains(t, measured, err));
    else if (!measured && !loss_uses_gains(t))
        return gr_fail(
            err, GRADUS_BAD_ARGUMENT,
            "--%s is for lambdamart, lambdarank and listnet, and for metrics with gains: "
            "neither '%s' nor %.60s uses them",
            rule ? "gain" : "label-gain", t->ranker->about.name, t->options.metric);
    GR_TRY(gr_gains_choose(&t->options.gains, t->ranker->gains, &t->label_gains, &t->gains, err));
    return loss_uses_gains(t) ? check_labels(t, err) : GRADUS_OK;
}
