/* SPDX-License-Identifier: Apache-2.0 */
/* Which settings automatic training tries, and in which order: first every method of the portfolio
 * with its defaults, then random settings, more of the methods that did better so far. */
#include "base/memory.h"
#include "base/text.h"
#include "experiments/auto_run.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* The fastest of each family come first, so that small budgets see several families. Costs are
 * those of the default settings on MQ2008 and OHSUMED. svor-imc takes time in proportion to the
 * square of the rows: 10 at its limit. Not in the portfolio: adarank-* (weaker than the other linear
 * methods on all sets tried), svor-exc and svor-sl (weaker than svor-imc on synth mcrank), and
 * calibrated, which is an ensemble itself. */
static const gr_auto_method portfolio[] = {
    { "lambdamart", "trees", 1.0, false, 0 },
    { "regression", "trees", 0.7, false, 0 },
    { "listnet", "nets", 1.5, false, 0 },
    { "mcrank", "trees", 2.0, true, 0 },
    { "cocr", "trees", 1.2, true, 0 },
    { "propodds", "trees", 1.2, true, 0 },
    { "rankboost", "stumps", 1.0, false, 0 },
    { "orboost", "trees", 1.2, false, 0 },
    { "ranksvm", "linear", 10.0, false, 0 },
    { "svor-imc", "kernels", 10.0, false, 10000 },
    { "mcrank-ordinal", "trees", 2.5, true, 0 },
    { "lambdarank", "nets", 7.0, false, 0 },
    { "pairrank", "trees", 1.2, false, 0 },
    { "crr", "linear", 10.0, false, 0 },
    { "listmle", "nets", 4.0, false, 0 },
    { "adaboost-mh", "votes", 2.0, true, 0 },
    { "ranknet", "nets", 8.0, false, 0 },
    { "netreg", "nets", 6.0, false, 0 },
    { "coordinate-ascent", "linear", 35.0, false, 0 },
};
enum { PORTFOLIO = sizeof portfolio / sizeof portfolio[0] };

/* Fractions of a time budget: what is kept for the selection; what the defaults of a method may be
 * expected to take, else it is not tried, unless fewer than ENSEMBLE methods were; and what they may
 * take. The first trial may take first_part of the time that is left for trials. */
enum { ENSEMBLE = 3 };
static const double reserve = 0.05, largest_part = 0.15, longest_part = 0.3, first_part = 0.5;
/* With more threads for one model than for each of several folds, they are used less well. */
static const double refit_margin = 1.3;

void gr_auto_entries_free(gr_auto_run *run)
{
    for (size_t e = 0; e < run->entry_count; e++) {
        gr_space_free(&run->entries[e].space);
        gr_setting_list_free(&run->entries[e].settings);
        free(run->entries[e].name);
    }
    free(run->entries);
    run->entries = NULL;
    run->entry_count = 0;
}

static const gr_auto_method *find_method(const char *name)
{
    for (size_t m = 0; m < PORTFOLIO; m++)
        if (strcmp(portfolio[m].name, name) == 0)
            return &portfolio[m];
    return NULL;
}

double gr_method_cost(const char *name)
{
    /* not in the portfolio, or there for few rows only */
    static const gr_auto_method others[] = {
        { .name = "adarank-map", .cost = 3.0 }, { .name = "adarank-ndcg", .cost = 3.0 },
        { .name = "calibrated", .cost = 40.0 }, { .name = "svor-sl", .cost = 100.0 },
        { .name = "svor-imc", .cost = 100.0 },  { .name = "svor-exc", .cost = 100.0 },
    };
    const gr_auto_method *known = NULL;

    for (size_t m = 0; !known && m < sizeof others / sizeof others[0]; m++)
        if (strcmp(others[m].name, name) == 0)
            known = &others[m];
    if (!known)
        known = find_method(name);
    return known ? known->cost : 10.0;
}

static gradus_status check_name(const char *name, gradus_error *err)
{
    static const char *const none[] = { NULL };
    gradus_param param;
    const char *const *names = gradus_param_find("train", "method", &param) ? param.choices : none;
    size_t count = 0;

    for (; names[count]; count++)
        if (strcmp(names[count], name) == 0)
            return GRADUS_OK;
    return gr_fail_unknown(err, "method", name, names, count);
}

