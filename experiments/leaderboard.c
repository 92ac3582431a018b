/* SPDX-License-Identifier: Apache-2.0 */
/* Results of a cross-validation: selected settings, per-query test values, significance tests. */
#include "experiments/crossval.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static void end_entry(gr_leaderboard_entry *entry)
{
    free(entry->chosen);
    free(entry->chosen_valid);
    free(entry->rounds);
    free(entry->values);
}

void gr_leaderboard_free(gr_leaderboard_entry *leaderboard, size_t count)
{
    for (size_t i = 0; leaderboard && i < count; i++)
        end_entry(&leaderboard[i]);
    free(leaderboard);
}

/* Selects the settings of a fold: the best on its validation data, the first of them if tied. */
static const gr_json *choose(const gr_crossval *cv, gr_journal *journal, size_t candidate,
                             size_t fold, gr_leaderboard_entry *entry)
{
    const gr_json *best = NULL;

    for (size_t s = 0; cv->candidates[candidate].settings[s]; s++) {
        const gr_json *value = gr_crossval_trial(cv, journal, candidate, s, fold);
        const double valid = gr_json_real(value, "valid");
        const double before = gr_json_real(best, "valid");
        bool lower = false;

        if (!value || gr_json_find(value, "failed"))
            continue;
        gr_json_flag(gr_json_find(value, "lower_is_better"), &lower);
        entry->seconds += gr_json_real(value, "seconds");
        if (!best || (lower ? valid < before : valid > before)) {
            best = value;
            entry->chosen[fold] = s;
            entry->chosen_valid[fold] = valid;
            gr_json_count(gr_json_find(value, "rounds"), &entry->rounds[fold]);
        }
    }
    entry->bytes += gr_json_real(best, "bytes") / (double)cv->fold_count;
    return best;
}

/* Appends the test values of a fold to the entry. */
static gradus_status add_values(gr_leaderboard_entry *entry, const gr_json *values,
                                gradus_error *err)
{
    const size_t measures = values->count;
    const gr_json *list = gr_json_first(values);
    size_t count = 0;

    if (measures == 0 || measures > GR_MAX_MEASURES ||
        (entry->measures && entry->measures != measures))
        return gr_fail(err, GRADUS_BAD_FORMAT, "a trial in the journal has different metrics");
    const size_t queries = entry->queries + list->count;
    double *grown = gr_new_array(measures * queries, sizeof *grown);

    if (!grown)
        return gr_fail_memory(err, "values of queries");
    for (size_t m = 0; m < measures; m++, list = gr_json_next(list)) {
        double *more = gr_json_numbers(list, &count);

        if (!more || entry->queries + count != queries) {
            free(more);
            free(grown);
            return more ? gr_fail(err, GRADUS_BAD_FORMAT,
                                  "the metrics of a trial in the journal differ in their number "
                                  "of queries")
                        : gr_fail_memory(err, "values of queries");
        }
        if (entry->queries)
            memcpy(grown + m * queries, entry->values + m * entry->queries,
                   entry->queries * sizeof *grown);
        memcpy(grown + m * queries + entry->queries, more, count * sizeof *grown);
        free(more);
    }
    free(entry->values);
    entry->values = grown;
    entry->queries = queries;
    entry->measures = measures;
    return GRADUS_OK;
}

static void average(gr_leaderboard_entry *entry)
{
    for (size_t m = 0; m < entry->measures; m++) {
        const double *values = entry->values + m * entry->queries;
        double sum = 0.0, squares = 0.0, count = 0.0;

        for (size_t q = 0; q < entry->queries; q++)
            if (!isnan(values[q])) {
                sum += values[q];
                count += 1.0;
            }
        entry->mean[m] = count > 0.0 ? sum / count : (double)NAN;
        for (size_t q = 0; q < entry->queries; q++)
            if (!isnan(values[q]))
                squares += (values[q] - entry->mean[m]) * (values[q] - entry->mean[m]);
        entry->error[m] = count > 1.0 ? sqrt(squares / (count - 1.0) / count) : (double)NAN;
    }
}

static gradus_status fill_entry(const gr_crossval *cv, gr_journal *journal, size_t candidate,
                                gr_leaderboard_entry *entry, gradus_error *err)
{
    const size_t folds = cv->fold_count;

    entry->name = cv->candidates[candidate].name;
    entry->chosen = gr_new_array(folds, sizeof *entry->chosen);
    entry->chosen_valid = gr_new_array(folds, sizeof *entry->chosen_valid);
    entry->rounds = gr_new_array(folds, sizeof *entry->rounds);
    if (!entry->chosen || !entry->chosen_valid || !entry->rounds)
        return gr_fail_memory(err, "the results of trials");
    for (size_t f = 0; f < folds; f++) {
        const gr_json *values = gr_json_find(choose(cv, journal, candidate, f, entry), "values");

        if (values)
            GR_TRY(add_values(entry, values, err));
    }
    average(entry);
    return GRADUS_OK;
}

gradus_status gr_crossval_run(gradus_context *context, const gr_crossval *cv, gr_journal *journal,
                              gr_leaderboard_entry **leaderboard, gradus_error *err)
{
    gradus_error fault = { GRADUS_OK, "" };
    gradus_status status = gr_crossval_run_trials(context, cv, journal, &fault);

    *leaderboard = NULL;
    if (status == GRADUS_OK) {
        *leaderboard = gr_new_array(cv->count, sizeof **leaderboard);
        status = *leaderboard ? GRADUS_OK : gr_fail_memory(&fault, "the leaderboard");
    }
    for (size_t i = 0; status == GRADUS_OK && i < cv->count; i++)
        status = fill_entry(cv, journal, i, &(*leaderboard)[i], &fault);
    if (status == GRADUS_OK)
        return GRADUS_OK;
    gr_leaderboard_free(*leaderboard, cv->count);
    *leaderboard = NULL;
    return gr_fail(err, status, "%s", fault.message);
}

gradus_status gr_leaderboard_compare(gradus_context *context, const gr_leaderboard_entry *a,
                                     const gr_leaderboard_entry *b, size_t measure,
                                     const char *test, bool one_sided, gradus_contrast *contrast,
                                     gradus_error *err)
{
    const double *const values[] = { a->values + measure * a->queries,
                                     b->values + measure * b->queries };
    gradus_options *options = gradus_options_new("compare", err);
    gradus_comparison *comparison = NULL;

    if (options && gradus_options_set(options, "test", test, err) == GRADUS_OK &&
        gradus_options_set(options, "sided", one_sided ? "1" : "2", err) == GRADUS_OK)
        comparison = gradus_compare(context, 2, a->queries, values, options, err);
    const gradus_status status = comparison ? GRADUS_OK : err ? err->status : GRADUS_NO_MEMORY;

    if (comparison)
        gradus_comparison_at(comparison, 0, contrast);
    gradus_comparison_free(comparison);
    gradus_options_free(options);
    return status;
}
