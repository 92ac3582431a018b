/* SPDX-License-Identifier: Apache-2.0 */
/* Scoring rules: outputs to probabilities, probabilities to scores. */
#include "scoring/scoring.h"

#include "base/math.h"
#include "base/memory.h"
#include "objectives/problem.h"
#include "scoring/recover.h"

#include <float.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

const char *const gr_score_rules[] = {
#define GR_RULE(name, text) text,
#include "scoring/rules.def"
    NULL
};
const char *const gr_repairs[] = { "usual", "projection", "pav", "none", NULL };

bool gr_score_rule_is_ratio(gr_score_rule rule)
{
    return rule == GR_SCORE_COST_RATIO || rule == GR_SCORE_WEIGHTS_AND_SCALES;
}

bool gr_scorer_can(gr_meaning meaning, gr_score_rule rule)
{
    if (rule == GR_SCORE_OUTPUT)
        return meaning == GR_MEANS_SCORE || gr_meaning_has_thresholds(meaning);
    if (rule == GR_SCORE_SUM)
        return meaning == GR_MEANS_ABOVE;
    if (rule == GR_SCORE_COUNT)
        return meaning == GR_MEANS_ABOVE || gr_meaning_has_thresholds(meaning);
    return meaning != GR_MEANS_SCORE && meaning != GR_MEANS_THRESHOLDS;
}

bool gr_meaning_has_thresholds(gr_meaning meaning)
{
    return meaning == GR_MEANS_ODDS || meaning == GR_MEANS_THRESHOLDS;
}

const double *gr_scorer_thresholds(const gr_scorer *scorer)
{
    return scorer->threshold_sets
               ? scorer->thresholds + (scorer->threshold_sets - 1) * (scorer->levels - 1)
               : NULL;
}

gr_score_rule gr_scorer_grade_rule(const gr_scorer *scorer)
{
    return gr_scorer_can(scorer->meaning, GR_SCORE_COUNT) ? GR_SCORE_COUNT : GR_SCORE_HARD;
}

/* Whether every output has positive weights on both sides; otherwise it is the same for all
 * rows. */
static bool all_tell(const gr_scorer *scorer)
{
    for (size_t k = 0; k < scorer->outputs; k++) {
        const double *weights = scorer->weights + k * scorer->levels;
        bool below = false, above = false;

        for (size_t l = 0; l < scorer->levels; l++)
            if (weights[l] > 0.0)
                *(l > k ? &above : &below) = true;
        if (!below || !above)
            return false;
    }
    return true;
}

bool gr_scorer_knows_probabilities(const gr_scorer *scorer)
{
    return scorer->meaning != GR_MEANS_SCORE && scorer->meaning != GR_MEANS_THRESHOLDS &&
           (!scorer->weights || (scorer->levels <= GR_SOLVED_LEVELS && all_tell(scorer)));
}

bool gr_scorer_takes(const gr_scorer *scorer, gr_score_rule rule)
{
    return gr_scorer_can(scorer->meaning, rule) &&
           (rule < GR_SCORE_EXPECTED_GRADE || gr_scorer_knows_probabilities(scorer));
}

static double value_of(const gr_scorer *scorer, size_t l)
{
    const double label = scorer->level_labels[l];

    if (scorer->values)
        return scorer->values[l];
    return scorer->rule == GR_SCORE_EXPECTED_GAIN ? exp2(label) - 1.0 : label;
}

/* Steps between grades are weighted by their distance, as if there were an equal output for each
 * grade in between that no training row has. */
static double sum_of_steps(const gr_scorer *scorer, const double *outputs, size_t stride)
{
    double sum = 0.0;

    for (size_t k = 0; k < scorer->outputs; k++) {
        const double step = scorer->level_labels[k + 1] - scorer->level_labels[k];
        const double output = outputs[k * stride];

        sum += step * (scorer->rule == GR_SCORE_SUM ? output : output >= 0.5 ? 1.0 : 0.0);
    }
    return sum;
}

/* Counting also works for thresholds that are out of order. */
static double grade_by_thresholds(const gr_scorer *scorer, double output)
{
    const double *thresholds = gr_scorer_thresholds(scorer);
    size_t reached = 0;

    for (size_t k = 0; k + 1 < scorer->levels; k++)
        reached += output >= thresholds[k];
    return scorer->level_labels[reached];
}

static void softmax(const double *outputs, size_t stride, size_t count, double *p)
{
    double largest = outputs[0], sum = 0.0;

    for (size_t k = 1; k < count; k++)
        largest = outputs[k * stride] > largest ? outputs[k * stride] : largest;
    for (size_t k = 0; k < count; k++)
        sum += p[k] = gr_exp(outputs[k * stride] - largest);
    for (size_t k = 0; k < count; k++)
        p[k] /= sum;
}

static void from_below(const gr_scorer *scorer, const double *outputs, size_t stride, double *p)
{
    double before = 0.0;

    for (size_t l = 0; l < scorer->levels; l++) {
        const double below = l < scorer->outputs ? gr_logistic(outputs[l * stride]) : 1.0;

        p[l] = below - before;
        before = below;
    }
}

