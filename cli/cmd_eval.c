/* SPDX-License-Identifier: Apache-2.0 */
/* gradus eval: metrics of models, score files and TREC runs. */
#include "distributed.h"
#include "reliability_report.h"
#include "evaluation_table.h"
#include "print_table.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static void json_column(json *j, const column *c)
{
    json_open(j, NULL, '{');
    json_count(j, "queries", gradus_evaluation_queries(c->evaluation));
    json_string(j, "convention", gradus_evaluation_convention(c->evaluation));
    json_metrics(j, "metrics", c->evaluation);
    json_string(j, "scores", c->name);
    json_string(j, "switches", gradus_evaluation_switches(c->evaluation));
    json_count(j, "empty_queries", empty_queries(c->evaluation));
    if (c->confused.grades)
        json_confusion(j, &c->confused);
    json_close(j, '}');
}

static void show_json(text *t, const column *columns, size_t count)
{
    json j = JSON_TO(t);

    json_open(&j, NULL, '[');
    for (size_t c = 0; c < count; c++)
        json_column(&j, &columns[c]);
    json_close(&j, ']');
    text_add(t, "\n");
}

/* Whether metric m is the first with this count, so that one remark covers all metrics that share
 * it. */
static bool speaks_first(const gradus_evaluation *evaluation, size_t m, size_t count,
                         size_t (*which)(const gradus_result *))
{
    gradus_result earlier;

    for (size_t i = 0; i < m; i++)
        if (gradus_evaluation_at(evaluation, i, &earlier) && which(&earlier) == count)
            return false;
    return count > 0;
}

/* "ndcg@10, map: " - the metrics that share a count. */
static void add_sharers(text *t, const gradus_evaluation *evaluation, size_t count,
                        size_t (*which)(const gradus_result *))
{
    gradus_result result;
    bool any = false;

    for (size_t m = 0; gradus_evaluation_at(evaluation, m, &result); m++)
        if (which(&result) == count) {
            text_format(t, "%s%s", any ? ", " : "", result.metric);
            any = true;
        }
    text_add(t, ": ");
}

static size_t empty_of(const gradus_result *result)
{
    return result->empty;
}

static size_t short_lists_of(const gradus_result *result)
{
    return result->short_lists;
}

/* Remarks on queries that are left out of the means, or have few documents. */
static void show_remarks(text *t, const gradus_evaluation *evaluation)
{
    const char *all = counted(gradus_evaluation_queries(evaluation), "query", "queries");
    gradus_result result;

    for (size_t m = 0; gradus_evaluation_at(evaluation, m, &result); m++) {
        if (speaks_first(evaluation, m, result.empty, empty_of)) {
            add_sharers(t, evaluation, result.empty, empty_of);
            text_format(t,
                        "%s of %s %s no relevant document or only one grade; the mean is over "
                        "%s\n",
                        with_commas(result.empty), all, plural(result.empty, "has", "have"),
                        with_commas(result.counted));
        }
        if (speaks_first(evaluation, m, result.short_lists, short_lists_of)) {
            add_sharers(t, evaluation, result.short_lists, short_lists_of);
            text_format(t, "%s of %s %s fewer documents than the cutoff\n",
                        with_commas(result.short_lists), all,
                        plural(result.short_lists, "has", "have"));
        }
    }
}

static void show_table(text *t, const char *data, const column *columns, size_t count)
{
    const gradus_evaluation *first = columns[0].evaluation;
    text remarks = { NULL, 0, 0 };

    text_format(t, "%s: %s\n", data, counted(gradus_evaluation_queries(first), "query", "queries"));
    add_convention(t, first);
    text_add(t, "\n");
    add_columns(t, columns, count);
    show_remarks(&remarks, first);
    if (remarks.length)
        text_format(t, "\n%s", text_string(&remarks));
    text_free(&remarks);
    for (size_t c = 0; c < count; c++)
        if (columns[c].confused.grades)
            add_confusion(t, &columns[c].confused, columns[c].name);
}

