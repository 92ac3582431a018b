/* SPDX-License-Identifier: Apache-2.0 */
/* Measures how well calibrated the grade probabilities of a model are. */
#include "pipeline/reliability.h"

#include "model/compose.h"
#include "model/predict.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static double weight_of(const gradus_arrays *a, size_t q, size_t r)
{
    return (a->row_weights ? (double)a->row_weights[r] : 1.0) *
           (a->query_weights ? (double)a->query_weights[q] : 1.0);
}

/* Counts one event: its probability, and whether it occurred. */
static void count_event(gradus_reliability *out, double p, bool came, double weight)
{
    const double place = fmax(p, 0.0) * (double)out->bins; /* rounding may make p negative */
    const size_t b = place < (double)out->bins ? (size_t)place : out->bins - 1;

    out->weight[b] += weight;
    out->predicted[b] += weight * p;
    out->observed[b] += weight * came;
    out->brier += weight * (p - came) * (p - came);
}

static void finish(gradus_reliability *out, double rows)
{
    double all = 0.0, came = 0.0;

    for (size_t b = 0; b < out->bins; b++) {
        all += out->weight[b];
        came += out->observed[b];
    }
    came /= all;
    for (size_t b = 0; b < out->bins; b++) {
        const double weight = out->weight[b], share = weight / all;
        const double predicted = out->predicted[b] / weight, observed = out->observed[b] / weight;

        if (!(weight > 0.0)) {
            out->predicted[b] = out->observed[b] = NAN;
            continue;
        }
        out->predicted[b] = predicted;
        out->observed[b] = observed;
        out->error += share * fabs(predicted - observed);
        out->largest_error = fmax(out->largest_error, fabs(predicted - observed));
        out->reliability += share * (predicted - observed) * (predicted - observed);
        out->resolution += share * (observed - came) * (observed - came);
    }
    out->uncertainty = came * (1.0 - came);
    out->brier /= all;
    out->log_loss /= rows;
}

static gradus_status measure(const gradus_model *model, const gradus_dataset *data, const double *p,
                             const uint8_t *level_of, gradus_reliability *out, gradus_error *err)
{
    const gradus_arrays *a = &data->arrays;
    const size_t levels = model->scorer.levels;
    double rows = 0.0;

    for (size_t q = 0; q < a->queries; q++)
        for (size_t r = (size_t)a->query_starts[q]; r < a->query_starts[q + 1]; r++) {
            const double weight = weight_of(a, q, r), *own = p + r * levels;
            double above = 0.0;

            rows += weight;
            out->log_loss -= weight * log(fmax(own[level_of[r]], 1e-15));
            for (size_t k = levels - 1; k > 0; k--) {
                above += own[k];
                count_event(out, fmin(above, 1.0), level_of[r] >= k, weight);
            }
        }
    if (!(rows > 0.0))
        return gr_fail(err, GRADUS_BAD_ARGUMENT, "no row has a positive weight");
    finish(out, rows);
    return GRADUS_OK;
}

gradus_status gr_reliability(const gradus_context *context, const gradus_model *model,
                             const gradus_dataset *data, size_t bins, gradus_reliability *out,
                             gradus_error *err)
{
    const size_t rows = data->arrays.rows, levels = model->scorer.levels;
    gradus_status status;
    double *p;
    uint8_t *level_of;

    if (!gr_scorer_knows_probabilities(&model->scorer))
        return gr_fail(err, GRADUS_BAD_ARGUMENT,
                       "method '%s' gives a score, not grade probabilities", model->method);
    GR_TRY(gr_dataset_need(data, GR_NEED_ALL, gr_pool_of(context), err));
    if (!data->arrays.labels || rows == 0)
        return gr_fail(err, GRADUS_BAD_ARGUMENT, "the data have no %s", rows ? "labels" : "rows");
    GR_TRY(gr_model_fits(model, data, context, err));
    memset(out, 0, sizeof *out);
    out->bins = bins;
    p = gr_new_array(rows * levels, sizeof *p);
    level_of = gr_new_array(rows, sizeof *level_of);
    status = p && level_of ? gr_levels_of(&model->scorer, data, level_of, err)
                           : gr_fail_memory(err, "probabilities");
    if (status == GRADUS_OK)
        status = gr_model_run(model, data, context, NULL, p, err);
    if (status == GRADUS_OK)
        status = measure(model, data, p, level_of, out, err);
    free(p);
    free(level_of);
    return status;
}
