/* SPDX-License-Identifier: Apache-2.0 */
/* Scorers as operations of a graph: outputs to probabilities and to a score, as in
 * scoring/scoring.c. */
#include "exchange/lower.h"

#include "objectives/problem.h"

#include <float.h>
#include <math.h>

/* Pooling and solving take about 10 operations for each pair of grades. */
enum { MAX_UNROLLED = 32 };

/* A scorer and its estimates. */
typedef struct scoring {
    const gr_lowering *lowering;
    gr_graph *graph;
    const gr_scorer *scorer;
    size_t outputs;
    size_t estimate, probabilities; /* SIZE_MAX: not lowered yet */
} scoring;

static size_t number(gr_graph *graph, double value)
{
    return gr_graph_number(graph, GR_GRAPH_F64, value);
}

/* sum > 0: p / sum; else `otherwise`. */
static size_t normalised(gr_graph *graph, size_t p, size_t otherwise)
{
    const size_t sum = gr_graph_total(graph, p);
    const size_t some = gr_number_op(graph, GR_OP_LESS, 0.0, sum);

    return gr_op3(graph, GR_OP_WHERE, some, gr_op2(graph, GR_OP_DIV, p, sum), otherwise);
}

/* P(grade) from P(grade <= l) of all grades but the last. */
static size_t from_cumulative(gr_graph *graph, size_t below)
{
    const size_t ends = gr_op_number(graph, GR_OP_JOIN, below, 1.0);

    return gr_op2(graph, GR_OP_SUB, ends, gr_number_op(graph, GR_OP_JOIN, 0.0, below));
}

static size_t from_odds(const scoring *s)
{
    const size_t thresholds =
        gr_graph_copy(s->graph, gr_scorer_thresholds(s->scorer), s->scorer->levels - 1);
    const size_t output = gr_graph_part(s->graph, s->outputs, 0, 1);
    const size_t apart = gr_op2(s->graph, GR_OP_SUB, thresholds, output);

    return from_cumulative(s->graph, gr_lower_logistic(s->graph, apart));
}

static size_t from_votes(const scoring *s)
{
    gr_graph *graph = s->graph;
    const size_t doubled = s->scorer->meaning == GR_MEANS_VOTES
                               ? gr_number_op(graph, GR_OP_ADD, 1.0, s->outputs)
                               : s->outputs;
    const size_t share = s->scorer->meaning == GR_MEANS_VOTES
                             ? gr_number_op(graph, GR_OP_MUL, 0.5, doubled)
                             : doubled;
    const size_t positive = gr_number_op(graph, GR_OP_LESS, 0.0, share);
    const size_t kept = gr_op3(graph, GR_OP_WHERE, positive, share, number(graph, 0.0));

    return normalised(graph, kept, number(graph, 1.0 / (double)s->scorer->levels));
}

static size_t from_above(const scoring *s)
{
    const size_t before = gr_number_op(s->graph, GR_OP_JOIN, 1.0, s->outputs);
    const size_t after = gr_op_number(s->graph, GR_OP_JOIN, s->outputs, 0.0);
    const size_t steps = gr_op2(s->graph, GR_OP_SUB, before, after);

    return s->scorer->weights ? gr_lower_solution(s->graph, s->scorer, s->outputs, steps) : steps;
}

static size_t from_each_odds(const scoring *s)
{
    const size_t p = gr_lower_logistic(s->graph, s->outputs);

    return normalised(s->graph, p, p);
}

/* Probabilities before repair. */
static size_t estimate(const scoring *s)
{
    switch (s->scorer->meaning) {
    case GR_MEANS_CLASSES:
        return gr_lower_softmax(s->graph, s->outputs);
    case GR_MEANS_VOTES:
    case GR_MEANS_PROBABILITIES:
        return from_votes(s);
    case GR_MEANS_BELOW:
        return from_cumulative(s->graph, gr_lower_logistic(s->graph, s->outputs));
    case GR_MEANS_ODDS:
        return from_odds(s);
    case GR_MEANS_EACH:
        return s->outputs;
    case GR_MEANS_EACH_ODDS:
        return from_each_odds(s);
    default: /* GR_MEANS_ABOVE; others have no probabilities */
        return from_above(s);
    }
}

