/* SPDX-License-Identifier: Apache-2.0 */
/* Partial dependence: the mean score if all rows have the same value of a feature. */
#include "explain/changed_feature.h"

#include "base/context.h"
#include "model/predict.h"

#include <math.h>
#include <stdlib.h>

typedef struct depending {
    const gradus_context *context;
    const gradus_model *model;
    const gradus_arrays *arrays;
    size_t first_id; /* of the data */
    gr_changeable rows;
    double *plain;   /* per query: mean score of the unchanged data */
    double *changed; /* per query: how the mean score changes */
    double *sorted;  /* values of the feature that are not missing */
} depending;

static int compare_doubles(const void *a, const void *b)
{
    const double x = *(const double *)a, y = *(const double *)b;

    return x < y ? -1 : x > y;
}

/* Chooses values at equally spaced quantiles; the number of distinct ones. */
static size_t choose_values(const depending *d, size_t most, gradus_dependence *points)
{
    size_t values = 0, found = 0;

    for (size_t r = 0; r < d->rows.rows; r++)
        if (isfinite(d->rows.column[r]))
            d->sorted[values++] = (double)d->rows.column[r];
    qsort(d->sorted, values, sizeof *d->sorted, compare_doubles);
    for (size_t i = 0; values && i < most; i++) {
        const double value = d->sorted[most > 1 ? i * (values - 1) / (most - 1) : values / 2];

        if (found == 0 || points[found - 1].value < value)
            points[found++].value = value;
    }
    return found;
}

/* The mean scores of queries, and of all rows. */
static gradus_status mean_scores(const depending *d, double *by_query, double *mean,
                                 gradus_error *err)
{
    const gradus_arrays *a = d->arrays;
    double sum = 0.0;

    GR_TRY(gr_model_run(d->model, d->rows.data, d->context, d->rows.scores, NULL, err));
    for (size_t q = 0; q < a->queries; q++) {
        double own = 0.0;

        for (uint64_t r = a->query_starts[q]; r < a->query_starts[q + 1]; r++)
            own += d->rows.scores[r];
        sum += own;
        by_query[q] = own / (double)(a->query_starts[q + 1] - a->query_starts[q]);
    }
    *mean = sum / (double)a->rows;
    return GRADUS_OK;
}

static gradus_status depend(depending *d, size_t feature, gradus_dependence *points, size_t *count,
                            gradus_error *err)
{
    double mean;

    gr_changeable_take(&d->rows, feature);
    GR_TRY(mean_scores(d, d->plain, &mean, err));
    *count = choose_values(d, *count, points);
    if (*count == 0)
        return gr_fail(err, GRADUS_BAD_NUMBER, "feature %zu has no finite value in the data",
                       feature + d->first_id);
    for (size_t p = 0; p < *count; p++) {
        for (size_t r = 0; r < d->rows.rows; r++)
            d->rows.values[r * d->rows.features + feature] = (float)points[p].value;
        GR_TRY(mean_scores(d, d->changed, &points[p].score, err));
        for (size_t q = 0; q < d->arrays->queries; q++)
            d->changed[q] -= d->plain[q];
        gr_mean_interval(d->changed, d->arrays->queries, &points[p].effect, &points[p].low,
                         &points[p].high);
    }
    return GRADUS_OK;
}

gradus_status gr_partial_dependence(const gradus_context *context, const gradus_model *model,
                                    const gradus_dataset *data, size_t feature,
                                    gradus_dependence *points, size_t *count, gradus_error *err)
{
    depending d = {
        .context = context, .model = model, .arrays = &data->arrays, .first_id = data->first_id
    };
    gr_arena arena = { .last = NULL };
    gradus_status status;

    if (feature >= model->features)
        return gr_fail(err, GRADUS_BAD_ARGUMENT, "feature %zu is not one of the model's %zu",
                       feature + data->first_id, model->features);
    status = gr_changeable_start(&d.rows, context, model, data, err);
    d.plain = gr_arena_array(&arena, data->arrays.queries, sizeof *d.plain);
    d.changed = gr_arena_array(&arena, data->arrays.queries, sizeof *d.changed);
    d.sorted = gr_arena_array(&arena, data->arrays.rows, sizeof *d.sorted);
    if (status == GRADUS_OK && arena.failed)
        status = gr_fail_memory(err, "partial dependence");
    if (status == GRADUS_OK)
        status = depend(&d, feature, points, count, err);
    gr_arena_free(&arena);
    gr_changeable_free(&d.rows);
    return status;
}
