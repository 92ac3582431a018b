/* SPDX-License-Identifier: Apache-2.0 */
/* Builds a scorer from the user's choice of rule, gains, costs and prior. */
#include "scoring/choose.h"

#include "base/memory.h"
#include "base/text.h"
#include "objectives/problem.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static gradus_status wrong_rule(const gr_scorer *scorer, gr_score_rule rule, gradus_error *err)
{
    char names[200] = "";

    for (size_t i = 0; gr_score_rules[i]; i++)
        if (gr_scorer_takes(scorer, (gr_score_rule)i)) {
            gr_text_append(names, sizeof names, names[0] ? ", " : "");
            gr_text_append(names, sizeof names, gr_score_rules[i]);
        }
    return gr_fail(err, GRADUS_BAD_ARGUMENT, "the model cannot be scored by '%s', only by %s%s",
                   gr_score_rules[rule], names,
                   gr_scorer_knows_probabilities(scorer) ? "" : ": it gives no probabilities");
}

static gradus_status wrong_count(const gr_scorer *scorer, const char *name, size_t count,
                                 gradus_error *err)
{
    char grades[200] = "";

    for (size_t l = 0; l < scorer->levels; l++) {
        char number[GRADUS_NUMBER_SIZE];

        gr_format_double(scorer->level_labels[l], number);
        gr_text_append(grades, sizeof grades, l ? ", " : "");
        gr_text_append(grades, sizeof grades, number);
    }
    return gr_fail(err, GRADUS_BAD_ARGUMENT,
                   "'%s' has %zu number%s, but the model has %zu grade%s: %s", name, count,
                   count == 1 ? "" : "s", scorer->levels, scorer->levels == 1 ? "" : "s", grades);
}

/* Reads comma-separated numbers, one per grade, from `least` to GR_LARGEST_VALUE. */
static gradus_status read_list(const gr_scorer *scorer, const char *name, const char *text,
                               double least, double *numbers, gradus_error *err)
{
    const char *at = text, *end = text + strlen(text);
    size_t count = 0;

    for (;; at++) {
        double number = 0.0;
        const char *after = gr_parse_double(at, end, &number);

        if (!after || (after < end && *after != ',') || !(number >= least) ||
            number > GR_LARGEST_VALUE)
            return gr_fail(err, GRADUS_BAD_ARGUMENT,
                           "'%s' takes comma-separated numbers%s, not '%.60s'", name,
                           least == 0.0 ? " of at least 0" : "", at);
        if (count < scorer->levels)
            numbers[count] = number;
        count++;
        at = after;
        if (at == end)
            break;
    }
    return count == scorer->levels ? GRADUS_OK : wrong_count(scorer, name, count, err);
}

static double sum_of(const double *numbers, size_t count)
{
    double sum = 0.0;

    for (size_t i = 0; i < count; i++)
        /* NOLINTNEXTLINE(clang-analyzer-core.uninitialized.Assign): read_list() read all of them */
        sum += numbers[i];
    return sum;
}

static gradus_status new_array(const gr_scorer *scorer, double **array, gradus_error *err)
{
    free(*array);
    *array = gr_new_array(scorer->levels, sizeof **array);
    return *array ? GRADUS_OK : gr_fail_memory(err, "a scoring rule");
}

static gradus_status take_gains(gr_scorer *scorer, const char *gains, gradus_error *err)
{
    if (strcmp(gains, GR_USUAL_GAINS) == 0)
        return GRADUS_OK; /* the rule computes them */
    GR_TRY(new_array(scorer, &scorer->values, err));
    if (strcmp(gains, "grade") != 0)
        return read_list(scorer, "gains", gains, -GR_LARGEST_VALUE, scorer->values, err);
    memcpy(scorer->values, scorer->level_labels, scorer->levels * sizeof *scorer->values);
    return GRADUS_OK;
}

static gradus_status take_weights(gr_scorer *scorer, const gr_score_choice *choice,
                                  gradus_error *err)
{
    GR_TRY(new_array(scorer, &scorer->values, err));
    GR_TRY(new_array(scorer, &scorer->divisors, err));
    for (size_t l = 0; l < scorer->levels; l++) {
        scorer->values[l] = scorer->level_labels[l];
        scorer->divisors[l] = 1.0;
    }
    if (choice->scales[0])
        GR_TRY(read_list(scorer, "scales", choice->scales, -GR_LARGEST_VALUE, scorer->values, err));
    if (choice->weights[0])
        GR_TRY(read_list(scorer, "weights", choice->weights, 0.0, scorer->divisors, err));
    for (size_t l = 1; l < scorer->levels; l++)
        if (scorer->values[l] < scorer->values[l - 1])
            return gr_fail(err, GRADUS_BAD_ARGUMENT,
                           "'scales' must not decrease from grade to grade: %g follows %g",
                           scorer->values[l], scorer->values[l - 1]);
    for (size_t l = 0; l < scorer->levels; l++)
        scorer->values[l] *= scorer->divisors[l];
    return GRADUS_OK;
}

