/* SPDX-License-Identifier: Apache-2.0 */
/* Ranks each list once and evaluates every metric on it. Threads process blocks of lists and write
 * each value to its own slot; means are then taken in query order, so results do not depend on the
 * number of threads. */
#include "metrics/evaluate.h"

#include "base/memory.h"
#include "base/ranges.h"
#include "metrics/metric_rows.h"
#include "metrics/workspace.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { BLOCK = 32 }; /* lists per task */

typedef struct job {
    const gr_lists *lists;
    gr_evaluation *evaluation;
    gr_workspace *workspaces; /* scratch memory, one per thread */
    size_t longest;           /* the largest number of documents or judgements of any list */
    gr_needs needs;
    bool *failed; /* out of memory, one per block */
} job;

static double empty_value(const gr_metric *metric, gr_empty_rule rule)
{
    if (metric->pairs || metric->pooled || rule == GR_EMPTY_SKIP)
        return NAN;
    if (!metric->empty_may_be_one || rule == GR_EMPTY_ZERO)
        return 0.0;
    return rule == GR_EMPTY_ONE ? 1.0 : 0.5;
}

gr_outcome gr_outcome_of(const gr_measure *measure, const gr_convention *convention, size_t count,
                         double value)
{
    const gr_metric *metric = measure->metric;
    const gr_short_rule rule =
        metric->short_kind == GR_SHORT_AS_P ? convention->short_lists_p : convention->short_lists;
    gr_outcome out = { value, isnan(value), false };

    out.short_lists = measure->depth != SIZE_MAX && count < measure->depth;
    if (out.empty)
        out.value =
            empty_value(metric, metric->empty_as_map ? convention->empty_map : convention->empty);
    if (out.short_lists && rule == GR_SHORT_ZERO && metric->short_kind != GR_SHORT_NOTHING &&
        !isnan(out.value))
        out.value = 0.0;
    if (out.short_lists && rule == GR_SHORT_DROP)
        out.value = NAN;
    return out;
}

static gr_outcome measure_list(const gr_measure *measure, const gr_ranked *ranked)
{
    return gr_outcome_of(measure, &ranked->settings->convention, ranked->count,
                         gr_metric_of_list(measure->metric, ranked, measure->depth));
}

typedef struct tally {
    size_t *empty, *short_lists; /* blocks x measures */
} tally;

typedef struct work {
    job *job;
    tally counts;
} work;

static void do_block(void *argument, gr_range range)
{
    const work *w = argument;
    const job *j = w->job;
    const gr_measures *measures = &j->evaluation->measures;
    const size_t before = j->lists->part ? j->lists->part->first : 0;
    gr_workspace *d = &j->workspaces[range.worker];

    if (!gr_workspace_make(d, j->longest)) {
        j->failed[range.index] = true;
        return;
    }
    for (size_t q = before + range.first; q < before + range.end; q++) {
        if (j->lists->absent && j->lists->absent[q]) {
            for (size_t m = 0; m < measures->count; m++)
                j->evaluation->values[m].by_query[q] = NAN;
            continue;
        }
        const gr_ranked ranked =
            gr_workspace_rank(d, j->lists, q, j->needs, &j->evaluation->settings);

        for (size_t m = 0; m < measures->count; m++) {
            const gr_outcome out = measure_list(&measures->at[m], &ranked);

            j->evaluation->values[m].by_query[q] = out.value;
            w->counts.empty[range.index * measures->count + m] += out.empty;
            w->counts.short_lists[range.index * measures->count + m] += out.short_lists;
        }
    }
}

