/* SPDX-License-Identifier: Apache-2.0 */
/* Combined regression and ranking (Sculley, 2010). */
#include "base/grid.h"
#include "pipeline/train.h"

static const gr_learner *const sgd_only[] = { &gr_learner_sgd, NULL };

/* Whether there are exactly two grades. */
static bool has_two_grades(const gradus_dataset *data)
{
    const float *labels = data->arrays.labels;
    float low, high;

    if (!labels || data->arrays.rows == 0 || gr_dataset_check_grades(data, 1e9, NULL) != GRADUS_OK)
        return false;
    low = high = labels[0];
    for (size_t r = 0; r < data->arrays.rows; r++) {
        low = labels[r] < low ? labels[r] : low;
        high = labels[r] > high ? labels[r] : high;
    }
    for (size_t r = 0; r < data->arrays.rows; r++)
        if (labels[r] != low && labels[r] != high)
            return false;
    return low < high;
}

/* With two grades, the logistic loss fits the log odds of the higher one. */
static const gr_reduction *reduce(const gr_train_options *options, const gradus_dataset *data,
                                  gr_score_rule *rule)
{
    const bool logistic = options->loss == GR_LOSS_LOGISTIC;

    *rule = GR_SCORE_OUTPUT;
    if (options->sgd.one_vs_all) {
        *rule = GR_SCORE_HARD;
        return logistic ? &gr_reduction_each_odds : &gr_reduction_each;
    }
    if (!logistic || !has_two_grades(data))
        return &gr_reduction_grade;
    *rule = GR_SCORE_EXPECTED_GRADE;
    return &gr_reduction_odds;
}

/* With alpha 1 there are no pairs. An invalid list is reported when it is used. */
static bool needs_queries(const gr_train_options *options)
{
    double alphas[GR_GRID_VALUES];
    size_t count = 0;

    if (gr_grid_parse(options->sgd.alpha, "alpha", 0.0, 1.0, alphas, &count, NULL) != GRADUS_OK)
        return true;
    if (options->sgd.listwise > 0.0)
        return true;
    for (size_t i = 0; i < count; i++)
        if (alphas[i] < 1.0)
            return true;
    return false;
}

const gr_ranker gr_ranker_crr = {
    .about = { "crr",
               "combined regression and ranking: a linear model by stochastic gradient descent",
               "Minimises alpha L(rows) + (1 - alpha) L(pairs) + lambda/2 |w|^2, where a pair is "
               "two rows of a query with different labels, represented by their difference: "
               "--alpha 1 is regression, 0 is ranking. --loss squared fits the labels themselves, "
               "so that scores are on their scale; logistic fits labels from 0 to 1; hinge is the "
               "loss of support vector machines. Labels may be any numbers." },
    .reduction = &gr_reduction_grade,
    .objective = &gr_objective_squared,
    .losses = 1u << GR_LOSS_SQUARED | 1u << GR_LOSS_LOGISTIC | 1u << GR_LOSS_HINGE,
    .implies = "rounds=100 patience=0 train-eval-every=0 step-rule=adagrad average=true "
               "transform=auto",
    .own_learners = sgd_only,
    .only_own = true,
    .rule = GR_SCORE_OUTPUT,
    .reduce = reduce,
    .needs_queries = needs_queries,
};