/* P(grade) in the population is P(grade) in the training data times prior / share, normalised. */
static gradus_status take_prior(gr_scorer *scorer, const char *text, double *prior,
                                gradus_error *err)
{
    double sum;

    GR_TRY(read_list(scorer, "prior", text, 0.0, prior, err));
    sum = sum_of(prior, scorer->levels);
    if (!(sum > 0.0))
        return gr_fail(err, GRADUS_BAD_ARGUMENT, "'prior' sums to 0");
    GR_TRY(new_array(scorer, &scorer->factors, err));
    for (size_t l = 0; l < scorer->levels; l++) {
        /* NOLINTNEXTLINE(clang-analyzer-core.uninitialized.Assign): read_list() read all of them */
        prior[l] /= sum;
        if (prior[l] > 0.0 && !(scorer->shares[l] > 0.0))
            return gr_fail(
                err, GRADUS_BAD_ARGUMENT,
                "'prior' is positive for grade %g, but no training row with positive weight has "
                "that grade",
                scorer->level_labels[l]);
        scorer->factors[l] = prior[l] > 0.0 ? prior[l] / scorer->shares[l] : 0.0;
    }
    return GRADUS_OK;
}

static gradus_status not_for(gr_score_rule rule, const char *name, gr_score_rule wanted,
                             gradus_error *err)
{
    return gr_fail(err, GRADUS_BAD_ARGUMENT, "'%s' is for 'scoring %s', not '%s'", name,
                   gr_score_rules[wanted], gr_score_rules[rule]);
}

/* Rejects options that the rule would ignore. */
static gradus_status check_use(const gr_scorer *scorer, const gr_score_choice *choice,
                               gradus_error *err)
{
    const gr_score_rule rule = scorer->rule;

    if (strcmp(choice->gains, GR_USUAL_GAINS) != 0 && rule != GR_SCORE_EXPECTED_GAIN)
        return not_for(rule, "gains", GR_SCORE_EXPECTED_GAIN, err);
    if (strcmp(choice->cost, GR_USUAL_COST) != 0 && rule != GR_SCORE_COST_RATIO)
        return not_for(rule, "cost", GR_SCORE_COST_RATIO, err);
    if (choice->weights[0] && rule != GR_SCORE_WEIGHTS_AND_SCALES)
        return not_for(rule, "weights", GR_SCORE_WEIGHTS_AND_SCALES, err);
    if (choice->scales[0] && rule != GR_SCORE_WEIGHTS_AND_SCALES)
        return not_for(rule, "scales", GR_SCORE_WEIGHTS_AND_SCALES, err);
    if ((choice->prior[0] || choice->repair) && !gr_scorer_knows_probabilities(scorer))
        return gr_fail(err, GRADUS_BAD_ARGUMENT,
                       "'%s' is for models that give probabilities, and this one does not",
                       choice->repair ? "repair" : "prior");
    return GRADUS_OK;
}

static bool says_more(const gr_score_choice *choice)
{
    return choice->rule || strcmp(choice->gains, GR_USUAL_GAINS) != 0 ||
           strcmp(choice->cost, GR_USUAL_COST) != 0 || choice->weights[0] || choice->scales[0];
}

/* Reports a failed model check as an invalid argument. */
static gradus_status check(const gr_scorer *scorer, gradus_error *err)
{
    gradus_error failure = { GRADUS_OK, "" };

    if (gr_scorer_check(scorer, &failure) == GRADUS_OK)
        return GRADUS_OK;
    return gr_fail(err, GRADUS_BAD_ARGUMENT, "%s", failure.message);
}

static gradus_status fill(gr_scorer *scorer, const gr_score_choice *choice,
                          const gradus_context *context, gradus_error *err)
{
    double prior[GR_MAX_LEVELS];

    if (choice->prior[0])
        GR_TRY(take_prior(scorer, choice->prior, prior, err));
    if (says_more(choice)) {
        free(scorer->values);
        free(scorer->divisors);
        scorer->values = scorer->divisors = NULL;
        if (scorer->rule == GR_SCORE_EXPECTED_GAIN)
            GR_TRY(take_gains(scorer, choice->gains, err));
        else if (scorer->rule == GR_SCORE_WEIGHTS_AND_SCALES)
            GR_TRY(take_weights(scorer, choice, err));
        else if (scorer->rule == GR_SCORE_COST_RATIO)
            GR_TRY(gr_scorer_take_cost(scorer, choice->cost,
                                       choice->prior[0] ? prior : scorer->shares, context, err));
    }
    return check(scorer, err);
}

gradus_status gr_scorer_choose(const gr_scorer *from, const gr_score_choice *choice,
                               const gradus_context *context, gr_scorer *to, gradus_error *err)
{
    gr_scorer made;
    gradus_status status;

    if (choice->rule && !gr_scorer_takes(from, *choice->rule))
        return wrong_rule(from, *choice->rule, err);
    GR_TRY(gr_scorer_copy(from, &made, err));
    made.rule = choice->rule ? *choice->rule : from->rule;
    made.repair = choice->repair ? *choice->repair : from->repair;
    status = check_use(&made, choice, err);
    if (status == GRADUS_OK)
        status = fill(&made, choice, context, err);
    if (status == GRADUS_OK)
        *to = made;
    else
        gr_scorer_free(&made);
    return status;
}
