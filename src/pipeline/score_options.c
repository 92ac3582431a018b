#include "pipeline/score_options.h"

/* As trained, and then the names of gr_score_rules. */
static const char *const scorings[] = { "as-trained",     "output",        "sum", "count",
                                        "expected-grade", "expected-gain", NULL };

static const gr_param score_params[] = {
    GR_PARAM_CHOICE(gr_score_options, scoring, "scoring", "RULE", "as-trained", scorings,
                    "how outputs become a score, if not as the model was trained for"),
    GR_PARAM_COUNT(gr_score_options, rounds, "rounds", "N", 0, 0, 9007199254740992,
                   "score by the first so many rounds; 0: all"),
    GR_PARAM_END,
};

const gr_operation gr_operation_score = {
    .name = "score",
    .summary = "score rows by a model",
    .params = score_params,
    .size = sizeof(gr_score_options),
};
