/* SPDX-License-Identifier: Apache-2.0 */
/* Results of a cross-validation: selected settings, per-query test values, significance tests. */
#include "experiments/contest.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static void end_standing(gr_standing *standing)
{
    free(standing->chosen);
    free(standing->chosen_valid);
    free(standing->rounds);
    free(standing->values);
}

void gr_standings_free(gr_standing *standings, size_t count)
{
    for (size_t i = 0; standings && i < count; i++)
        end_standing(&standings[i]);
    free(standings);
}

/* Selects the settings of a fold: the best on its validation data, the first of them if tied. */
static const gr_json *choose(const gr_contest *contest, gr_journal *journal, size_t contestant,
                             size_t fold, gr_standing *standing)
{
    const gr_json *best = NULL;

    for (size_t s = 0; contest->contestants[contestant].settings[s]; s++) {
        const gr_json *value = gr_contest_trial(contest, journal, contestant, s, fold);
        const double valid = gr_json_real(value, "valid");
        const double before = gr_json_real(best, "valid");
        bool lower = false;

        if (!value || gr_json_find(value, "failed"))
            continue;
        gr_json_flag(gr_json_find(value, "lower_is_better"), &lower);
        standing->seconds += gr_json_real(value, "seconds");
        if (!best || (lower ? valid < before : valid > before)) {
            best = value;
            standing->chosen[fold] = s;
            standing->chosen_valid[fold] = valid;
            gr_json_count(gr_json_find(value, "rounds"), &standing->rounds[fold]);
        }
    }
    standing->bytes += gr_json_real(best, "bytes") / (double)contest->fold_count;
    return best;
}

/* Appends the test values of a fold to the standing. */
static gradus_status add_values(gr_standing *standing, const gr_json *values, gradus_error *err)
{
    const size_t measures = values->count;
    const gr_json *list = gr_json_first(values);
    size_t count = 0;

    if (measures == 0 || measures > GR_MAX_MEASURES ||
        (standing->measures && standing->measures != measures))
        return gr_fail(err, GRADUS_BAD_FORMAT, "a trial in the journal has different metrics");
    const size_t queries = standing->queries + list->count;
    double *grown = gr_new_array(measures * queries, sizeof *grown);

    if (!grown)
        return gr_fail_memory(err, "values of queries");
    for (size_t m = 0; m < measures; m++, list = gr_json_next(list)) {
        double *more = gr_json_numbers(list, &count);

        if (!more || standing->queries + count != queries) {
            free(more);
            free(grown);
            return more ? gr_fail(err, GRADUS_BAD_FORMAT,
                                  "the metrics of a trial in the journal differ in their number "
                                  "of queries")
                        : gr_fail_memory(err, "values of queries");
        }
        if (standing->queries)
            memcpy(grown + m * queries, standing->values + m * standing->queries,
                   standing->queries * sizeof *grown);
        memcpy(grown + m * queries + standing->queries, more, count * sizeof *grown);
        free(more);
    }
    free(standing->values);
    standing->values = grown;
    standing->queries = queries;
    standing->measures = measures;
    return GRADUS_OK;
}

static void average(gr_standing *standing)
{
    for (size_t m = 0; m < standing->measures; m++) {
        const double *values = standing->values + m * standing->queries;
        double sum = 0.0, squares = 0.0, count = 0.0;

        for (size_t q = 0; q < standing->queries; q++)
            if (!isnan(values[q])) {
                sum += values[q];
                count += 1.0;
            }
        standing->mean[m] = count > 0.0 ? sum / count : (double)NAN;
        for (size_t q = 0; q < standing->queries; q++)
            if (!isnan(values[q]))
                squares += (values[q] - standing->mean[m]) * (values[q] - standing->mean[m]);
        standing->error[m] = count > 1.0 ? sqrt(squares / (count - 1.0) / count) : (double)NAN;
    }
}

static gradus_status stand(const gr_contest *contest, gr_journal *journal, size_t contestant,
                           gr_standing *standing, gradus_error *err)
{
    const size_t folds = contest->fold_count;

    standing->name = contest->contestants[contestant].name;
    standing->chosen = gr_new_array(folds, sizeof *standing->chosen);
    standing->chosen_valid = gr_new_array(folds, sizeof *standing->chosen_valid);
    standing->rounds = gr_new_array(folds, sizeof *standing->rounds);
    if (!standing->chosen || !standing->chosen_valid || !standing->rounds)
        return gr_fail_memory(err, "the results of trials");
    for (size_t f = 0; f < folds; f++) {
        const gr_json *values =
            gr_json_find(choose(contest, journal, contestant, f, standing), "values");

        if (values)
            GR_TRY(add_values(standing, values, err));
    }
    average(standing);
    return GRADUS_OK;
}

gradus_status gr_contest_run(gradus_context *context, const gr_contest *contest,
                             gr_journal *journal, gr_standing **standings, gradus_error *err)
{
    gradus_error fault = { GRADUS_OK, "" };
    gradus_status status = gr_contest_hold(context, contest, journal, &fault);

    *standings = NULL;
    if (status == GRADUS_OK) {
        *standings = gr_new_array(contest->count, sizeof **standings);
        status = *standings ? GRADUS_OK : gr_fail_memory(&fault, "standings");
    }
    for (size_t i = 0; status == GRADUS_OK && i < contest->count; i++)
        status = stand(contest, journal, i, &(*standings)[i], &fault);
    if (status == GRADUS_OK)
        return GRADUS_OK;
    gr_standings_free(*standings, contest->count);
    *standings = NULL;
    return gr_fail(err, status, "%s", fault.message);
}

gradus_status gr_standings_compare(gradus_context *context, const gr_standing *a,
                                   const gr_standing *b, size_t measure, const char *test,
                                   bool one_sided, gradus_contrast *contrast, gradus_error *err)
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