static void from_odds(const gr_scorer *scorer, double output, double *p)
{
    const double *thresholds = gr_scorer_thresholds(scorer);
    double before = 0.0;

    for (size_t l = 0; l < scorer->levels; l++) {
        const double below = l + 1 < scorer->levels ? gr_logistic(thresholds[l] - output) : 1.0;

        p[l] = below - before;
        before = below;
    }
}

static void from_votes(const gr_scorer *scorer, const double *outputs, size_t stride, double *p)
{
    double sum = 0.0;

    for (size_t l = 0; l < scorer->levels; l++) {
        const double output = outputs[l * stride];
        const double share = scorer->meaning == GR_MEANS_VOTES ? 0.5 * (1.0 + output) : output;

        sum += p[l] = share > 0.0 ? share : 0.0;
    }
    for (size_t l = 0; l < scorer->levels; l++)
        p[l] = sum > 0.0 ? p[l] / sum : 1.0 / (double)scorer->levels;
}

/* Models of early versions have no shares, and the other repairs expect estimates that sum to 1. */
bool gr_scorer_solves_exactly(const gr_scorer *scorer)
{
    return !scorer->shares || scorer->repair == GR_REPAIR_PAV || scorer->repair == GR_REPAIR_NONE;
}

static void from_above(const gr_scorer *scorer, const double *outputs, size_t stride, double *p)
{
    if (scorer->weights && !gr_scorer_solves_exactly(scorer)) {
        gr_recover_probabilities(scorer->levels, scorer->weights, scorer->shares, outputs, stride,
                                 p);
        return;
    }
    if (!scorer->weights || !gr_solve_shares(scorer->levels, scorer->weights, outputs, stride, p))
        for (size_t l = 0; l < scorer->levels; l++)
            p[l] = (l > 0 ? outputs[(l - 1) * stride] : 1.0) -
                   (l < scorer->outputs ? outputs[l * stride] : 0.0);
}

static bool of_each(gr_meaning meaning)
{
    return meaning == GR_MEANS_EACH || meaning == GR_MEANS_EACH_ODDS;
}

/* Each grade was estimated separately. Without log odds the estimates may be negative and need not
 * sum to 1. */
static void from_each(const gr_scorer *scorer, const double *outputs, size_t stride, double *p)
{
    double sum = 0.0;

    for (size_t l = 0; l < scorer->levels; l++)
        p[l] = outputs[l * stride];
    for (size_t l = 0; scorer->meaning == GR_MEANS_EACH_ODDS && l < scorer->levels; l++)
        sum += p[l] = gr_logistic(p[l]);
    for (size_t l = 0; sum > 0.0 && l < scorer->levels; l++)
        p[l] /= sum;
}

/* Probabilities before repair. Except for GR_MEANS_EACH they sum to 1, but some may be negative. */
static void estimate(const gr_scorer *scorer, const double *outputs, size_t stride, double *p)
{
    if (scorer->meaning == GR_MEANS_CLASSES)
        softmax(outputs, stride, scorer->levels, p);
    else if (scorer->meaning == GR_MEANS_VOTES || scorer->meaning == GR_MEANS_PROBABILITIES)
        from_votes(scorer, outputs, stride, p);
    else if (scorer->meaning == GR_MEANS_BELOW)
        from_below(scorer, outputs, stride, p);
    else if (scorer->meaning == GR_MEANS_ODDS)
        from_odds(scorer, outputs[0], p);
    else if (of_each(scorer->meaning))
        from_each(scorer, outputs, stride, p);
    else
        from_above(scorer, outputs, stride, p);
}

/* Bayes' rule for a population with other grade frequencies. A row with only grades that are absent
 * from the population gets the frequencies of the population. */
static void change_population(const gr_scorer *scorer, double *p)
{
    double sum = 0.0, all = 0.0;

    for (size_t l = 0; l < scorer->levels; l++) {
        sum += p[l] *= scorer->factors[l];
        all += scorer->factors[l] * scorer->shares[l];
    }
    for (size_t l = 0; l < scorer->levels; l++)
        p[l] = sum == 0.0 ? scorer->factors[l] * scorer->shares[l] / all : p[l] / sum;
}

void gr_scorer_probabilities(const gr_scorer *scorer, const double *outputs, size_t stride,
                             double *probabilities)
{
    const bool is_distribution = scorer->meaning == GR_MEANS_CLASSES ||
                                 scorer->meaning == GR_MEANS_VOTES ||
                                 scorer->meaning == GR_MEANS_PROBABILITIES;

    estimate(scorer, outputs, stride, probabilities);
    if (!is_distribution && !of_each(scorer->meaning) && scorer->repair == GR_REPAIR_PAV)
        gr_pool_to_simplex(probabilities, scorer->levels);
    else if (!is_distribution)
        gr_project_to_simplex(probabilities, scorer->levels);
    if (scorer->factors)
        change_population(scorer, probabilities);
}

