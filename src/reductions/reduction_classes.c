/* SPDX-License-Identifier: Apache-2.0 */
/* One output per grade: classification into grades (McRank; Li, Burges and Wu 2007), or each grade
 * against all others. */
#include "reductions/reduction.h"

static double target_class(size_t k, size_t level, const double *level_labels)
{
    (void)level_labels;
    return level == k ? 1.0 : 0.0;
}

const gr_reduction gr_reduction_classes = {
    .about = { "classes", "one output per grade, its class score", "" },
    .meaning = GR_MEANS_CLASSES,
    .outputs = GR_OUTPUT_PER_GRADE,
    .target = target_class,
};

const gr_reduction gr_reduction_probabilities = {
    .about = { "probabilities", "one output per grade, its probability", "" },
    .meaning = GR_MEANS_PROBABILITIES,
    .outputs = GR_OUTPUT_PER_GRADE,
    .target = target_class,
};

const gr_reduction gr_reduction_each = {
    .about = { "each", "one output per label, 1 if a row has the label and 0 if not", "" },
    .meaning = GR_MEANS_EACH,
    .outputs = GR_OUTPUT_PER_GRADE,
    .target = target_class,
};

const gr_reduction gr_reduction_each_odds = {
    .about = { "each_odds", "one output per label, the log odds of having the label", "" },
    .meaning = GR_MEANS_EACH_ODDS,
    .outputs = GR_OUTPUT_PER_GRADE,
    .target = target_class,
};
