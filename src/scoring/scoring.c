#include "scoring/scoring.h"

#include "base/math.h"
#include "base/memory.h"
#include "objectives/problem.h"
#include "scoring/simplex.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

const char *const gr_score_rules[] = { "output",         "sum",           "count",
                                       "expected-grade", "expected-gain", NULL };

bool gr_scorer_can(gr_meaning meaning, gr_score_rule rule)
{
    switch (rule) {
    case GR_SCORE_OUTPUT:
        return meaning == GR_MEANS_SCORE;
    case GR_SCORE_SUM:
    case GR_SCORE_COUNT:
        return meaning == GR_MEANS_ABOVE;
    case GR_SCORE_EXPECTED_GRADE:
    case GR_SCORE_EXPECTED_GAIN:
        return meaning != GR_MEANS_SCORE;
    }
    return false;
}

bool gr_scorer_knows_probabilities(const gr_scorer *scorer)
{
    return scorer->meaning != GR_MEANS_SCORE &&
           (!scorer->weights || scorer->levels <= GR_SOLVED_LEVELS);
}

static double value_of(const gr_scorer *scorer, size_t l)
{
    const double label = scorer->level_labels[l];

    return scorer->rule == GR_SCORE_EXPECTED_GAIN ? exp2(label) - 1.0 : label;
}

static double logistic(double f)
{
    return 1.0 / (1.0 + gr_exp(-f));
}

/* A step between two grades counts as far as they are apart: thresholds of grades that no training
 * row has would all be the same output. */
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

/* The expectation as McRank takes it, P(grade <= k) as it comes, crossing or not. */
static double expected_below(const gr_scorer *scorer, const double *outputs, size_t stride)
{
    double sum = 0.0, before = 0.0;

    for (size_t l = 0; l < scorer->levels; l++) {
        const double below = l < scorer->outputs ? logistic(outputs[l * stride]) : 1.0;

        sum += (below - before) * value_of(scorer, l);
        before = below;
    }
    return sum;
}

static double expectation(const gr_scorer *scorer, const double *outputs, size_t stride)
{
    double p[GR_MOST_LEVELS], sum = 0.0;

    gr_scorer_probabilities(scorer, outputs, stride, p);
    for (size_t l = 0; l < scorer->levels; l++)
        sum += p[l] * value_of(scorer, l);
    return sum;
}

double gr_scorer_score(const gr_scorer *scorer, const double *outputs, size_t stride)
{
    if (scorer->rule == GR_SCORE_OUTPUT)
        return outputs[0];
    if (scorer->rule == GR_SCORE_SUM || scorer->rule == GR_SCORE_COUNT)
        return sum_of_steps(scorer, outputs, stride);
    if (scorer->meaning == GR_MEANS_BELOW)
        return expected_below(scorer, outputs, stride);
    return expectation(scorer, outputs, stride);
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
        const double below = l < scorer->outputs ? logistic(outputs[l * stride]) : 1.0;

        p[l] = below - before;
        before = below;
    }
    gr_project_to_simplex(p, scorer->levels);
}

static void from_above(const gr_scorer *scorer, const double *outputs, size_t stride, double *p)
{
    if (!scorer->weights ||
        !gr_solve_shares(scorer->levels, scorer->weights, outputs, stride, p))
        for (size_t l = 0; l < scorer->levels; l++)
            p[l] = (l > 0 ? outputs[(l - 1) * stride] : 1.0) -
                   (l < scorer->outputs ? outputs[l * stride] : 0.0);
    gr_project_to_simplex(p, scorer->levels);
}

void gr_scorer_probabilities(const gr_scorer *scorer, const double *outputs, size_t stride,
                             double *probabilities)
{
    if (scorer->meaning == GR_MEANS_CLASSES)
        softmax(outputs, stride, scorer->levels, probabilities);
    else if (scorer->meaning == GR_MEANS_BELOW)
        from_below(scorer, outputs, stride, probabilities);
    else
        from_above(scorer, outputs, stride, probabilities);
}

static double *copy_of(const double *from, size_t count)
{
    double *copy = from ? gr_new_array(count, sizeof *copy) : NULL;

    if (copy)
        memcpy(copy, from, count * sizeof *copy);
    return copy;
}

gradus_status gr_scorer_copy(const gr_scorer *from, gr_scorer *to, gradus_error *err)
{
    gr_scorer copy = *from;

    copy.level_labels = copy_of(from->level_labels, from->levels);
    copy.weights = copy_of(from->weights, from->outputs * from->levels);
    if ((from->level_labels && !copy.level_labels) || (from->weights && !copy.weights)) {
        gr_scorer_free(&copy);
        return gr_fail_memory(err, "a scoring rule");
    }
    *to = copy;
    return GRADUS_OK;
}

void gr_scorer_free(gr_scorer *scorer)
{
    free(scorer->level_labels);
    free(scorer->weights);
    scorer->level_labels = scorer->weights = NULL;
}