/* Whether a method of the portfolio suits the data. */
static gradus_status suits(const gr_auto_run *run, const gr_auto_method *method, bool *good,
                           gradus_error *err)
{
    char words[64];
    gradus_method_facts facts = { .needs_grades = false };
    gradus_label_kind labels = GRADUS_LABELS_GRADES;

    gr_text_copy(words, sizeof words, "method=", method->name);
    gradus_options *options = gr_words_options("train", words, err);
    gradus_status status = options ? gradus_method_describe(options, &facts, err) : err->status;

    gradus_options_free(options);
    GR_TRY(status);
    GR_TRY(gradus_dataset_labels(run->context, run->data.all, &labels, err));
    *good = (!facts.needs_grades || labels == GRADUS_LABELS_GRADES) &&
            (!run->options.probabilities || method->probabilities) &&
            (!method->most_rows || gradus_dataset_rows(run->data.all) <= method->most_rows);
    return GRADUS_OK;
}

static gradus_status add_entry(gr_auto_run *run, const char *name, size_t length, gradus_error *err)
{
    static const gr_space any = { .count = 0 };
    gr_auto_entry *more = realloc(run->entries, (run->entry_count + 1) * sizeof *more);
    char *copy = more ? strndup(name, length) : NULL;

    if (more)
        run->entries = more;
    if (!copy)
        return gr_fail_memory(err, "methods");
    gr_auto_entry *entry = &run->entries[run->entry_count++];
    const gr_auto_method *known = find_method(copy);

    *entry = (gr_auto_entry){ .name = copy, .best = (double)NAN };
    GR_TRY(check_name(copy, err));
    entry->method = known ? *known : (gr_auto_method){ copy, "other", 2.0, true, 0 };
    for (size_t e = 0; e + 1 < run->entry_count; e++)
        if (strcmp(run->entries[e].name, copy) == 0)
            return gr_fail(err, GRADUS_BAD_ARGUMENT, "'methods' names '%s' twice", copy);
    return gr_space_for(&any, copy, &entry->space, err);
}

gradus_status gr_auto_portfolio(gr_auto_run *run, gradus_error *err)
{
    const char *list = run->options.methods;

    for (size_t m = 0; !*list && m < PORTFOLIO; m++) {
        bool good;

        GR_TRY(suits(run, &portfolio[m], &good, err));
        if (good)
            GR_TRY(add_entry(run, portfolio[m].name, strlen(portfolio[m].name), err));
    }
    for (bool more = *list; more;) {
        const size_t length = strcspn(list, ",");

        GR_TRY(add_entry(run, list, length, err));
        more = list[length] == ',';
        list += length + more;
    }
    return run->entry_count
               ? GRADUS_OK
               : gr_fail(err, GRADUS_BAD_ARGUMENT, "no method suits these labels%s",
                         run->options.probabilities
                             ? ": grade probabilities need labels that are whole numbers from 0"
                             : "");
}

/* Seconds of the final training per second of a trial: one model, on one more fold than its folds
 * were trained on. */
static double refit_ratio(const gr_auto_run *run)
{
    const double folds = (double)run->data.fold_count;

    return folds > 1.0 ? refit_margin / (folds - 1.0) : 1.25;
}

/* Seconds that the final training may take: that of as many of the slowest trials as there may be
 * members. */
static double refit_seconds(const gr_auto_run *run)
{
    double sum = 0.0;

    for (size_t t = 0; t < run->trial_count; t++) {
        size_t slower = 0;

        for (size_t other = 0; other < run->trial_count; other++)
            slower += run->trials[other].seconds > run->trials[t].seconds ||
                      (run->trials[other].seconds == run->trials[t].seconds && other < t);
        if (slower < run->options.members)
            sum += run->trials[t].seconds * run->trials[t].part;
    }
    return sum * refit_ratio(run);
}

/* Counted from the end of the last trial: a resumed run decides as before. */
double gr_auto_most_seconds(const gr_auto_run *run)
{
    const double left = (1.0 - reserve) * run->budget.seconds - refit_seconds(run) - run->used;

    return left / (1.0 + refit_ratio(run));
}