static gradus_status run_blocks(job *j, gr_pool *pool, gradus_error *err)
{
    const gr_lists_part *part = j->lists->part;
    const size_t queries = part ? part->end - part->first : j->lists->queries;
    const size_t blocks = gr_range_count(queries, BLOCK);
    const size_t measures = j->evaluation->measures.count, threads = gr_pool_threads(pool);
    work w = { j,
               { gr_new_array(blocks * measures, sizeof(size_t)),
                 gr_new_array(blocks * measures, sizeof(size_t)) } };
    bool done = false;

    j->failed = gr_new_array(blocks, sizeof *j->failed);
    j->workspaces = gr_new_array(threads, sizeof *j->workspaces);
    if (w.counts.empty && w.counts.short_lists && j->failed && j->workspaces) {
        gr_for_ranges(pool, queries, BLOCK, do_block, &w);
        done = true;
        for (size_t b = 0; b < blocks; b++)
            done = done && !j->failed[b];
        for (size_t b = 0; b < blocks * measures; b++) {
            j->evaluation->values[b % measures].empty += w.counts.empty[b];
            j->evaluation->values[b % measures].short_lists += w.counts.short_lists[b];
        }
    }
    for (size_t t = 0; j->workspaces && t < threads; t++)
        gr_workspace_free(&j->workspaces[t]);
    free(j->workspaces);
    free(j->failed);
    free(w.counts.empty);
    free(w.counts.short_lists);
    return done ? GRADUS_OK : gr_fail_memory(err, "ranked lists");
}

/* As in trec_eval: a floor, so that one query with value 0 does not make the geometric mean 0. */
#define LEAST_VALUE 1e-5

void gr_mean_over_queries(gr_value *value, const gr_lists *lists, bool geometric)
{
    double sum = 0.0, weights = 0.0;

    for (size_t q = 0; q < lists->queries; q++) {
        const double weight = lists->query_weights ? (double)lists->query_weights[q] : 1.0;

        if (isnan(value->by_query[q]))
            continue;
        sum +=
            weight * (geometric ? log(fmax(value->by_query[q], LEAST_VALUE)) : value->by_query[q]);
        weights += weight;
        value->counted++;
    }
    value->mean = weights > 0.0 ? sum / weights : NAN;
    if (geometric)
        value->mean = exp(value->mean);
}

static void pool_metrics(const gr_lists *lists, gr_evaluation *evaluation, double *labels,
                         double *weights)
{
    const size_t rows = (size_t)lists->starts[lists->queries];
    const gr_ranked ranked = { .settings = &evaluation->settings,
                               .count = rows,
                               .labels = labels,
                               .scores = lists->scores,
                               .weights = weights };

    for (size_t r = 0; r < rows; r++) {
        labels[r] = (double)lists->labels[r];
        if (weights)
            weights[r] = lists->row_weights ? (double)lists->row_weights[r] : 1.0;
        if (weights && evaluation->condensed && lists->judged && !lists->judged[r])
            weights[r] = 0.0;
    }
    for (size_t m = 0; m < evaluation->measures.count; m++)
        if (evaluation->measures.at[m].metric->pooled)
            evaluation->values[m].mean =
                gr_metric_of_list(evaluation->measures.at[m].metric, &ranked, SIZE_MAX);
}

/* Evaluates the pooled metrics on all rows as one list, in dataset order. */
static gradus_status pool_rows(const gr_lists *lists, gr_evaluation *evaluation, gradus_error *err)
{
    const size_t rows = (size_t)lists->starts[lists->queries];
    const bool weighted = lists->row_weights || evaluation->condensed;
    double *labels = gr_new_array(rows, sizeof *labels);
    double *weights = weighted ? gr_new_array(rows, sizeof *weights) : NULL;
    const bool enough = labels && (weights || !weighted);

    if (enough)
        pool_metrics(lists, evaluation, labels, weights);
    free(weights);
    free(labels);
    return enough ? GRADUS_OK : gr_fail_memory(err, "the rows of a metric");
}

static gradus_status check_values(const gr_evaluation *evaluation, gradus_error *err)
{
    for (size_t m = 0; m < evaluation->measures.count; m++)
        if (isinf(evaluation->values[m].mean))
            return gr_fail(err, GRADUS_BAD_NUMBER, "%s overflows a double",
                           evaluation->measures.at[m].text);
    return GRADUS_OK;
}

static size_t longest_list(const gr_lists *lists)
{
    uint64_t longest = 0;

    for (size_t q = 0; q < lists->queries; q++) {
        const uint64_t count = lists->starts[q + 1] - lists->starts[q];

        longest = count > longest ? count : longest;
        if (lists->judgements) {
            const uint64_t judged = lists->judgement_starts[q + 1] - lists->judgement_starts[q];

            longest = judged > longest ? judged : longest;
        }
    }
    return (size_t)longest;
}