/* One tab-separated line per query: its name, then each metric of each ranker. */
static int write_per_query(const char *path, const column *columns, size_t count)
{
    const gradus_evaluation *first = columns[0].evaluation;
    text t = { NULL, 0, 0 };
    gradus_result result;

    text_add(&t, "query");
    for (size_t c = 0; c < count; c++)
        for (size_t m = 0; gradus_evaluation_at(columns[c].evaluation, m, &result); m++)
            text_format(&t, count > 1 ? "\t%s:%s" : "\t%.0s%s", columns[c].name, result.metric);
    text_add(&t, "\n");
    for (size_t q = 0; q < gradus_evaluation_queries(first); q++) {
        text_add_shown(&t, gradus_evaluation_query_name(first, q));
        for (size_t c = 0; c < count; c++)
            for (size_t m = 0; gradus_evaluation_at(columns[c].evaluation, m, &result); m++) {
                text_add(&t, "\t");
                if (isnan(result.by_query[q]))
                    text_add(&t, "nan");
                else
                    text_number(&t, result.by_query[q]);
            }
        text_add(&t, "\n");
    }
    const int status = write_text(&t, path);

    text_free(&t);
    return status;
}

static int show(const arguments *given, const char *data, const column *columns, size_t count)
{
    const char *per_query = argument(given, "per-query");
    text t = { NULL, 0, 0 };
    int status = per_query ? write_per_query(per_query, columns, count) : 0;

    if (status != 0)
        return status;
    if (given->json)
        show_json(&t, columns, count);
    else
        show_table(&t, data, columns, count);
    return print_text(&t);
}

/* Scoring options need a model among the scores; --cost of the metric risk also sets cost-ratio. */
static int settle_scoring(const arguments *given, bool any_model)
{
    gradus_options *options = options_of(given, "score");
    gradus_param param;
    gradus_error err;

    for (size_t i = 0; !any_model && gradus_param_at("score", i, &param); i++)
        if (strcmp(gradus_options_value(options, param.name), param.initial) != 0)
            return fail_usage("--%s applies to models, and none is evaluated", param.name);
    if (strcmp(gradus_options_value(options, "scoring"), "cost-ratio") == 0 &&
        gradus_options_set(options, "cost",
                           gradus_options_value(options_of(given, "evaluate"), "cost"),
                           &err) != GRADUS_OK)
        return fail(&err);
    return 0;
}

/* Fills columns; false with *status if something failed. */
static bool evaluate_scores(const arguments *given, column *columns, int *status)
{
    gradus_error err;
    gradus_dataset *data = read_data(given, given->words[0], status);

    for (size_t i = 1; data && i < given->count; i++) {
        double *scores = read_scores(given, data, given->words[i], status);

        if (!scores)
            break;
        columns[i - 1].name = given->words[i];
        columns[i - 1].evaluation =
            gradus_evaluate(given->context, data, scores, options_of(given, "evaluate"), &err);
        if (!columns[i - 1].evaluation ||
            (argument(given, "confusion") &&
             !take_confusion(&columns[i - 1].confused, data, scores, &err)))
            *status = fail(&err);
        free(scores);
        if (*status != 0)
            break;
    }
    if (*status == 0)
        note_letor(given, data, given->words[0]);
    gradus_dataset_free(data);
    return *status == 0;
}

static bool evaluate_runs(const arguments *given, const char *qrels, column *columns, size_t count,
                          int *status)
{
    const char *run = argument(given, "run");
    gradus_error err;

    for (size_t i = 0; i < count; i++) {
        const char *path = run ? i ? given->words[i - 1] : run : given->words[i];

        columns[i].name = path;
        columns[i].evaluation =
            gradus_evaluate_run(given->context, qrels, path, options_of(given, "evaluate"), &err);
        if (!columns[i].evaluation) {
            *status = fail(&err);
            return false;
        }
    }
    return true;
}

static int evaluate(const arguments *given)
{
    const char *qrels = argument(given, "qrels");
    bool any_model = false;
    const size_t count = qrels          ? given->count + (argument(given, "run") != NULL)
                         : given->count ? given->count - 1
                                        : 0;
    int status = 0;

    if (argument(given, "run") && !qrels)
        return fail_usage("--run needs --qrels FILE");
    if (qrels && (argument(given, "grades") || argument(given, "confusion")))
        return fail_usage("--grades and --confusion apply to models, not to TREC runs");
    if (count == 0)
        return fail_usage(qrels ? "gradus eval --qrels needs a run: --run FILE"
                                : "gradus eval needs data and scores: gradus eval DATA SCORES...");
    if (count >= TABLE_COLUMNS)
        return fail_usage("gradus eval takes at most %d rankers at once", TABLE_COLUMNS - 1);
    for (size_t i = 1; !qrels && i < given->count; i++)
        any_model = any_model || gradus_model_is_file(given->words[i]);
    status = settle_scoring(given, any_model);
    if (status != 0)
        return status;
    if (argument(given, "calibration"))
        return qrels ? fail_usage("--calibration applies to models, not to TREC runs")
                     : eval_calibration(given);
    if (argument(given, "svg"))
        return fail_usage("--svg needs --calibration");
    column columns[TABLE_COLUMNS] = { { .name = NULL } };

    if (qrels ? evaluate_runs(given, qrels, columns, count, &status)
              : evaluate_scores(given, columns, &status))
        status = show(given, qrels ? qrels : given->words[0], columns, count);
    for (size_t c = 0; c < count; c++) {
        gradus_evaluation_free(columns[c].evaluation);
        confusion_free(&columns[c].confused);
    }
    return status;
}

