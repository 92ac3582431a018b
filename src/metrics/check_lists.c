/* SPDX-License-Identifier: Apache-2.0 */
/* Checks that labels and scores are valid for the requested metrics. */
#include "metrics/evaluate.h"

#include "base/memory.h"
#include "base/ranges.h"

#include <math.h>
#include <stdlib.h>

enum { ROWS = 1 << 13 }; /* that a thread checks at once */

/* Requirements on labels and scores, collected from all requested metrics. */
typedef struct demands {
    bool grades;        /* labels are whole numbers from 0 to most_grade */
    bool not_negative;  /* labels are at least 0 */
    bool shares;        /* labels are from 0 to 1 */
    bool probabilities; /* scores are from 0 to 1 */
    double most_grade;
    bool predicted; /* scores are whole numbers from 0 to 1023 */
    const char *predicted_for;
    const char *grades_for, *probabilities_for; /* the metric or switch that takes it */
} demands;

static void demand_grades(demands *all, double most, const char *what)
{
    all->grades = true;
    if (most < all->most_grade || !all->grades_for) {
        all->most_grade = most;
        all->grades_for = what;
    }
}

static void demand_gain(demands *all, const gr_gains *gains)
{
    if (gains->rule == GR_GAIN_LINEAR)
        all->not_negative = true;
    else if (gains->rule == GR_GAIN_TABLE)
        demand_grades(all, (double)gains->count - 1.0, "--label-gain");
    else
        demand_grades(all, 1023.0,
                      gains->rule == GR_GAIN_EXP ? "exponential gain" : "a table of gains");
}

static demands collect(const gr_evaluation *evaluation)
{
    const gr_settings *settings = &evaluation->settings;
    demands all = { .most_grade = INFINITY };

    for (size_t m = 0; m < evaluation->measures.count; m++) {
        const gr_metric *metric = evaluation->measures.at[m].metric;

        if (metric->labels == GR_LABELS_GAIN)
            demand_gain(&all, &settings->gains);
        if (metric->labels == GR_LABELS_STOP && settings->convention.stop == GR_STOP_LABEL)
            all.shares = true;
        else if (metric->labels == GR_LABELS_STOP)
            demand_grades(&all, fmin(settings->max_grade, 1023.0), "err");
        if (metric->labels == GR_LABELS_GRADES || metric->labels == GR_LABELS_WHOLE)
            demand_grades(&all, 1023.0, metric->about.name);
        if (metric->grades) {
            all.predicted = true;
            all.predicted_for = metric->about.name;
        }
        if (metric->probabilities) {
            all.probabilities = true;
            all.probabilities_for = metric->about.name;
        }
    }
    return all;
}

static unsigned long long row_number(const gr_lists *lists, uint64_t r)
{
    return (unsigned long long)(lists->file_rows ? lists->file_rows[r] : r) + 1;
}

static gradus_status check_label(const demands *all, double label, const char *what,
                                 unsigned long long row, gradus_error *err)
{
    if (!isfinite(label))
        return gr_fail(err, GRADUS_BAD_NUMBER, "%s %llu: label is %g, not a finite number", what,
                       row, label);
    if (all->grades && !(label >= 0.0 && label <= all->most_grade && label == floor(label)))
        return gr_fail(err, GRADUS_BAD_NUMBER,
                       "%s %llu: label %g is not a grade: %s takes whole numbers from 0 to %g",
                       what, row, label, all->grades_for, all->most_grade);
    if (all->not_negative && !(label >= 0.0))
        return gr_fail(err, GRADUS_BAD_NUMBER,
                       "%s %llu: label %g is negative: linear gain takes labels >= 0", what, row,
                       label);
    if (all->shares && !(label >= 0.0 && label <= 1.0))
        return gr_fail(err, GRADUS_BAD_NUMBER,
                       "%s %llu: label %g is not a probability: err by CatBoost's convention "
                       "takes labels >= 0",
                       what, row, label);
    return GRADUS_OK;
}