static gradus_status take_estimate(scoring *s)
{
    if (s->estimate != SIZE_MAX)
        return GRADUS_OK;
    if (s->scorer->weights && !gr_scorer_solves_exactly(s->scorer))
        return gr_lower_refuse(
            s->lowering, gr_score_rules[s->scorer->rule],
            "probabilities of outputs with a cost need a quadratic program to be "
            "solved for each document; repair 'pav' does not");
    if (s->scorer->weights && s->scorer->levels > MAX_UNROLLED)
        return gr_lower_refuse(s->lowering, gr_score_rules[s->scorer->rule],
                               "probabilities of outputs with a cost take too many operations for "
                               "more than 32 grades");
    s->estimate = estimate(s);
    return GRADUS_OK;
}

static size_t change_population(const scoring *s, size_t p)
{
    gr_graph *graph = s->graph;
    const gr_scorer *scorer = s->scorer;
    double frequencies[GR_MAX_LEVELS], all = 0.0;

    for (size_t l = 0; l < scorer->levels; l++)
        all += scorer->factors[l] * scorer->shares[l];
    for (size_t l = 0; l < scorer->levels; l++)
        frequencies[l] = scorer->factors[l] * scorer->shares[l] / all;
    const size_t factors = gr_graph_copy(graph, scorer->factors, scorer->levels);
    const size_t changed = gr_op2(graph, GR_OP_MUL, p, factors);
    const size_t sum = gr_graph_total(graph, changed);
    const size_t none = gr_lower_equal(graph, sum, number(graph, 0.0));
    const size_t divided = gr_op2(graph, GR_OP_DIV, changed, sum);

    return gr_op3(graph, GR_OP_WHERE, none, gr_graph_copy(graph, frequencies, scorer->levels),
                  divided);
}

static gradus_status take_probabilities(scoring *s)
{
    const gr_meaning meaning = s->scorer->meaning;
    const bool each = meaning == GR_MEANS_EACH || meaning == GR_MEANS_EACH_ODDS;
    const bool pools = !each && s->scorer->repair == GR_REPAIR_PAV;

    if (s->probabilities != SIZE_MAX)
        return GRADUS_OK;
    GR_TRY(take_estimate(s));
    size_t p = s->estimate;

    if (meaning != GR_MEANS_CLASSES && meaning != GR_MEANS_VOTES &&
        meaning != GR_MEANS_PROBABILITIES) {
        if (pools && s->scorer->levels > MAX_UNROLLED)
            return gr_lower_refuse(s->lowering, "pav",
                                   "it takes too many operations for more than 32 grades");
        p = pools ? gr_lower_pooling(s->graph, p) : gr_lower_projection(s->graph, p);
    }
    s->probabilities = s->scorer->factors ? change_population(s, p) : p;
    return GRADUS_OK;
}

static size_t expectation(const scoring *s, size_t p)
{
    const gr_scorer *scorer = s->scorer;
    double values[GR_MAX_LEVELS];

    for (size_t l = 0; l < scorer->levels; l++) {
        const double label = scorer->level_labels[l];

        values[l] = scorer->values                           ? scorer->values[l]
                    : scorer->rule == GR_SCORE_EXPECTED_GAIN ? exp2(label) - 1.0
                                                             : label;
    }
    return gr_lower_inner(s->graph, p, values, 0.0);
}

static size_t ratio(const scoring *s)
{
    gr_graph *graph = s->graph;
    const double *divisors = s->scorer->divisors;
    double largest = 0.0;

    for (size_t l = 0; l < s->scorer->levels; l++)
        largest = divisors[l] > largest ? divisors[l] : largest;
    const size_t sum = gr_lower_inner(graph, s->probabilities, divisors, 0.0);
    const size_t least = number(graph, DBL_EPSILON * largest);
    const size_t small = gr_op2(graph, GR_OP_LESS, sum, least);
    const size_t divisor = gr_op3(graph, GR_OP_WHERE, small, least, sum);

    return gr_op2(graph, GR_OP_DIV, expectation(s, s->probabilities), divisor);
}

/* The grade at a position. */
static size_t grade_at(const scoring *s, size_t position)
{
    const size_t labels = gr_graph_copy(s->graph, s->scorer->level_labels, s->scorer->levels);

    return gr_op2(s->graph, GR_OP_TAKE, labels, position);
}

/* The first position with the largest probability. */
static size_t most_probable(const scoring *s)
{
    gr_graph *graph = s->graph;
    const size_t p = s->probabilities;
    double places[GR_MAX_LEVELS];

    for (size_t l = 0; l < s->scorer->levels; l++)
        places[l] = (double)l;
    const size_t largest = gr_op1(graph, GR_OP_TOP, gr_graph_upright(graph, p));
    const size_t lower = gr_op2(graph, GR_OP_LESS, p, largest);
    const size_t last = number(graph, (double)(s->scorer->levels - 1));
    const size_t found =
        gr_op3(graph, GR_OP_WHERE, lower, last, gr_graph_copy(graph, places, s->scorer->levels));

    return grade_at(s, gr_op1(graph, GR_OP_BOTTOM, gr_graph_upright(graph, found)));
}

