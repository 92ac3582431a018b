/* SPDX-License-Identifier: Apache-2.0 */
/* Whether the parts of a scorer suit each other. */
#include "scoring/scoring.h"

#include <math.h>

static gradus_status bad(gradus_error *err, const char *what)
{
    return gr_fail(err, GRADUS_BAD_FORMAT, "%s", what);
}

/* Whether numbers are finite, and from `least` to GR_LARGEST_VALUE; NULL is. */
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
        return bad(err, "its scoring is a ratio, and lacks values or divisors");
    if ((scorer->values && !is_ratio && scorer->rule != GR_SCORE_EXPECTED_GAIN) ||
        (scorer->divisors && !is_ratio))
        return bad(err, "its scoring has values or divisors that its rule does not use");
    if (!all_within(scorer->values, scorer->levels, -GR_LARGEST_VALUE))
        return bad(err, "values of its scoring are not finite, or larger than 1e100");
    if (!all_within(scorer->divisors, scorer->levels, 0.0))
        return bad(err, "divisors of its scoring are negative, not finite, or larger than 1e100");
    if (scorer->divisors && !(largest(scorer->divisors, scorer->levels) >= 1.0 / GR_LARGEST_VALUE))
        return bad(err, "the weights or costs it is to be scored by are all 0, or next to it");
    return GRADUS_OK;
}

static gradus_status check_population(const gr_scorer *scorer, gradus_error *err)
{
    double all = 0.0;

    if (!all_within(scorer->shares, scorer->levels, 0.0) ||
        (scorer->shares && largest(scorer->shares, scorer->levels) > 1.0))
        return bad(err, "shares of its grades are not from 0 to 1");
    if (!scorer->factors)
        return GRADUS_OK;
    if (!scorer->shares || !all_within(scorer->factors, scorer->levels, 0.0))
        return bad(err, "factors of its grades are negative, not finite, or without shares");
    for (size_t l = 0; l < scorer->levels; l++)
        all += scorer->factors[l] * scorer->shares[l];
    return all > 0.0 ? GRADUS_OK : bad(err, "factors of its grades leave no grade");
}

static gradus_status check_thresholds(const gr_scorer *scorer, gradus_error *err)
{
    const size_t cuts = scorer->levels ? scorer->levels - 1 : 0;
    const size_t count = scorer->threshold_sets * cuts;

    if (!gr_meaning_has_thresholds(scorer->meaning))
        return scorer->thresholds ? bad(err, "it has thresholds that its outputs do not go with")
                                  : GRADUS_OK;
    if (cuts == 0 || !scorer->thresholds || scorer->threshold_sets == 0)
        return bad(err, "its thresholds are missing");
    if (!all_within(scorer->thresholds, count, -GR_LARGEST_VALUE))
        return bad(err, "its thresholds are not finite, or larger than 1e100");
    for (size_t i = 1; scorer->meaning == GR_MEANS_ODDS && i < count; i++)
        if (i % cuts && scorer->thresholds[i] < scorer->thresholds[i - 1])
            return bad(err, "its thresholds are not in order");
    return GRADUS_OK;
}

gradus_status gr_scorer_check(const gr_scorer *scorer, gradus_error *err)
{
    const bool expects = scorer->rule <= GR_SCORE_EXPECTED_GAIN && !scorer->factors;

    if ((scorer->levels > 0) != (scorer->shares != NULL))
        return bad(err, "shares of its grades are missing, or too many");
    GR_TRY(check_thresholds(scorer, err));
    GR_TRY(check_ratio(scorer, err));
    GR_TRY(check_population(scorer, err));
    if (scorer->repair == GR_REPAIR_NONE && !expects)
        return gr_fail(err, GRADUS_BAD_FORMAT,
                       "without repair there are only expected grades and gains of the training "
                       "data's population, not '%s'%s",
                       gr_score_rules[scorer->rule], scorer->factors ? " with a prior" : "");
    return GRADUS_OK;
}
