/* SPDX-License-Identifier: Apache-2.0 */
/* Options of explanations. */
#include "explain/explain.h"

static const gr_param explain_params[] = {
    GR_PARAM_TEXT(gr_explain_options, against, "against", "mean|query|DOC", "mean",
                  "what to compare with: the training mean, the other documents of the query, or "
                  "one document of it (its id, or its position in the query)"),
    GR_PARAM_TEXT(gr_explain_options, output, "output", "score|all|N", "score",
                  "what to explain: the score, all outputs of the learner, or output N"),
    GR_PARAM_COUNT(gr_explain_options, orders, "orders", "N", 64, 2, 1000000,
                   "pairs of random feature orders per document, where sampling is needed"),
    GR_PARAM_COUNT(gr_explain_options, background, "background", "N", 100, 1, 1000000,
                   "random rows of the data that represent the mean, where sampling is needed"),
    GR_PARAM_COUNT(gr_explain_options, seed, "seed", "N", 1, 0, 9007199254740992,
                   "random seed of the sampling"),
    GR_PARAM_END,
};

const gr_operation gr_operation_explain = {
    .name = "explain",
    .summary = "explain scores by the contributions of features",
    .params = explain_params,
    .size = sizeof(gr_explain_options),
};
