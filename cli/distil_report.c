/* SPDX-License-Identifier: Apache-2.0 */
/* What a distilled model loses and saves. */
#include "distil_report.h"

#include "progress.h"

#include <math.h>
#include <stdlib.h>

/* Scoring is repeated until it took this long in total, and the fastest time counts. */
#define TIMED_SECONDS 0.3
enum { MIN_REPEATS = 3, MAX_REPEATS = 1000 };

static double microseconds_per_row(gradus_context *context, const gradus_model *model,
                                   const gradus_dataset *data, double *scores)
{
    const double begin = seconds_now();
    double best = INFINITY;

    for (int i = 0; i < MAX_REPEATS; i++) {
        const double started = seconds_now();

        if (gradus_model_score(context, model, data, scores, NULL) != GRADUS_OK)
            return (double)NAN;
        best = fmin(best, seconds_now() - started);
        if (i + 1 >= MIN_REPEATS && seconds_now() - begin > TIMED_SECONDS)
            break;
    }
    return 1e6 * best / (double)gradus_dataset_rows(data);
}

int time_distilled(measuring *m, const gradus_dataset *data)
{
    gradus_error err;
    gradus_context *context = gradus_context_new(1, &err);
    double *scores;

    if (!context)
        return fail(&err);
    scores = must_have(gradus_dataset_rows(data), sizeof *scores);
    m->distilled.before = microseconds_per_row(context, m->distilled.teacher, data, scores);
    m->distilled.after = microseconds_per_row(context, m->made, data, scores);
    free(scores);
    gradus_context_free(context);
    return 0;
}

/* The mean difference of the first metric over queries, and its standard error. */
typedef struct difference {
    const char *metric;
    double mean, error;
} difference;

static bool difference_on(const measuring *m, const measured_set *set, difference *out)
{
    gradus_result before, after;
    double sum = 0.0, squares = 0.0, count = 0.0;

    if (!set->data || !set->of[m->count - 1].evaluation || !set->of[m->count].evaluation ||
        !gradus_evaluation_at(set->of[m->count - 1].evaluation, 0, &before) ||
        !gradus_evaluation_at(set->of[m->count].evaluation, 0, &after))
        return false;
    for (size_t q = 0; q < gradus_evaluation_queries(set->of[m->count].evaluation); q++)
        if (!isnan(before.by_query[q]) && !isnan(after.by_query[q])) {
            const double d = after.by_query[q] - before.by_query[q];

            sum += d;
            squares += d * d;
            count += 1.0;
        }
    if (count < 2.0)
        return false;
    const double variance = fmax(squares - sum * sum / count, 0.0) / (count - 1.0);

    *out = (difference){ after.metric, sum / count, sqrt(variance / count) };
    return true;
}

static size_t bytes_of(const gradus_model *model)
{
    uint64_t bytes = 0;

    gradus_model_size(model, &bytes, NULL);
    return (size_t)bytes;
}

void add_distilled(text *t, const measuring *m)
{
    const distillation *d = &m->distilled;
    difference found;

    text_format(t, "distilled    %s, trained on the scores of %s of ",
                counted(d->trees, "tree", "trees"), counted(d->rows, "row", "rows"));
    text_add_shown(t, d->path);
    text_add(t, "\n");
    for (size_t s = 0; s < MEASURED_SETS; s++)
        if (difference_on(m, &m->sets[s], &found)) {
            text_format(t, "             %s %+.4f +- %.4f on ", found.metric, found.mean,
                        found.error);
            text_add_shown(t, m->sets[s].path);
            text_add(t, ", compared with the ensemble\n");
        }
    text_format(t, "             %.2f microseconds per row, ensemble %.2f\n", d->after, d->before);
    text_format(t, "             %s, ensemble %s\n", counted(bytes_of(m->made), "byte", "bytes"),
                with_commas(bytes_of(d->teacher)));
}

void json_distilled(json *j, const measuring *m)
{
    const distillation *d = &m->distilled;
    difference found;

    json_open(j, "distilled", '{');
    json_count(j, "trees", d->trees);
    json_string(j, "data", d->path);
    json_count(j, "rows", d->rows);
    json_count(j, "ensemble_bytes", bytes_of(d->teacher));
    json_number(j, "microseconds_per_row", d->after);
    json_number(j, "ensemble_microseconds_per_row", d->before);
    json_open(j, "differences", '[');
    for (size_t s = 0; s < MEASURED_SETS; s++)
        if (difference_on(m, &m->sets[s], &found)) {
            json_open(j, NULL, '{');
            json_string(j, "set", m->sets[s].role);
            json_string(j, "metric", found.metric);
            json_number(j, "difference", found.mean);
            json_number(j, "standard_error", found.error);
            json_close(j, '}');
        }
    json_close(j, ']');
    json_close(j, '}');
}
