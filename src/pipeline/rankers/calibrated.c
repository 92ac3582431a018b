/* SPDX-License-Identifier: Apache-2.0 */
#include "learners/adaboost/adaboost.h"
#include "pipeline/learners/calibrated.h"
#include "pipeline/train.h"

/* Names of the options that are for it alone, and of one that adaboost-mh has too. */
static const gr_param own_params[] = {
    GR_PARAM_GROUP(gr_train_options, calibrated, gr_calibrated_options, gr_calibrated_params),
    GR_PARAM_TEXT(gr_calibrated_options, calibrations, "label-weights", "HOW", "", ""),
    GR_PARAM_END,
};

/* Probabilities of grades if all calibrations give them, else a score. What is wrong with the
 * options is told when they are used. */
static const gr_reduction *reduce(const gr_train_options *options, const gradus_dataset *data,
                                  gr_score_rule *rule)
{
    gr_calibrated_grid grid;
    const bool probabilities =
        gr_calibrated_parse(&options->calibrated, &grid, NULL) != GRADUS_OK || grid.probabilities;

    (void)data;
    *rule = probabilities ? GR_SCORE_EXPECTED_GAIN : GR_SCORE_OUTPUT;
    return probabilities ? &gr_reduction_probabilities : &gr_reduction_gain;
}

const gr_ranker gr_ranker_calibrated = {
    .about = { "calibrated", "an ensemble of AdaBoost.MH of many sizes, calibrated in many ways",
               "Busa-Fekete, Kegl, Elteto and Szarvas (2011). AdaBoost.MH is trained with trees of "
               "each size of --leaves-grid and products of each size of --terms-grid on a part of "
               "the training queries; on the rest, --calibration-fraction of them, the outputs of "
               "each are turned into probabilities of grades, or into scores, in each way of "
               "--calibrations. All of these are mixed, weighted by e^(rate * metric) on --valid, "
               "which also chooses the rate and the number of rounds. With cpc the model gives "
               "probabilities of grades, and ranks by the expected gain; with rbc it gives a "
               "score. Members whose weight is nothing are left out of the model." },
    .reduction = &gr_reduction_probabilities,
    .rule = GR_SCORE_EXPECTED_GAIN,
    .reduce = reduce,
    .implies = "rounds=100 patience=0 train-eval-every=0",
    .own_learners = gr_calibrated_learners,
    .only_own = true,
    .needs_grades = true,
    .least_levels = 2,
    .params = own_params,
};
