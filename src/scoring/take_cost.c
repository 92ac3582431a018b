/* SPDX-License-Identifier: Apache-2.0 */
/* The best order under a cost of pairs: Theorem 3 of Uematsu and Lee (2015). */
#include "scoring/choose.h"

#include "base/memory.h"
#include "base/text.h"
#include "objectives/problem.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

enum { NAMED = 3 }; /* pairs listed in the note */

/* c_ji for grades j < i, and the value that the condition requires. */
typedef struct cell {
    size_t low, high;
    double cost, wanted;
} cell;

/* The grade fractions in the form of the grade counts of a list. */
typedef struct population {
    double below[GR_MAX_LEVELS + 1], cuts[GR_MAX_LEVELS];
    gr_levels levels;
} population;

static void count_levels(population *all, size_t count, const double *labels, const double *shares)
{
    double squares = 0.0;

    all->below[0] = all->cuts[0] = 0.0;
    for (size_t l = 0; l < count; l++) {
        all->below[l + 1] = all->below[l] + shares[l];
        squares += shares[l] * shares[l];
    }
    for (size_t l = 1; l < count; l++)
        all->cuts[l] =
            all->cuts[l - 1] + 1.0 / (all->below[l] * (all->below[count] - all->below[l]));
    all->levels = (gr_levels){ count,     labels,
                               shares,    all->below,
                               all->cuts, 0.5 * (all->below[count] * all->below[count] - squares) };
}

static gradus_status check_grades(const gr_scorer *scorer, gradus_error *err)
{
    for (size_t l = 0; l < scorer->levels; l++) {
        const double grade = scorer->level_labels[l];

        if (!(grade >= 0.0 && grade <= 1e9) || grade != floor(grade))
            return gr_fail(err, GRADUS_BAD_ARGUMENT,
                           "costs need grades that are whole numbers, but the model has grade %g",
                           grade);
    }
    return GRADUS_OK;
}

static gradus_status fill_costs(const gr_cost_choice *cost, const population *all, double *costs,
                                gradus_error *err)
{
    const size_t count = all->levels.count;

    for (size_t j = 0; j < count; j++)
        for (size_t i = j + 1; i < count; i++) {
            const double value = gr_cost_of_pair(cost, &all->levels, j, i);

            if (!(value >= 0.0 && value <= GR_LARGEST_VALUE))
                return gr_fail(err, GRADUS_BAD_ARGUMENT,
                               "the cost of grades %g and %g is %g, not from 0 to 1e100",
                               all->levels.labels[j], all->levels.labels[i], value);
            costs[j * count + i] = value;
        }
    return GRADUS_OK;
}

/* Keeps the worst NAMED, worst first. */
static void keep_worst(cell *worst, size_t found, const cell *one)
{
    size_t at = found < NAMED ? found : NAMED;

    for (;
         at > 0 && fabs(worst[at - 1].cost - worst[at - 1].wanted) < fabs(one->cost - one->wanted);
         at--)
        if (at < NAMED)
            worst[at] = worst[at - 1];
    if (at < NAMED)
        worst[at] = *one;
}

/* Finds pairs of inner grades that violate the condition; pairs with the first or last grade
 * cannot. */
static size_t find_breaks(const double *costs, size_t count, cell worst[NAMED])
{
    const double *first = costs, whole = costs[count - 1];
    size_t found = 0;

    for (size_t j = 1; j + 1 < count; j++)
        for (size_t i = j + 1; i + 1 < count; i++) {
            const double with = first[i] * costs[j * count + count - 1] / whole;
            const double against = first[j] * costs[i * count + count - 1] / whole;
            const double wanted = fabs(with - against) > 1e-12 * with ? with - against : 0.0;
            const cell one = { j, i, costs[j * count + i], wanted };

            if (fabs(one.cost - one.wanted) > 1e-9 * (with + against + one.cost))
                keep_worst(worst, found++, &one);
        }
    return found;
}

void gr_pair_costs_note(const double *costs, size_t count, const double *labels, const char *what,
                        const gradus_context *context)
{
    const size_t inner = count > 3 ? count - 2 : 0;
    cell worst[NAMED];
    const size_t found = inner ? find_breaks(costs, count, worst) : 0;
    char text[300] = "";

    for (size_t w = 0; w < found && w < NAMED; w++) {
        char one[100];

        snprintf(one, sizeof one, "%sc[%g][%g] is %g, not %g", w ? "; " : "", labels[worst[w].low],
                 labels[worst[w].high], worst[w].cost, worst[w].wanted);
        gr_text_append(text, sizeof text, one);
    }
    if (found)
        gr_note(
            context,
            "the cost violates the condition of %s for %zu of %zu pairs of inner grades, by up to "
            "%.3g%% of c[%g][%g] (%s): the order is optimal for costs that satisfy it, but may not "
            "be for this one",
            what, found, inner * (inner - 1) / 2,
            100.0 * fabs(worst[0].cost - worst[0].wanted) / costs[count - 1], labels[0],
            labels[count - 1], text);
}

static gradus_status take_costs(gr_scorer *scorer, const double *costs,
                                const gradus_context *context, gradus_error *err)
{
    const size_t count = scorer->levels;

    if (!(costs[count - 1] > 0.0))
        return gr_fail(
            err, GRADUS_BAD_ARGUMENT,
            "cost-ratio needs a positive cost of ranking grade %g below grade %g, but it is 0",
            scorer->level_labels[count - 1], scorer->level_labels[0]);
    scorer->values = gr_new_array(count, sizeof *scorer->values);
    scorer->divisors = gr_new_array(count, sizeof *scorer->divisors);
    if (!scorer->values || !scorer->divisors)
        return gr_fail_memory(err, "a scoring rule");
    for (size_t l = 0; l < count; l++) {
        scorer->values[l] = l > 0 ? costs[l] : 0.0;
        scorer->divisors[l] = l + 1 < count ? costs[l * count + count - 1] : 0.0;
    }
    gr_pair_costs_note(costs, count, scorer->level_labels, "cost-ratio", context);
    return GRADUS_OK;
}

gradus_status gr_pair_costs(const gr_cost_choice *cost, size_t levels, const double *labels,
                            const double *shares, double *costs, gradus_error *err)
{
    population all;

    count_levels(&all, levels, labels, shares);
    return fill_costs(cost, &all, costs, err);
}

static gradus_status take(gr_scorer *scorer, const gr_cost_choice *cost, const double *shares,
                          double *costs, const gradus_context *context, gradus_error *err)
{
    GR_TRY(gr_pair_costs(cost, scorer->levels, scorer->level_labels, shares, costs, err));
    return take_costs(scorer, costs, context, err);
}

gradus_status gr_scorer_take_cost(gr_scorer *scorer, const char *word, const double *shares,
                                  const gradus_context *context, gradus_error *err)
{
    const size_t count = scorer->levels;
    gr_cost_choice cost;
    double *costs;
    gradus_status status;

    if (count < 2)
        return gr_fail(err, GRADUS_BAD_ARGUMENT, "cost-ratio needs at least two grades");
    GR_TRY(check_grades(scorer, err));
    GR_TRY(gr_cost_choose(word, &cost, err));
    status = gr_cost_covers(&cost, scorer->level_labels[count - 1], err);
    costs = status == GRADUS_OK ? gr_new_array(count * count, sizeof *costs) : NULL;
    if (costs)
        status = take(scorer, &cost, shares, costs, context, err);
    else if (status == GRADUS_OK)
        status = gr_fail_memory(err, "costs");
    free(costs);
    gr_cost_choice_free(&cost);
    return status;
}
