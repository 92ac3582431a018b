/* SPDX-License-Identifier: Apache-2.0 */
/* Public API: metrics of a dataset's rows, and of a TREC run against relevance judgements. */
#include "api/api_arguments.h"
#include "base/context.h"
#include "base/text.h"
#include "data/trec.h"
#include "metrics/gains.h"
#include "pipeline/dataset_lists.h"

#include <stdlib.h>
#include <string.h>

struct gradus_evaluation {
    gr_evaluation results;
    gr_name_list names; /* of queries */
};

void gradus_evaluation_free(gradus_evaluation *evaluation)
{
    if (!evaluation)
        return;
    gr_evaluation_end(&evaluation->results);
    gr_name_list_free(&evaluation->names);
    free(evaluation);
}

static gradus_status keep_names(gradus_evaluation *evaluation, const gr_names *names,
                                gradus_error *err)
{
    for (size_t q = 0; q < names->count; q++) {
        const char *name = gr_name_at(names, q);

        if (!gr_name_list_add(&evaluation->names, name, strlen(name)))
            return gr_fail_memory(err, "the names of queries");
    }
    return GRADUS_OK;
}

static gradus_status need_arrays(const gradus_dataset *data, const gr_evaluate_options *options,
                                 gr_pool *pool, gradus_error *err)
{
    unsigned parts =
        GR_NEED_LABELS | 1u << GR_QUERY_STARTS | 1u << GR_QUERY_BYTES | 1u << GR_QUERY_NAMES;

    if (gr_evaluate_ties(options) == GR_TIES_DOCNO)
        parts |= GR_NEED_DOCUMENTS;
    GR_TRY(gr_dataset_need(data, parts, pool, err));
    if (!data->arrays.labels)
        return gr_fail(err, GRADUS_BAD_ARGUMENT, "the data have no labels to evaluate with");
    return GRADUS_OK;
}

static gradus_status evaluate_data(gradus_context *context, const gradus_dataset *data,
                                   const double *scores, const gr_evaluate_options *options,
                                   gradus_evaluation *evaluation, gradus_error *err)
{
    static const uint64_t starts[] = { 0, 4 };
    const gr_names all = { "all", starts, 1 };

    GR_TRY(need_arrays(data, options, gr_pool_of(context), err));
    if (gr_evaluate_ties(options) == GR_TIES_DOCNO && data->document_names.count == 0)
        gr_note(context, "documents have no names: tied documents keep their order");
    const gr_lists lists = gr_dataset_lists(data, scores);

    GR_TRY(gr_evaluate(&lists, options, gr_pool_of(context), &evaluation->results, err));
    return keep_names(evaluation, options->within == GR_WITHIN_ALL ? &all : &data->query_names,
                      err);
}

static gradus_evaluation *evaluate_with(gradus_context *context, const gradus_dataset *data,
                                        const double *scores, const gr_evaluate_options *options,
                                        gradus_error *err)
{
    gradus_evaluation *evaluation = calloc(1, sizeof *evaluation);

    if (!evaluation) {
        gr_fail_memory(err, "an evaluation");
        return NULL;
    }
    if (evaluate_data(context, data, scores, options, evaluation, err) != GRADUS_OK) {
        gradus_evaluation_free(evaluation);
        return NULL;
    }
    return evaluation;
}

/* Unless the options choose: linear gains and no ERR for labels that are not grades. */
static gradus_status take_defaults(gradus_context *context, const gradus_dataset *data,
                                   const gradus_options *options, gr_evaluate_options *chosen,
                                   gradus_error *err)
{
    const bool own_metrics = options && gr_options_given(options, "metric");
    bool uses;

    if (options && (gr_options_given(options, "gain") || gr_options_given(options, "label-gain") ||
                    gr_options_given(options, "convention")))
        return GRADUS_OK;
    GR_TRY(need_arrays(data, chosen, gr_pool_of(context), err));
    GR_TRY(gr_metric_uses_gains(chosen->metric, &uses, err));
    if (!uses || gr_labels_use(data->arrays.labels, data->arrays.rows) != GR_LABELS_ARE_NUMBERS)
        return GRADUS_OK;
    if (!own_metrics)
        chosen->metric = "ndcg@10,map,p@10,mrr";
    chosen->gain = GR_GAIN_CHOICE_LINEAR;
    gr_note(context, "the labels are not whole numbers: gains are linear%s",
            own_metrics ? "" : ", and err is left out");
    return GRADUS_OK;
}

gradus_evaluation *gradus_evaluate(gradus_context *context, const gradus_dataset *data,
                                   const double *scores, const gradus_options *options,
                                   gradus_error *err)
{
    if (!GR_GIVEN(err, data, scores))
        return NULL;
    gr_evaluate_options chosen;

    if (gr_options_get(options, &gr_operation_evaluate, &chosen, err) != GRADUS_OK ||
        take_defaults(context, data, options, &chosen, err) != GRADUS_OK)
        return NULL;
    return evaluate_with(context, data, scores, &chosen, err);
}