double gr_auto_first_seconds(const gr_auto_run *run)
{
    return gr_auto_most_seconds(run) * (run->entry_count > 1 ? first_part : 1.0);
}

double gr_auto_deadline(const gr_auto_run *run, const gr_auto_entry *entry)
{
    double most = gr_auto_most_seconds(run);
    bool some = false;

    for (size_t e = 0; e < run->entry_count; e++)
        some = some || !isnan(run->entries[e].best);
    if (!some)
        return (double)INFINITY;
    if (entry->tries == 0)
        most = fmin(most, longest_part * run->budget.seconds);
    return run->start + run->used + most;
}

/* Seconds that the defaults of a method are expected to take, from those tried so far. */
static double expected_seconds(const gr_auto_run *run, const gr_auto_entry *entry)
{
    double seconds = 0.0, cost = 0.0;

    for (size_t t = 0; t < run->trial_count; t++) {
        const gr_auto_entry *tried = &run->entries[run->trials[t].entry];

        if (run->trials[t].failed || tried->tries != 1)
            continue;
        seconds += run->trials[t].seconds;
        cost += tried->method.cost;
    }
    return cost > 0.0 ? seconds / cost * entry->method.cost : 0.0;
}

/* The next method whose defaults have not been tried; entry_count: none. A method that would take
 * too much of a time budget is skipped, and is not part of the list of methods that repeats the
 * run. */
static size_t next_default(gr_auto_run *run)
{
    while (run->first_count < run->entry_count) {
        const gr_auto_entry *entry = &run->entries[run->first_count];
        const double seconds = expected_seconds(run, entry);

        if (run->trial_count == 0 || run->budget.settings ||
            (seconds <= gr_auto_most_seconds(run) &&
             (run->trial_count < ENSEMBLE || seconds <= largest_part * run->budget.seconds)))
            return run->first_count++;
        run->first_count++;
    }
    return run->entry_count;
}

/* How many methods have a better best value. */
static size_t rank_of(const gr_auto_run *run, size_t entry)
{
    size_t rank = 0;

    for (size_t e = 0; e < run->entry_count; e++) {
        const double value = run->entries[e].best, own = run->entries[entry].best;

        rank += gr_auto_better(run, value, own) ||
                (e < entry && !isnan(value) && value == own); /* ties: the earlier one */
    }
    return rank;
}

/* The method to draw further settings of: the number of trials of a method is about proportional to
 * 1 / (rank + 2). entry_count: none is left. */
static size_t next_random(const gr_auto_run *run)
{
    size_t chosen = run->entry_count, least = SIZE_MAX, chosen_rank = SIZE_MAX;

    for (size_t e = 0; e < run->entry_count; e++) {
        const gr_auto_entry *entry = &run->entries[e];

        if (entry->exhausted || isnan(entry->best))
            continue;
        const size_t rank = rank_of(run, e), load = entry->tries * (rank + 2);

        if (load < least || (load == least && rank < chosen_rank)) {
            chosen = e;
            least = load;
            chosen_rank = rank;
        }
    }
    return chosen;
}

/* Draws one more setting; *settings NULL: the space is exhausted. */
static gradus_status draw(gr_auto_run *run, size_t e, const char **settings, gradus_error *err)
{
    gr_auto_entry *entry = &run->entries[e];
    const size_t before = entry->settings.count;

    GR_TRY(gr_setting_list_draw(&entry->space, entry->name, run->options.seed, 1, &entry->next,
                                &entry->settings, err));
    *settings = entry->settings.count > before ? entry->settings.list[before] : NULL;
    entry->exhausted = !*settings;
    return GRADUS_OK;
}

gradus_status gr_auto_next(gr_auto_run *run, size_t *entry, const char **settings,
                           gradus_error *err)
{
    *settings = NULL;
    *entry = next_default(run);
    if (*entry < run->entry_count)
        return draw(run, *entry, settings, err);
    for (;;) {
        *entry = next_random(run);
        if (*entry == run->entry_count)
            return GRADUS_OK;
        if (run->entries[*entry].seconds > gr_auto_most_seconds(run)) {
            run->out_of_time = true;
            return GRADUS_OK;
        }
        GR_TRY(draw(run, *entry, settings, err));
        if (*settings)
            return GRADUS_OK;
    }
}
