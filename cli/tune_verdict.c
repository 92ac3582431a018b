/* SPDX-License-Identifier: Apache-2.0 */
/* Whether a tournament has a clear winner, in a sentence. */
#include "cmd_tune.h"

#include <math.h>
#include <string.h>

static bool is_other(const gradus_place *place, size_t row)
{
    return row > 0 && place->contender;
}

static size_t count_others(const gradus_tuning *tuning)
{
    gradus_place place;
    size_t count = 0;

    for (size_t i = 0; gradus_tuning_place_at(tuning, i, &place); i++)
        count += is_other(&place, i);
    return count;
}

/* "a, b and c": the contenders other than the first row. */
static void add_others(text *t, const gradus_tuning *tuning, size_t count)
{
    gradus_place place;
    size_t done = 0;

    for (size_t i = 0; gradus_tuning_place_at(tuning, i, &place); i++) {
        if (!is_other(&place, i))
            continue;
        text_add(t, done == 0 ? "" : done + 1 == count ? " and " : ", ");
        text_add(t, place.best.method);
        done++;
    }
}

/* "X is the best in 41.2% of 10,000 bootstrap resamples of the 14 test queries" */
static void add_first(text *t, const gradus_tuning_facts *facts, const gradus_place *first)
{
    text_format(
        t, "%s%s is the best in %s%.1f%% of 10,000 bootstrap resamples of the %s %s %s%s",
        first->best.method, first->contender ? "" : ", the best on validation data,",
        first->contender ? "" : "only ", 100.0 * first->prob_best, with_commas(facts->best_queries),
        facts->best_on, plural(facts->best_queries, "query", "queries"),
        strcmp(facts->best_on, "validation") == 0 ? " (which also selected the settings)" : "");
}

void tune_verdict(text *t, const gradus_tuning *tuning, size_t width)
{
    const size_t others = count_others(tuning);
    gradus_tuning_facts facts;
    gradus_place first;
    text verdict = { 0 };

    gradus_tuning_describe(tuning, &facts);
    if (!gradus_tuning_place_at(tuning, 0, &first) || isnan(first.prob_best))
        return;
    text_add(&verdict, others ? "No clear winner: " : "Clear winner: ");
    add_first(&verdict, &facts, &first);
    if (others) {
        text_add(&verdict, first.contender ? " and is not clearly better than " : "; ");
        add_others(&verdict, tuning, others);
        if (!first.contender)
            text_add(&verdict,
                     others == 1 ? " is the best more often" : " are the best more often");
        text_add(&verdict, ". Combine them rather than choose one: 'gradus auto' does so, or train "
                           "each and average them with 'gradus ensemble'");
    }
    text_add(&verdict, ".");
    text_add(t, "\n");
    text_wrap(t, text_string(&verdict), 0, width);
    text_add(t, "\n");
    text_free(&verdict);
}