gradus_status gradus_evaluate_metric(const gradus_dataset *data, const double *scores,
                                     const char *metric, double *mean, gradus_error *err)
{
    if (!GR_GIVEN(err, data, scores, metric, mean))
        return GRADUS_BAD_ARGUMENT;
    gr_evaluate_options chosen;
    gradus_evaluation *evaluation;

    if (strchr(metric, ','))
        return gr_fail(err, GRADUS_BAD_ARGUMENT, "'%.60s' is more than one metric", metric);
    GR_TRY(gr_options_get(NULL, &gr_operation_evaluate, &chosen, err));
    chosen.metric = metric;
    gradus_error failure = { GRADUS_OK, "" };

    evaluation = evaluate_with(NULL, data, scores, &chosen, &failure);
    if (!evaluation)
        return gr_fail(err, failure.status, "%s", failure.message);
    *mean = evaluation->results.values[0].mean;
    gradus_evaluation_free(evaluation);
    return GRADUS_OK;
}

bool gradus_evaluation_at(const gradus_evaluation *evaluation, size_t index, gradus_result *result)
{
    if (!GR_GIVEN(NULL, evaluation, result))
        return false;
    if (index >= evaluation->results.measures.count)
        return false;
    const gr_value *value = &evaluation->results.values[index];
    const gr_measure *measure = &evaluation->results.measures.at[index];

    *result = (gradus_result){
        .metric = measure->text,
        .mean = value->mean,
        .counted = value->counted,
        .empty = value->empty,
        .short_lists = value->short_lists,
        .by_query = value->by_query,
        .geometric = measure->metric->geometric,
        .lower_is_better = measure->metric->lower_is_better,
    };
    return true;
}

size_t gradus_evaluation_queries(const gradus_evaluation *evaluation)
{
    if (!GR_GIVEN(NULL, evaluation))
        return 0;
    return evaluation->results.queries;
}

const char *gradus_evaluation_query_name(const gradus_evaluation *evaluation, size_t query)
{
    if (!GR_GIVEN(NULL, evaluation))
        return "";
    const gr_names names = gr_name_list_names(&evaluation->names);

    return query < names.count ? gr_name_at(&names, query) : "";
}

const char *gradus_evaluation_convention(const gradus_evaluation *evaluation)
{
    if (!GR_GIVEN(NULL, evaluation))
        return "";
    return evaluation->results.name;
}

const char *gradus_evaluation_switches(const gradus_evaluation *evaluation)
{
    if (!GR_GIVEN(NULL, evaluation))
        return "";
    return evaluation->results.switches;
}

/* A run and its judgements: one list per judged topic. */
typedef struct bench {
    gr_trec judged, run;
    uint64_t *starts;     /* topics + 1: first row of each list */
    uint64_t *judgements; /* topics + 1: first label of each ideal list */
    float *labels;        /* per row */
    float *grades;        /* per judgement */
    double *scores;
    uint64_t *places, *rows, *lines; /* name offsets; lines of rows in the run file; of
                                      * judgements */
    bool *is_judged, *absent;
} bench;

static void bench_free(bench *b)
{
    gr_trec_free(&b->judged);
    gr_trec_free(&b->run);
    free(b->starts);
    free(b->judgements);
    free(b->labels);
    free(b->grades);
    free(b->scores);
    free(b->places);
    free(b->rows);
    free(b->lines);
    free(b->is_judged);
    free(b->absent);
}

static gradus_status bench_reserve(bench *b, gradus_error *err)
{
    const size_t topics = b->judged.topics.list.count;

    b->starts = gr_new_array(topics + 1, sizeof *b->starts);
    b->judgements = gr_new_array(topics + 1, sizeof *b->judgements);
    b->labels = gr_new_array(b->run.count, sizeof *b->labels);
    b->scores = gr_new_array(b->run.count, sizeof *b->scores);
    b->places = gr_new_array(b->run.count, sizeof *b->places);
    b->rows = gr_new_array(b->run.count, sizeof *b->rows);
    b->is_judged = gr_new_array(b->run.count, sizeof *b->is_judged);
    b->grades = gr_new_array(b->judged.count, sizeof *b->grades);
    b->lines = gr_new_array(b->judged.count, sizeof *b->lines);
    b->absent = gr_new_array(topics, sizeof *b->absent);
    if (!b->starts || !b->judgements || !b->labels || !b->scores || !b->places || !b->rows ||
        !b->is_judged || !b->grades || !b->lines || !b->absent)
        return gr_fail_memory(err, "the lists of a run");
    return GRADUS_OK;
}

/* A negative grade means that the document was pooled but not judged. */
static void place_run(bench *b, size_t topic, size_t run_topic)
{
    uint64_t row = b->starts[topic];

    for (uint64_t e = b->run.starts[run_topic]; e < b->run.starts[run_topic + 1]; e++, row++) {
        const char *document = gr_trec_document(&b->run, (size_t)e);
        const size_t found = gr_trec_find(&b->judged, topic, document);
        const double grade = found == SIZE_MAX ? -1.0 : b->judged.values[found];

        b->is_judged[row] = grade >= 0.0;
        b->labels[row] = grade >= 0.0 ? (float)grade : 0.0f;
        b->scores[row] = b->run.values[e];
        b->places[row] = b->run.places[e];
        b->rows[row] = b->run.lines[e] - 1;
    }
    b->starts[topic + 1] = row;
}

