/* SPDX-License-Identifier: Apache-2.0 */
/* Checks that labels and scores are valid for the requested metrics. */
#include "metrics/evaluate.h"

#include <math.h>

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

gradus_status gr_check_lists(const gr_lists *lists, const gr_evaluation *evaluation,
                             gradus_error *err)
{
    const demands all = collect(evaluation);
    const gr_lists_part *part = lists->part;
    const uint64_t rows = lists->starts[lists->queries];
    const uint64_t scored = part ? lists->starts[part->first] : 0;
    const uint64_t end = part ? lists->starts[part->end] : rows;
    double most = 0.0;

    for (uint64_t j = 0; lists->judgements && j < lists->judgement_starts[lists->queries]; j++)
        GR_TRY(check_label(&all, (double)lists->judgements[j], "judgements, line",
                           lists->judgement_lines[j], err));
    for (uint64_t r = 0; r < rows; r++) {
        const double label = (double)lists->labels[r];

        GR_TRY(check_label(&all, label, "row", row_number(lists, r), err));
        if (r >= scored && r < end)
            GR_TRY(check_score(&all, lists->scores[r], row_number(lists, r), err));
        most = fmax(most, label);
    }
    for (size_t m = 0; m < evaluation->measures.count; m++)
        if (evaluation->measures.at[m].metric->labels == GR_LABELS_GRADES)
            GR_TRY(gr_cost_covers(&evaluation->settings.cost, most, err));
    return GRADUS_OK;
}
