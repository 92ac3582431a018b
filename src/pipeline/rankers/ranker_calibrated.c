/* SPDX-License-Identifier: Apache-2.0 */
/* Calibrated ensembles of AdaBoost.MH (Busa-Fekete, Kegl, Elteto and Szarvas, 2011). */
#include "learners/adaboost/adaboost.h"
#include "pipeline/learners/learner_calibrated.h"
#include "pipeline/train.h"

/* Options of this method alone, and one that it shares with adaboost-mh. */
static const gr_param own_params[] = {
    GR_PARAM_GROUP(gr_train_options, calibrated, gr_calibrated_options, gr_calibrated_params),
    GR_PARAM_TEXT(gr_calibrated_options, calibrations, "label-weights", "HOW", "", ""),
    GR_PARAM_END,
};

/* Grade probabilities if all calibrations give them, else a score. Invalid options are reported
 * when they are used. */
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
    .about = { "calibrated",
               "an ensemble of AdaBoost.MH models of many sizes, calibrated in several ways",
               "Busa-Fekete, Kegl, Elteto and Szarvas (2011). AdaBoost.MH is trained with trees of "
               "each size in --leaves-grid and products of each size in --terms-grid on part of "
               "the training queries; on the rest, --calibration-fraction of them, the outputs of "
               "each are turned into grade probabilities or scores by each of --calibrations. All "
               "of these are averaged with weights e^(rate * metric) on --valid, which also "
               "selects the rate and the number of rounds. With cpc the model gives grade "
               "probabilities and ranks by the expected gain; with rbc it gives a score. "
               "cpc (class probability calibration) passes the outputs through a sigmoid and "
               "normalises; its two parameters minimise the log loss (ls), the log loss weighted by "
               "entropy (ewls), the expected squared error of the grade (el), the squared error of "
               "the expected grade (ell) or the negative smoothed DCG (sn). rbc (regression-based "
               "calibration) fits the gain 2^grade - 1, or with ordinal the grade probabilities, to "
               "the outputs. "
               "Members of negligible weight are left out of the model." },
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