static void place_judgements(bench *b, size_t topic)
{
    uint64_t at = b->judgements[topic];

    for (uint64_t e = b->judged.starts[topic]; e < b->judged.starts[topic + 1]; e++)
        if (b->judged.values[e] >= 0.0) {
            b->grades[at] = (float)b->judged.values[e];
            b->lines[at++] = b->judged.lines[e];
        }
    b->judgements[topic + 1] = at;
}

static void place_all(gradus_context *context, bench *b, bool complete)
{
    const gr_names topics = gr_name_list_names(&b->judged.topics.list);
    size_t missing = 0;

    for (size_t t = 0; t < topics.count; t++) {
        const size_t run_topic = gr_trec_find_topic(&b->run, gr_name_at(&topics, t));

        b->starts[t + 1] = b->starts[t];
        if (run_topic != SIZE_MAX)
            place_run(b, t, run_topic);
        else
            missing++;
        b->absent[t] = run_topic == SIZE_MAX && !complete;
        place_judgements(b, t);
    }
    const size_t unknown = b->run.topics.list.count - (topics.count - missing);

    if (missing > 0)
        gr_note(context, "%zu of %zu judged %s missing from the run; %s", missing, topics.count,
                gr_plural(topics.count, "topic is", "topics are"),
                complete ? "counted as empty lists" : "left out (see 'complete')");
    if (unknown > 0)
        gr_note(context, "%zu %s no judgements; not evaluated", unknown,
                gr_plural(unknown, "topic of the run has", "topics of the run have"));
}

static gradus_status evaluate_bench(gradus_context *context, bench *b,
                                    const gr_evaluate_options *options,
                                    gradus_evaluation *evaluation, gradus_error *err)
{
    const gr_names topics = gr_name_list_names(&b->judged.topics.list);

    GR_TRY(bench_reserve(b, err));
    place_all(context, b, options->complete);
    const gr_lists lists = {
        .queries = topics.count,
        .starts = b->starts,
        .labels = b->labels,
        .scores = b->scores,
        .judged = b->is_judged,
        .name_bytes = b->run.names,
        .name_starts = b->places,
        .judgements = b->grades,
        .judgement_starts = b->judgements,
        .judgement_lines = b->lines,
        .absent = b->absent,
        .file_rows = b->rows,
    };

    GR_TRY(gr_evaluate(&lists, options, gr_pool_of(context), &evaluation->results, err));
    return keep_names(evaluation, &topics, err);
}

static gradus_status evaluate_files(gradus_context *context, const char *qrels_path,
                                    const char *run_path, const gr_evaluate_options *options,
                                    gradus_evaluation *evaluation, gradus_error *err)
{
    bench b = { .starts = NULL };
    gradus_status status;

    if (options->within == GR_WITHIN_ALL)
        return gr_fail(err, GRADUS_BAD_ARGUMENT,
                       "'within all' is for data files: each topic of a run is ranked separately");
    status = gr_trec_read(qrels_path, GR_TREC_QRELS, &b.judged, err);
    if (status == GRADUS_OK)
        status = gr_trec_read(run_path, GR_TREC_RUN, &b.run, err);
    if (status == GRADUS_OK)
        status = evaluate_bench(context, &b, options, evaluation, err);
    bench_free(&b);
    return status;
}

gradus_evaluation *gradus_evaluate_run(gradus_context *context, const char *qrels_path,
                                       const char *run_path, const gradus_options *options,
                                       gradus_error *err)
{
    if (!GR_GIVEN(err, qrels_path, run_path))
        return NULL;
    gradus_evaluation *evaluation;
    gr_evaluate_options chosen;

    if (gr_options_get(options, &gr_operation_evaluate, &chosen, err) != GRADUS_OK)
        return NULL;
    evaluation = calloc(1, sizeof *evaluation);
    if (!evaluation) {
        gr_fail_memory(err, "an evaluation");
        return NULL;
    }
    if (evaluate_files(context, qrels_path, run_path, &chosen, evaluation, err) != GRADUS_OK) {
        gradus_evaluation_free(evaluation);
        return NULL;
    }
    return evaluation;
}

gradus_status gradus_metric_describe(const char *metric, gradus_metric_facts *facts,
                                     gradus_error *err)
{
    if (!GR_GIVEN(err, metric, facts))
        return GRADUS_BAD_ARGUMENT;
    gr_measures measures = { 0, NULL };

    if (strchr(metric, ','))
        return gr_fail(err, GRADUS_BAD_ARGUMENT, "expected one metric, found '%.60s'", metric);
    GR_TRY(gr_measures_parse(metric, &measures, err));
    const gr_metric *found = measures.at[0].metric;

    *facts = (gradus_metric_facts){ .lower_is_better = found->lower_is_better,
                                    .geometric = found->geometric,
                                    .uses_gains = found->labels == GR_LABELS_GAIN };
    gr_measures_free(&measures);
    return GRADUS_OK;
}
