/* SPDX-License-Identifier: Apache-2.0 */
/* Checks that the parts of a scorer are consistent. */
#include "scoring/scoring.h"

#include <math.h>

static gradus_status bad(gradus_error *err, const char *what)
{
    return gr_fail(err, GRADUS_BAD_FORMAT, "%s", what);
}

/* Whether all numbers are finite and between `least` and GR_LARGEST_VALUE; true for NULL. */
static bool all_within(const double *numbers, size_t count, double least)
{
    for (size_t i = 0; numbers && i < count; i++)
        if (!(numbers[i] >= least && numbers[i] <= GR_LARGEST_VALUE))
            return false;
    return true;
}

static double largest(const double *numbers, size_t count)
{
    double most = 0.0;

    for (size_t i = 0; i < count; i++)
        most = numbers[i] > most ? numbers[i] : most;
    return most;
}

static gradus_status check_ratio(const gr_scorer *scorer, gradus_error *err)
{
    const bool is_ratio = gr_score_rule_is_ratio(scorer->rule);

    if (is_ratio && (!scorer->values || !scorer->divisors))
        return bad(err, "its scoring rule is a ratio, but values or divisors are missing");
    if ((scorer->values && !is_ratio && scorer->rule != GR_SCORE_EXPECTED_GAIN) ||
        (scorer->divisors && !is_ratio))
        return bad(err, "its scoring has values or divisors that its rule does not use");
    if (!all_within(scorer->values, scorer->levels, -GR_LARGEST_VALUE))
        return bad(err, "the values of its scoring rule are not finite or larger than 1e100");
    if (!all_within(scorer->divisors, scorer->levels, 0.0))
        return bad(
            err, "the divisors of its scoring rule are negative, not finite, or larger than 1e100");
    if (scorer->divisors && !(largest(scorer->divisors, scorer->levels) >= 1.0 / GR_LARGEST_VALUE))
        return bad(err, "the weights or costs of the scoring rule are all 0 or almost 0");
    return GRADUS_OK;
}

static gradus_status check_population(const gr_scorer *scorer, gradus_error *err)
{
    double all = 0.0;

    if (!all_within(scorer->shares, scorer->levels, 0.0) ||
        (scorer->shares && largest(scorer->shares, scorer->levels) > 1.0))
        return bad(err, "the fractions of its grades are not between 0 and 1");
    if (!scorer->factors)
        return GRADUS_OK;
    if (!scorer->shares || !all_within(scorer->factors, scorer->levels, 0.0))
        return bad(
            err, "the factors of its grades are negative, not finite, or lack the grade fractions");
    for (size_t l = 0; l < scorer->levels; l++)
        all += scorer->factors[l] * scorer->shares[l];
    return all > 0.0 ? GRADUS_OK : bad(err, "the factors of its grades exclude every grade");
}

static gradus_status check_thresholds(const gr_scorer *scorer, gradus_error *err)
{
    const size_t cuts = scorer->levels ? scorer->levels - 1 : 0;
    const size_t count = scorer->threshold_sets * cuts;

    if (!gr_meaning_has_thresholds(scorer->meaning))
        return scorer->thresholds ? bad(err, "its outputs do not use thresholds, but it has some")
                                  : GRADUS_OK;
    if (cuts == 0 || !scorer->thresholds || scorer->threshold_sets == 0)
        return bad(err, "its thresholds are missing");
    if (!all_within(scorer->thresholds, count, -GR_LARGEST_VALUE))
        return bad(err, "its thresholds are not finite or larger than 1e100");
    for (size_t i = 1; scorer->meaning == GR_MEANS_ODDS && i < count; i++)
        if (i % cuts && scorer->thresholds[i] < scorer->thresholds[i - 1])
            return bad(err, "its thresholds are not in ascending order");
    return GRADUS_OK;
}

gradus_status gr_scorer_check(const gr_scorer *scorer, gradus_error *err)
{
    const bool expects = scorer->rule <= GR_SCORE_EXPECTED_GAIN && !scorer->factors;

    if ((scorer->levels > 0) != (scorer->shares != NULL))
        return bad(err, "the fractions of its grades are missing or unexpected");
    GR_TRY(check_thresholds(scorer, err));
    GR_TRY(check_ratio(scorer, err));
    GR_TRY(check_population(scorer, err));
    if (scorer->repair == GR_REPAIR_NONE && !expects)
        return gr_fail(err, GRADUS_BAD_FORMAT,
                       "'repair none' applies only to expected grades and gains under the training "
                       "population, not to '%s'%s",
                       gr_score_rules[scorer->rule], scorer->factors ? " with a prior" : "");
    return GRADUS_OK;
}
