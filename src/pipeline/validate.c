/* SPDX-License-Identifier: Apache-2.0 */
/* Evaluation during training: outputs to scores, and scores to the value of the metric. */
#include "pipeline/validate.h"

#include "base/ranges.h"
#include "pipeline/dataset_lists.h"
#include "pipeline/device_monitor.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { ROWS_AT_ONCE = 1 << 13 };

gradus_status gr_monitor_reserve(gr_monitor *monitor, size_t outputs, gradus_error *err)
{
    size_t bytes;

    if (!gr_size_times(monitor->data->arrays.rows, outputs, &bytes) ||
        !gr_size_times(bytes, sizeof(double), &bytes) ||
        !gr_array_reserve(&monitor->outputs, bytes))
        return gr_fail_memory(err, "outputs");
    memset(monitor->outputs.at, 0, bytes);
    return GRADUS_OK;
}

void gr_monitor_free(gr_monitor *monitor)
{
    gr_device_monitor_free(monitor); /* it may use the outputs */
    gr_array_free(&monitor->outputs);
    gr_array_free(&monitor->scaled);
    gr_array_free(&monitor->scores);
}

typedef struct score_work {
    const gr_scorer *scorer;
    const double *outputs;
    double *scores;
    size_t rows;
} score_work;

static void score_chunk(void *argument, gr_range range)
{
    const score_work *work = argument;

    for (size_t r = range.first; r < range.end; r++)
        work->scores[r] = gr_scorer_score(work->scorer, work->outputs + r, work->rows);
}

static gradus_status evaluate(gr_measuring *m, const gr_lists *lists, double *value,
                              gradus_error *err)
{
    gr_evaluation evaluation = { .queries = 0 };

    GR_TRY(gr_evaluate(lists, &m->options, m->pool, &evaluation, err));
    *value = evaluation.values[0].mean;
    m->lower_is_better = evaluation.measures.at[0].metric->lower_is_better;
    if (!m->convention) {
        m->metric = strdup(evaluation.measures.at[0].text);
        m->convention = strdup(evaluation.name);
    }
    gr_evaluation_end(&evaluation);
    return m->metric && m->convention ? GRADUS_OK : gr_fail_memory(err, "a metric");
}

/* A custom metric has no name. */
static gradus_status ask_caller(gr_measuring *m, const gradus_dataset *data, const double *scores,
                                double *value, gradus_error *err)
{
    if (m->custom(m->user, data, scores, value) != GRADUS_OK)
        return gr_fail(err, GRADUS_CANCELLED, "the custom metric stopped training");
    if (!m->convention) {
        m->metric = strdup("custom");
        m->convention = strdup("");
    }
    return m->metric && m->convention ? GRADUS_OK : gr_fail_memory(err, "a metric");
}

static gradus_status scale_sums(gr_monitor *monitor, const double *sums, size_t count, double scale,
                                const double **outputs, gradus_error *err)
{
    double *scaled;

    if (!gr_array_reserve(&monitor->scaled, count * sizeof *scaled))
        return gr_fail_memory(err, "outputs");
    scaled = monitor->scaled.at;
    for (size_t i = 0; i < count; i++)
        scaled[i] = scale * sums[i];
    *outputs = scaled;
    return GRADUS_OK;
}

/* The scores of all rows, of which a process has its own, and what they are gathered by. */
typedef struct gathered {
    const gr_share *share;
    double *scores;
} gathered;

static gradus_status gather_scores(void *with, gradus_error *err)
{
    const gathered *g = with;

    return gr_share_gather(g->share, g->share->row_cuts, sizeof *g->scores,
                           g->scores + gr_share_first_row(g->share), g->scores, err);
}

static gradus_status gather_values(void *with, double *by_query, gradus_error *err)
{
    const gathered *g = with;

    return gr_share_gather(g->share, g->share->query_cuts, sizeof *by_query,
                           by_query + gr_share_first_query(g->share), by_query, err);
}

/* Each process ranks its queries; the mean is taken of all, in the order of the data. A metric of the
 * caller's gets all scores. */
static gradus_status measure_together(gr_measuring *m, const gradus_dataset *data,
                                      const double *scores, double *value, gradus_error *err)
{
    const gradus_dataset *whole = data->whole;
    gathered g = { data->share, gr_new_array(whole->arrays.rows, sizeof *g.scores) };
    const size_t first = gr_share_first_query(g.share);
    const gr_lists_part part = { first, first + data->arrays.queries, &g, gather_scores,
                                 gather_values };
    gr_lists lists = gr_dataset_lists(whole, g.scores);
    gradus_status status;

    if (!g.scores)
        return gr_fail_memory(err, "the scores of all processes");
    memcpy(g.scores + gr_share_first_row(g.share), scores, data->arrays.rows * sizeof *scores);
    lists.part = &part;
    if (!m->custom)
        status = evaluate(m, &lists, value, err);
    else if ((status = gather_scores(&g, err)) == GRADUS_OK)
        status = ask_caller(m, whole, g.scores, value, err);
    free(g.scores);
    return status;
}

gradus_status gr_measure_scores(gr_measuring *m, const gradus_dataset *data, const double *scores,
                                double *value, gradus_error *err)
{
    const gr_lists lists = gr_dataset_lists(data, scores);

    if (data->share)
        return measure_together(m, data, scores, value, err);
    return m->custom ? ask_caller(m, data, scores, value, err) : evaluate(m, &lists, value, err);
}

gradus_status gr_measure_outputs(gr_measuring *m, gr_monitor *monitor, const double *outputs,
                                 double scale, double *value, gradus_error *err)
{
    const size_t rows = monitor->data->arrays.rows;
    const double *scores;

    if (scale != 1.0)
        GR_TRY(scale_sums(monitor, outputs, m->scorer->outputs * rows, scale, &outputs, err));
    scores = outputs;

    if (m->scorer->rule != GR_SCORE_OUTPUT) {
        if (!gr_array_reserve(&monitor->scores, rows * sizeof(double)))
            return gr_fail_memory(err, "scores");
        score_work work = { m->scorer, outputs, monitor->scores.at, rows };

        gr_for_ranges(m->pool, rows, ROWS_AT_ONCE, score_chunk, &work);
        scores = monitor->scores.at;
    }
    return gr_measure_scores(m, monitor->data, scores, value, err);
}