bool gr_scorer_takes_estimates(const gr_scorer *scorer)
{
    return !scorer->factors &&
           (scorer->rule == GR_SCORE_EXPECTED_GRADE || scorer->rule == GR_SCORE_EXPECTED_GAIN) &&
           (scorer->repair == GR_REPAIR_NONE ||
            (scorer->repair == GR_REPAIR_USUAL &&
             (scorer->meaning == GR_MEANS_BELOW || scorer->meaning == GR_MEANS_ODDS)));
}

static double most_probable(const gr_scorer *scorer, const double *p)
{
    size_t best = 0;

    for (size_t l = 1; l < scorer->levels; l++)
        best = p[l] > p[best] ? l : best;
    return scorer->level_labels[best];
}

static double median(const gr_scorer *scorer, const double *p)
{
    double below = 0.0;
    size_t l = 0;

    while (l + 1 < scorer->levels && (below += p[l]) < 0.5)
        l++;
    return scorer->level_labels[l];
}

static double expectation(const gr_scorer *scorer, const double *p)
{
    double sum = 0.0;

    for (size_t l = 0; l < scorer->levels; l++)
        sum += p[l] * value_of(scorer, l);
    return sum;
}

static double ratio(const gr_scorer *scorer, const double *p)
{
    double divisor = 0.0, largest = 0.0;

    for (size_t l = 0; l < scorer->levels; l++) {
        divisor += p[l] * scorer->divisors[l];
        largest = scorer->divisors[l] > largest ? scorer->divisors[l] : largest;
    }
    if (divisor < DBL_EPSILON * largest)
        divisor = DBL_EPSILON * largest;
    return expectation(scorer, p) / divisor;
}

double gr_scorer_score(const gr_scorer *scorer, const double *outputs, size_t stride)
{
    double p[GR_MAX_LEVELS];

    if (scorer->rule == GR_SCORE_OUTPUT)
        return outputs[0];
    if (gr_meaning_has_thresholds(scorer->meaning) && scorer->rule == GR_SCORE_COUNT)
        return grade_by_thresholds(scorer, outputs[0]);
    if (scorer->rule == GR_SCORE_SUM || scorer->rule == GR_SCORE_COUNT)
        return sum_of_steps(scorer, outputs, stride);
    if (gr_scorer_takes_estimates(scorer)) {
        estimate(scorer, outputs, stride, p);
        return expectation(scorer, p);
    }
    gr_scorer_probabilities(scorer, outputs, stride, p);
    if (scorer->rule == GR_SCORE_HARD)
        return most_probable(scorer, p);
    if (scorer->rule == GR_SCORE_MEDIAN_GRADE)
        return median(scorer, p);
    return scorer->divisors ? ratio(scorer, p) : expectation(scorer, p);
}

static double *copy_of(const double *from, size_t count)
{
    double *copy = from ? gr_new_array(count, sizeof *copy) : NULL;

    if (copy)
        memcpy(copy, from, count * sizeof *copy);
    return copy;
}

/* The arrays owned by a scorer. */
enum { ARRAYS = 7, WEIGHTS = 1, THRESHOLDS = 6 };

static void list_arrays(gr_scorer *scorer, double **arrays[ARRAYS], size_t sizes[ARRAYS])
{
    double **const all[ARRAYS] = { &scorer->level_labels, &scorer->weights,  &scorer->shares,
                                   &scorer->values,       &scorer->divisors, &scorer->factors,
                                   &scorer->thresholds };

    for (size_t i = 0; i < ARRAYS; i++) {
        arrays[i] = all[i];
        sizes[i] = scorer->levels * (i == WEIGHTS ? scorer->outputs : 1);
        if (i == THRESHOLDS)
            sizes[i] = scorer->threshold_sets * (scorer->levels ? scorer->levels - 1 : 0);
    }
}

gradus_status gr_scorer_set_thresholds(gr_scorer *scorer, const double *thresholds, size_t sets,
                                       gradus_error *err)
{
    double *copy = copy_of(thresholds, sets * (scorer->levels - 1));

    if (!copy)
        return gr_fail_memory(err, "thresholds");
    free(scorer->thresholds);
    scorer->thresholds = copy;
    scorer->threshold_sets = sets;
    return GRADUS_OK;
}

gradus_status gr_scorer_copy(const gr_scorer *from, gr_scorer *to, gradus_error *err)
{
    gr_scorer copy = *from;
    double **arrays[ARRAYS];
    size_t sizes[ARRAYS];
    bool failed = false;

    list_arrays(&copy, arrays, sizes);
    for (size_t i = 0; i < ARRAYS; i++) {
        const double *old = *arrays[i];

        *arrays[i] = copy_of(old, sizes[i]);
        failed |= old && !*arrays[i];
    }
    if (failed) {
        gr_scorer_free(&copy);
        return gr_fail_memory(err, "a scoring rule");
    }
    *to = copy;
    return GRADUS_OK;
}

void gr_scorer_free(gr_scorer *scorer)
{
    double **arrays[ARRAYS];
    size_t sizes[ARRAYS];

    list_arrays(scorer, arrays, sizes);
    for (size_t i = 0; i < ARRAYS; i++) {
        free(*arrays[i]);
        *arrays[i] = NULL;
    }
    scorer->threshold_sets = 0;
}