/* How many conditions hold (1 x n): a position. */
static size_t count_true(gr_graph *graph, size_t conditions)
{
    return gr_graph_total(graph, gr_op1(graph, GR_OP_TO_F64, conditions));
}

/* Sums of probabilities do not decrease, so the grades below the median are those below 1/2. */
static size_t median(const scoring *s)
{
    gr_graph *graph = s->graph;
    const size_t cuts = s->scorer->levels - 1;

    if (cuts == 0)
        return number(graph, s->scorer->level_labels[0]);
    const size_t p = gr_graph_part(graph, s->probabilities, 0, cuts);
    const size_t below = gr_op1(graph, GR_OP_RUNNING_SUM, gr_graph_upright(graph, p));

    return grade_at(s, count_true(graph, gr_op_number(graph, GR_OP_LESS, below, 0.5)));
}

static size_t grade_by_thresholds(const scoring *s)
{
    gr_graph *graph = s->graph;
    const size_t thresholds =
        gr_graph_copy(graph, gr_scorer_thresholds(s->scorer), s->scorer->levels - 1);
    const size_t output = gr_graph_part(graph, s->outputs, 0, 1);

    return grade_at(s, count_true(graph, gr_op2(graph, GR_OP_LESS_EQUAL, thresholds, output)));
}

static size_t sum_of_steps(const scoring *s)
{
    gr_graph *graph = s->graph;
    const double *labels = s->scorer->level_labels;
    double steps[GR_MAX_LEVELS];
    size_t outputs = s->outputs;

    for (size_t k = 0; k < s->scorer->outputs; k++)
        steps[k] = labels[k + 1] - labels[k];
    if (s->scorer->rule == GR_SCORE_COUNT)
        outputs =
            gr_op1(graph, GR_OP_TO_F64, gr_number_op(graph, GR_OP_LESS_EQUAL, 0.5, s->outputs));
    return gr_lower_inner(graph, outputs, steps, 0.0);
}

static gradus_status take_score(scoring *s, size_t *score)
{
    const gr_scorer *scorer = s->scorer;

    if (scorer->rule == GR_SCORE_OUTPUT)
        *score = scorer->outputs == 1 ? s->outputs : gr_graph_part(s->graph, s->outputs, 0, 1);
    else if (gr_meaning_has_thresholds(scorer->meaning) && scorer->rule == GR_SCORE_COUNT)
        *score = grade_by_thresholds(s);
    else if (scorer->rule == GR_SCORE_SUM || scorer->rule == GR_SCORE_COUNT)
        *score = sum_of_steps(s);
    else if (gr_scorer_takes_estimates(scorer)) {
        GR_TRY(take_estimate(s));
        *score = expectation(s, s->estimate);
    } else {
        GR_TRY(take_probabilities(s));
        *score = scorer->rule == GR_SCORE_HARD           ? most_probable(s)
                 : scorer->rule == GR_SCORE_MEDIAN_GRADE ? median(s)
                 : scorer->divisors                      ? ratio(s)
                                                         : expectation(s, s->probabilities);
    }
    return GRADUS_OK;
}

static scoring start(const gr_lowering *lowering, const gr_scorer *scorer, size_t outputs)
{
    return (scoring){ lowering, lowering->graph, scorer, outputs, SIZE_MAX, SIZE_MAX };
}

gradus_status gr_lower_scorer(const gr_lowering *lowering, const gr_scorer *scorer, size_t outputs,
                              size_t *score, size_t *probabilities)
{
    gr_lowering quiet = *lowering;
    scoring s = start(lowering, scorer, outputs);

    GR_TRY(take_score(&s, score));
    if (!probabilities)
        return GRADUS_OK;
    quiet.err = NULL; /* the score alone can be lowered */
    s.lowering = &quiet;
    if (gr_scorer_knows_probabilities(scorer))
        (void)take_probabilities(&s);
    *probabilities = s.probabilities;
    return GRADUS_OK;
}

gradus_status gr_lower_probabilities(const gr_lowering *lowering, const gr_scorer *scorer,
                                     size_t outputs, size_t *probabilities)
{
    scoring s = start(lowering, scorer, outputs);

    GR_TRY(take_probabilities(&s));
    *probabilities = s.probabilities;
    return GRADUS_OK;
}