static gradus_status check_score(const demands *all, double score, unsigned long long row,
                                 gradus_error *err)
{
    if (!isfinite(score))
        return gr_fail(err, GRADUS_BAD_NUMBER, "row %llu: score is %g, not a finite number", row,
                       score);
    if (all->predicted && !(score >= 0.0 && score <= 1023.0 && score == floor(score)))
        return gr_fail(err, GRADUS_BAD_NUMBER,
                       "row %llu: score %g is not a grade: %s takes predicted grades, whole "
                       "numbers from 0 to 1023 (option 'grades' gets them from a model)",
                       row, score, all->predicted_for);
    if (all->probabilities && !(score >= 0.0 && score <= 1.0))
        return gr_fail(err, GRADUS_BAD_NUMBER,
                       "row %llu: score %g is not a probability: %s takes scores from 0 "
                       "to 1",
                       row, score, all->probabilities_for);
    return GRADUS_OK;
}

/* Checks rows from `first` to `end` - 1, and sets *most to their highest label, or 0. */
static gradus_status check_rows(const demands *all, const gr_lists *lists, uint64_t first,
                                uint64_t end, double *most, gradus_error *err)
{
    const gr_lists_part *part = lists->part;
    const uint64_t scored = part ? lists->starts[part->first] : 0;
    const uint64_t scored_end = lists->starts[part ? part->end : lists->queries];

    *most = 0.0;
    for (uint64_t r = first; r < end; r++) {
        const double label = (double)lists->labels[r];

        GR_TRY(check_label(all, label, "row", row_number(lists, r), err));
        if (r >= scored && r < scored_end)
            GR_TRY(check_score(all, lists->scores[r], row_number(lists, r), err));
        *most = fmax(*most, label);
    }
    return GRADUS_OK;
}

typedef struct check_work {
    const demands *all;
    const gr_lists *lists;
    double *most; /* of each range; NAN: a row is invalid */
} check_work;

static void check_range(void *argument, gr_range range)
{
    const check_work *work = argument;
    double most;

    work->most[range.index] =
        check_rows(work->all, work->lists, range.first, range.end, &most, NULL) == GRADUS_OK
            ? most
            : (double)NAN;
}

/* The same for all rows. The message is that of the first invalid one. */
static gradus_status check_all(const demands *all, const gr_lists *lists, gr_pool *pool,
                               double *most, gradus_error *err)
{
    const size_t rows = (size_t)lists->starts[lists->queries], ranges = gr_range_count(rows, ROWS);
    const check_work work = { all, lists, gr_new_array(ranges, sizeof *work.most) };
    gradus_status status = GRADUS_OK;

    *most = 0.0;
    if (!work.most)
        return gr_fail_memory(err, "the labels of ranges");
    gr_for_ranges(pool, rows, ROWS, check_range, (void *)&work);
    for (size_t i = 0; i < ranges && status == GRADUS_OK; i++) {
        if (isnan(work.most[i]))
            status = check_rows(all, lists, i * ROWS, rows, most, err);
        else
            *most = fmax(*most, work.most[i]);
    }
    free(work.most);
    return status;
}

gradus_status gr_check_lists(const gr_lists *lists, const gr_evaluation *evaluation, gr_pool *pool,
                             gradus_error *err)
{
    const demands all = collect(evaluation);
    double most;

    for (uint64_t j = 0; lists->judgements && j < lists->judgement_starts[lists->queries]; j++)
        GR_TRY(check_label(&all, (double)lists->judgements[j], "judgements, line",
                           lists->judgement_lines[j], err));
    GR_TRY(check_all(&all, lists, pool, &most, err));
    for (size_t m = 0; m < evaluation->measures.count; m++)
        if (evaluation->measures.at[m].metric->labels == GR_LABELS_GRADES)
            GR_TRY(gr_cost_covers(&evaluation->settings.cost, most, err));
    return GRADUS_OK;
}
