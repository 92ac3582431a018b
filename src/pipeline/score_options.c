/* SPDX-License-Identifier: Apache-2.0 */
/* Options of scoring, and models under them. */
#include "pipeline/score_options.h"

#include "model/model_view.h"

/* "as-trained", then the names in gr_score_rules, and in gr_repairs. */
static const char *const scorings[] = { "as-trained",
#define GR_RULE(name, text) text,
#include "scoring/rules.def"
                                        NULL };
static const char *const repairs[] = { "as-trained", "usual", "projection", "pav", "none", NULL };

static const gr_param score_params[] = {
    GR_PARAM_CHOICE(gr_score_options, scoring, "scoring", "RULE", "as-trained", scorings,
                    "how outputs become a score, if not as trained"),
    GR_PARAM_TEXT(
        gr_score_options, gains, "gains", "TABLE", GR_USUAL_GAINS,
        "expected-gain: exponential (2^grade - 1), grade, or a list of one number per grade"),
    GR_PARAM_PATH(gr_score_options, cost, "cost", "COST", GR_USUAL_COST, GRADUS_PATH_READ,
                  "cost-ratio: a cost by name (gradus help costs), or a file with a matrix"),
    GR_PARAM_TEXT(gr_score_options, weights, "weights", "LIST", "",
                  "weights-and-scales: list of one weight per grade; default: all 1"),
    GR_PARAM_TEXT(gr_score_options, scales, "scales", "LIST", "",
                  "weights-and-scales: list of one value per grade; default: the grades"),
    GR_PARAM_TEXT(gr_score_options, prior, "prior", "LIST", "",
                  "grade frequencies in the population, if not those of the training data"),
    GR_PARAM_CHOICE(gr_score_options, repair, "repair", "WAY", "as-trained", repairs,
                    "how to turn crossing estimates of P(grade >= k) into probabilities"),
    GR_PARAM_COUNT(gr_score_options, rounds, "rounds", "N", 0, 0, 9007199254740992,
                   "use only the first N rounds; 0: all"),
    GR_PARAM_END,
};

const gr_operation gr_operation_score = {
    .name = "score",
    .summary = "score rows with a model",
    .params = score_params,
    .size = sizeof(gr_score_options),
};

gradus_model *gr_model_with(const gradus_context *context, const gradus_model *model,
                            const gradus_options *options, gradus_error *err)
{
    gr_score_options chosen;

    if (gr_options_get(options, &gr_operation_score, &chosen, err) != GRADUS_OK)
        return NULL;
    const gr_score_rule rule = (gr_score_rule)(chosen.scoring - 1);
    const gr_repair repair = (gr_repair)(chosen.repair - 1);
    const gr_score_choice choice = {
        .rule = chosen.scoring ? &rule : NULL,
        .repair = chosen.repair ? &repair : NULL,
        .gains = chosen.gains,
        .cost = chosen.cost,
        .weights = chosen.weights,
        .scales = chosen.scales,
        .prior = chosen.prior,
    };

    return gr_model_view(model, &choice, chosen.rounds, context, err);
}