static bool is_pooled(const gr_evaluation *evaluation)
{
    bool pooled = false;

    for (size_t m = 0; m < evaluation->measures.count; m++)
        pooled |= evaluation->measures.at[m].metric->pooled;
    return pooled;
}

/* The ranks that all metrics need; 0: all ranks. */
static size_t needed_ranks(const gr_measures *measures)
{
    size_t most = 0;

    for (size_t m = 0; m < measures->count; m++) {
        const gr_measure *measure = &measures->at[m];

        if (measure->metric->pooled)
            continue;
        if (!measure->metric->only_top || measure->depth == SIZE_MAX)
            return 0;
        most = measure->depth > most ? measure->depth : most;
    }
    return most;
}

static gradus_status measure_lists(const gr_lists *lists, gr_pool *pool, gr_evaluation *evaluation,
                                   gradus_error *err)
{
    job j = { .lists = lists, .evaluation = evaluation, .longest = longest_list(lists) };

    j.needs.condensed = evaluation->condensed;
    j.needs.top = needed_ranks(&evaluation->measures);
    for (size_t m = 0; m < evaluation->measures.count; m++) {
        const gr_metric *metric = evaluation->measures.at[m].metric;

        j.needs.order |= !metric->pooled;
        j.needs.levels |= metric->pairs;
    }
    GR_TRY(run_blocks(&j, pool, err));
    for (size_t m = 0; lists->part && m < evaluation->measures.count; m++)
        GR_TRY(lists->part->gather_values(lists->part->with, evaluation->values[m].by_query, err));
    for (size_t m = 0; m < evaluation->measures.count; m++)
        gr_mean_over_queries(&evaluation->values[m], lists,
                             evaluation->measures.at[m].metric->geometric);
    if (is_pooled(evaluation))
        GR_TRY(pool_rows(lists, evaluation, err));
    return check_values(evaluation, err);
}

static gradus_status make_values(gr_evaluation *evaluation, size_t queries, gradus_error *err)
{
    const size_t count = evaluation->measures.count;

    evaluation->queries = queries;
    evaluation->values = gr_new_array(count, sizeof *evaluation->values);
    for (size_t m = 0; evaluation->values && m < count; m++) {
        evaluation->values[m].by_query = gr_new_array(queries, sizeof(double));
        if (!evaluation->values[m].by_query)
            return gr_fail_memory(err, "the values of queries");
    }
    return evaluation->values ? GRADUS_OK : gr_fail_memory(err, "the values of metrics");
}

static gradus_status evaluate(const gr_lists *lists, const gr_evaluate_options *options,
                              gr_pool *pool, gr_evaluation *evaluation, gradus_error *err)
{
    gr_lists here = *lists;

    GR_TRY(gr_evaluation_configure(lists, options, evaluation, err));
    if (lists->part && (is_pooled(evaluation) || options->within == GR_WITHIN_ALL)) {
        GR_TRY(lists->part->gather_scores(lists->part->with, err));
        here.part = NULL;
    }
    GR_TRY(gr_check_lists(&here, evaluation, pool, err));
    GR_TRY(make_values(evaluation, lists->queries, err));
    return measure_lists(&here, pool, evaluation, err);
}

gradus_status gr_evaluate(const gr_lists *lists, const gr_evaluate_options *options, gr_pool *pool,
                          gr_evaluation *evaluation, gradus_error *err)
{
    const uint64_t whole[2] = { 0, lists->starts[lists->queries] };
    gr_lists as_one = *lists;
    gradus_status status;

    *evaluation = (gr_evaluation){ .queries = 0 };
    if (options->within == GR_WITHIN_ALL) {
        as_one.queries = 1;
        as_one.starts = whole;
        as_one.query_weights = NULL;
    }
    status = evaluate(&as_one, options, pool, evaluation, err);
    if (status != GRADUS_OK)
        gr_evaluation_end(evaluation);
    return status;
}

void gr_evaluation_end(gr_evaluation *evaluation)
{
    for (size_t m = 0; evaluation->values && m < evaluation->measures.count; m++)
        free(evaluation->values[m].by_query);
    free(evaluation->values);
    gr_measures_free(&evaluation->measures);
    gr_cost_choice_free(&evaluation->settings.cost);
    free(evaluation->discounts);
    free(evaluation->label_gains);
    *evaluation = (gr_evaluation){ .queries = 0 };
}