static int eval_run(arguments *given)
{
    ranks all;
    int status = argument(given, "distributed") && argument(given, "calibration")
                     ? fail_usage("--calibration is not for --distributed")
                     : ranks_begin(&all, given);

    if (status >= 0)
        return status;
    status = evaluate(given);
    ranks_end(&all, status == 0, status);
    return status;
}

static const option eval_options[] = {
    { "qrels", 0, "FILE", "TREC judgements instead of DATA", GRADUS_PATH_READ },
    { "run", 0, "FILE", "TREC run to evaluate against --qrels; more runs may follow as arguments",
      GRADUS_PATH_READ },
    { "grades", 0, NULL, "evaluate the grades that models predict instead of their scores" },
    { "confusion", 0, NULL,
      "print the confusion matrix of labels and predicted grades; implies --grades" },
    { "per-query", 0, "FILE", "also write the metrics of each query, tab-separated",
      GRADUS_PATH_WRITTEN },
    { "calibration", 0, NULL,
      "show how well calibrated the grade probabilities of models are, instead of metrics" },
    { "svg", 0, "FILE", "with --calibration: also draw the reliability diagram",
      GRADUS_PATH_WRITTEN },
    DISTRIBUTED_OPTION("score", "eval"),
    { NULL, 0, NULL, NULL },
};

static const example eval_examples[] = {
    { "gradus eval test.txt a.model b.model feature:25 --metric ndcg@10,err@20",
      "two models and one feature side by side" },
    { "gradus eval test.txt a.model --scoring cost-ratio --cost oerr --metric risk,ndcg@10",
      "rank by a cost, and measure the risk under that cost" },
    { "gradus eval test.txt a.model --grades --metric accuracy,mae,kappa --confusion",
      "evaluate a model as a classifier" },
    { "gradus eval test.txt a.scores b.scores --metric ndcg@10,err@20",
      "two rankers side by side" },
    { "gradus eval test.txt feature:25 random --convention letor4",
      "a single feature and a random ranking, by the convention of LETOR 4" },
    { "gradus eval --qrels qrels.txt --run bm25.run --convention trec --metric ndcg@10,map",
      "a TREC run" },
    { NULL, NULL },
};

const command command_eval = {
    .name = "eval",
    .summary = "evaluate rankings",
    .usage = "gradus eval DATA SCORES... [--metric LIST] [--convention NAME] [options]\n"
             "gradus eval --qrels FILE --run FILE [options]",
    .description =
        "Evaluates scores for the rows of DATA. SCORES is a model written by 'gradus train', a "
        "file with one number per line in the order of DATA, a TREC run, or a method that needs "
        "no training: feature:ID or random. Metric values depend on a convention (gain, discount, "
        "queries without relevant documents, lists shorter than the cutoff, ties), so the "
        "convention is printed with them; 'gradus help conventions' lists the presets, and "
        "options set each part of a convention separately.\n\n"
        "Queries without a relevant document are always counted and reported, never silently "
        "dropped or scored 1.\n\n"
        "With --calibration, it shows how well calibrated the grade probabilities of models are. "
        "Every row counts once for each grade except the lowest; the event is \"this grade or "
        "higher\". It prints --bins bins of equal width, the expected calibration error, the log "
        "loss, and the Brier score with its parts: reliability (lower is better), resolution "
        "(higher is better) and uncertainty.\n\n"
        "'gradus help score' describes how models score; --cost is the cost of the metric risk "
        "and of --scoring cost-ratio.\n\n"
        "With --json the output is an array with one object per ranker, even if there is only one.",
    .options = eval_options,
    .operations = { "evaluate", "score", "read" },
    .examples = eval_examples,
    .run = eval_run,
};
