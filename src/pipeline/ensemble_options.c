/* SPDX-License-Identifier: Apache-2.0 */
/* The parameter table of "ensemble", and checks of the options against each other. */
#include "pipeline/ensemble_options.h"

#include "base/grid.h"
#include "base/text.h"

static const char *const ways[] = {
    "exponential",  "mean",
    "stacking",     "stacking-nonnegative",
    "borda",        "reciprocal-rank",
    "standardized", "selection",
    "weights",      NULL,
};

static const gr_param ensemble_params[] = {
    GR_PARAM_CHOICE(
        gr_ensemble_options, way, "way", "NAME", "exponential", ways,
        "member weights: e^(rate * metric), equal, by least squares, by greedy selection, or "
        "given; or rank fusion (borda, reciprocal-rank)"),
    GR_PARAM_TEXT(gr_ensemble_options, rates, "rates", "LIST", "0,1,2,5,10,20,50,100,150,200",
                  "exponential: rates to try on --valid"),
    GR_PARAM_TEXT(gr_ensemble_options, metric, "metric", "NAME", "ndcg@10",
                  "exponential and selection: the metric"),
    GR_PARAM_CHOICE(gr_ensemble_options, convention, "convention", "NAME", "gradus",
                    gr_convention_names, "convention of the metric (gradus help conventions)"),
    GR_PARAM_GROUP(gr_ensemble_options, gains, gr_gain_options, gr_gain_params),
    GR_PARAM_REAL(gr_ensemble_options, rank_constant, "rank-constant", "K", 60, 0, 1e9,
                  "reciprocal-rank: a member adds 1 / (K + i) for a row at rank i"),
    GR_PARAM_TEXT(gr_ensemble_options, weights, "weights", "LIST", "",
                  "weights: one nonnegative number per member, comma-separated"),
    GR_PARAM_FLAG(gr_ensemble_options, raw, "raw",
                  "selection and weights: add scores as they are, not standardised within each "
                  "query"),
    GR_PARAM_FLAG(gr_ensemble_options, probabilities, "probabilities",
                  "average probabilities of the grades, not scores; fails if a member has none"),
    GR_PARAM_GROUP(gr_ensemble_options, selection, gr_selection_options, gr_selection_params),
    GR_PARAM_END,
};

const gr_operation gr_operation_ensemble = {
    .name = "ensemble",
    .summary = "combine several models into one",
    .params = ensemble_params,
    .size = sizeof(gr_ensemble_options),
};

static bool averages(int way)
{
    return way == GR_WAY_EXPONENTIAL || way == GR_WAY_MEAN || way == GR_WAY_SELECTION ||
           way == GR_WAY_WEIGHTS;
}

/* Refuses options that the way of combining does not use. */
static gradus_status check_used(const gradus_options *options, int way, gradus_error *err)
{
    static const struct {
        const char *name;
        int way;
    } users[] = { { "rates", GR_WAY_EXPONENTIAL },
                  { "rank-constant", GR_WAY_RECIPROCAL },
                  { "bags", GR_WAY_SELECTION },
                  { "steps", GR_WAY_SELECTION } };

    for (size_t i = 0; options && i < sizeof users / sizeof users[0]; i++)
        if (way != users[i].way && gr_options_given(options, users[i].name))
            return gr_fail(err, GRADUS_BAD_ARGUMENT,
                           "the option '%s' applies to the way '%s', not to '%s'", users[i].name,
                           ways[users[i].way], ways[way]);
    return GRADUS_OK;
}

gradus_status gr_ensemble_options_get(const gradus_options *options, gr_ensemble_options *chosen,
                                      gradus_error *err)
{
    GR_TRY(gr_options_get(options, &gr_operation_ensemble, chosen, err));
    const bool given = *chosen->weights, needed = chosen->way == GR_WAY_WEIGHTS;

    if (needed && !given)
        return gr_fail(err, GRADUS_BAD_ARGUMENT,
                       "way 'weights' needs the option 'weights', one number per member");
    if (given && !needed)
        return gr_fail(err, GRADUS_BAD_ARGUMENT,
                       "the option 'weights' needs way 'weights', not '%s'", ways[chosen->way]);
    if (chosen->probabilities && !averages(chosen->way))
        return gr_fail(err, GRADUS_BAD_ARGUMENT,
                       "way '%s' combines scores, and the option 'probabilities' does not apply",
                       ways[chosen->way]);
    if (chosen->raw && chosen->way != GR_WAY_SELECTION && !needed)
        return gr_fail(
            err, GRADUS_BAD_ARGUMENT,
            "the option 'raw' applies to the ways 'selection' and 'weights', not to '%s'",
            ways[chosen->way]);
    GR_TRY(check_used(options, chosen->way, err));
    return GRADUS_OK;
}

gradus_status gr_ensemble_measuring(const gr_ensemble_options *options,
                                    gr_evaluate_options *measuring, gradus_error *err)
{
    GR_TRY(gr_options_get(NULL, &gr_operation_evaluate, measuring, err));
    measuring->metric = options->metric;
    measuring->convention = options->convention;
    measuring->gain = options->gains.rule;
    measuring->label_gain = options->gains.label_gain;
    return GRADUS_OK;
}

gradus_status gr_ensemble_weights(const gr_ensemble_options *options, size_t members,
                                  double *weights, gradus_error *err)
{
    double sum = 0.0;
    size_t count;

    GR_TRY(gr_numbers_parse(options->weights, "weights", 0, 1e9, weights, members, &count, err));
    if (count != members)
        return gr_fail(err, GRADUS_BAD_ARGUMENT, "the option 'weights' has %zu %s for %zu %s",
                       count, gr_plural(count, "number", "numbers"), members,
                       gr_plural(members, "member", "members"));
    for (size_t m = 0; m < members; m++)
        sum += weights[m];
    if (!(sum > 0.0))
        return gr_fail(err, GRADUS_BAD_ARGUMENT, "all weights of the ensemble are 0");
    for (size_t m = 0; m < members; m++)
        weights[m] /= sum;
    return GRADUS_OK;
}
