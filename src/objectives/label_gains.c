/* SPDX-License-Identifier: Apache-2.0 */
/* The options --gain and --label-gain of training. */
#include "objectives/label_gains.h"

#include "metrics/gains.h"

#include <math.h>

static const char *const rules[] = { "method", "exp", "linear", NULL };

const gr_param gr_gain_params[] = {
    GR_PARAM_CHOICE(
        gr_gain_options, rule, "gain", "RULE", "method", rules,
        "gain of a label y in training (lambdamart, lambdarank, listnet) and in the metric; exp: "
        "2^y-1, linear: y, method: what the method and the convention define"),
    GR_PARAM_TEXT(gr_gain_options, label_gain, "label-gain", "LIST", "",
                  "comma-separated gains of labels 0, 1, ... (0,1,3,7,15); replaces --gain"),
    GR_PARAM_END,
};

gradus_status gr_gains_choose(const gr_gain_options *options, int usual, double **table,
                              gr_gains *gains, gradus_error *err)
{
    const int rule = options->rule != GR_GAINS_NONE ? options->rule : usual;

    *table = NULL;
    *gains = (gr_gains){ .rule = rule == GR_GAINS_LINEAR ? GR_GAIN_LINEAR : GR_GAIN_EXP };
    if (!*options->label_gain)
        return GRADUS_OK;
    if (options->rule != GR_GAINS_NONE)
        return gr_fail(err, GRADUS_BAD_ARGUMENT, "--gain and --label-gain exclude each other");
    GR_TRY(gr_label_gains_parse(options->label_gain, table, &gains->count, err));
    gains->rule = GR_GAIN_TABLE;
    gains->table = *table;
    return GRADUS_OK;
}

gradus_status gr_gains_fill(const gr_gains *gains, const float *labels, size_t count, float *filled,
                            gradus_error *err)
{
    for (size_t i = 0; i < count; i++) {
        filled[i] = (float)gr_gain_of(gains, (double)labels[i], 0);
        if (!isfinite(filled[i]))
            return gr_fail(err, GRADUS_BAD_NUMBER,
                           "the gain of label %g is too large: use --gain linear",
                           (double)labels[i]);
    }
    return GRADUS_OK;
}
