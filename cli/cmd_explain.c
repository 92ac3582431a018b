/* SPDX-License-Identifier: Apache-2.0 */
/* gradus explain: what each feature contributes to the score of a document. */
#include "cmd_explain.h"

#include <stdlib.h>
#include <string.h>

enum { TOP = 10, REASONS = 3 };

static int take_top(explained *e)
{
    const char *word = argument(e->given, "top");
    uint64_t number = TOP;

    if (word && strcmp(word, "all") != 0 && (!parse_count(word, SIZE_MAX, &number) || number == 0))
        return fail_usage("--top takes a whole number, at least 1, or 'all', not '%s'", word);
    e->top = word && strcmp(word, "all") == 0 ? SIZE_MAX : (size_t)number;
    e->reasons = word ? e->top : REASONS;
    if (e->given->json && !word)
        e->top = SIZE_MAX;
    return 0;
}

/* Finds the query and the document, and lists the rows to explain. */
static int choose_rows(explained *e)
{
    const char *query = argument(e->given, "query"), *document = argument(e->given, "document");
    gradus_error err;
    size_t row = 0;

    if (gradus_dataset_arrays(e->given->context, e->data, &e->arrays, &err) != GRADUS_OK)
        return fail(&err);
    e->by_query = query || gradus_dataset_queries(e->data) == 1;
    e->document = document != NULL;
    if (document && !e->by_query)
        return fail_usage("--document needs --query: the data have %s queries",
                          with_commas(gradus_dataset_queries(e->data)));
    if (query && gradus_dataset_find_query(e->data, query, &e->query, &err) != GRADUS_OK)
        return fail(&err);
    if (document &&
        gradus_dataset_find_document(e->data, e->query, document, &row, &err) != GRADUS_OK)
        return fail(&err);
    if (!e->by_query)
        return 0;
    const size_t first = e->arrays.queries ? (size_t)e->arrays.query_starts[e->query] : 0;
    const size_t end =
        e->arrays.queries ? (size_t)e->arrays.query_starts[e->query + 1] : e->arrays.rows;

    e->count = document ? 1 : end - first;
    e->rows = must_have(e->count, sizeof *e->rows);
    for (size_t i = 0; i < e->count; i++)
        e->rows[i] = document ? row : first + i;
    return 0;
}

/* A document other than the one that is explained is compared with all of them. */
static int check_against(const explained *e)
{
    gradus_options *options = options_of(e->given, "explain");
    const char *against = gradus_options_value(options, "against");

    if (strcmp(against, "mean") != 0 && strcmp(against, "query") != 0 && !e->by_query)
        return fail_usage("--against '%s' needs --query: the data have %s queries", against,
                          with_commas(gradus_dataset_queries(e->data)));
    return 0;
}

static int compare_scores(const void *left, const void *right)
{
    const double a = *(const double *)left, b = *(const double *)right;

    return (a > b) - (a < b);
}

/* Sorts the scores of the query: ranks of all its documents are then cheap. */
static void sort_scores(explained *e)
{
    const size_t first = e->arrays.queries ? (size_t)e->arrays.query_starts[e->query] : 0;
    const size_t end =
        e->arrays.queries ? (size_t)e->arrays.query_starts[e->query + 1] : e->arrays.rows;

    e->sorted = must_have(end - first, sizeof *e->sorted);
    memcpy(e->sorted, e->scores + first, (end - first) * sizeof *e->sorted);
    qsort(e->sorted, end - first, sizeof *e->sorted, compare_scores);
}

static int explain_rows(explained *e)
{
    gradus_error err;
    text t = { NULL, 0, 0 };

    e->scores = must_have(gradus_dataset_rows(e->data), sizeof *e->scores);
    if (gradus_model_score(e->given->context, e->model, e->data, e->scores, &err) != GRADUS_OK)
        return fail(&err);
    if (e->by_query)
        sort_scores(e);
    e->explanation = gradus_explain(e->given->context, e->model, e->data, e->rows, e->count,
                                    options_of(e->given, "explain"), &err);
    if (!e->explanation)
        return fail(&err);
    gradus_explanation_describe(e->explanation, &e->info);
    if (e->given->json)
        explain_json(&t, e);
    else
        explain_text(&t, e);
    return print_text(&t);
}

static int explain_data(const arguments *given, const gradus_model *model)
{
    int status = 0;
    gradus_dataset *data = read_data(given, given->words[1], &status);
    explained e = { .given = given, .model = model, .data = data };

    if (!data)
        return status;
    note_feature_ids(given, model, data);
    if (argument(given, "feature")) {
        status = explain_dependence(given, model, data);
    } else {
        status = take_top(&e);
        status = status ? status : choose_rows(&e);
        status = status ? status : check_against(&e);
        status = status ? status : explain_rows(&e);
    }
    gradus_explanation_free(e.explanation);
    free(e.scores);
    free(e.sorted);
    free(e.rows);
    gradus_dataset_free(data);
    return status;
}

static int explain_run(arguments *given)
{
    static const char *const others[] = { "query", "document", "top" };
    gradus_model *read = NULL, *model;
    int status = 0;

    if (given->count != 2)
        return fail_usage("gradus explain needs a model and data: gradus explain MODEL DATA");
    for (size_t i = 0; argument(given, "feature") && i < sizeof others / sizeof *others; i++)
        if (argument(given, others[i]))
            return fail_usage("--feature shows the effect on all rows: omit --%s", others[i]);
    if (argument(given, "feature") && option_given(given, "against"))
        return fail_usage("--feature shows the effect on all rows: omit --against");
    if (!gradus_model_is_file(given->words[0]))
        return fail_usage("'%s' is not a model: only models are explained", given->words[0]);
    model = take_model(given, given->words[0], &read, &status);
    if (status == 0)
        status = explain_data(given, model);
    gradus_model_free(model);
    gradus_model_free(read);
    return status;
}

static const option explain_options[] = {
    { "query", 0, "Q", "the query to explain (its id; default: all rows together)" },
    { "document", 0, "D",
      "the document to explain: its id, or its position in the query from 1 (default: all)" },
    { "top", 0, "N",
      "number of features to show, or 'all' (default 10; of each document of a query 3)" },
    { "feature", 0, "F", "show instead how the score depends on a feature: its name or id" },
    { NULL, 0, NULL, NULL },
};

static const example explain_examples[] = {
    { "gradus explain web.model test.txt --query 17 --document 3",
      "why does the third document of query 17 have its score?" },
    { "gradus explain web.model test.txt --query 17 --document 3 --against 5",
      "why is the third document above the fifth?" },
    { "gradus explain web.model test.txt --query 17 --against query",
      "every document of the query, compared with the others" },
    { "gradus explain web.model test.txt --top 20", "the features that matter most in all rows" },
    { "gradus explain web.model test.txt --feature 25", "how the score depends on feature 25" },
    { "gradus explain grades.model test.txt --query 17 --document 3 --output all",
      "the output for each grade" },
    {
        NULL,
        NULL,
    },
};

const command command_explain = {
    .name = "explain",
    .summary = "explain scores by the contributions of features",
    .usage = "gradus explain MODEL DATA [--query Q] [--document D] [--against mean|query|DOC] "
             "[options]\ngradus explain MODEL DATA --feature F [options]",
    .description =
        "Divides the score of a document among its features: the contributions (Shapley values) "
        "add up to the difference between the score and that of a reference, which --against "
        "chooses. 'mean' is the mean over the training data: how does this document differ from "
        "a usual one? 'query' is the mean over the other documents of the query, and DOC is one of "
        "them: why is this document above that one?\n\n"
        "With --document it prints one document as a waterfall; with --query alone the documents "
        "of the query by score, each with its main reasons; with neither the mean absolute "
        "contribution of each feature over all rows. --feature F prints the partial dependence of "
        "the score on a feature: the mean score if all rows had the same value.\n\n"
        "Sums of trees, linear models and ensembles of them are explained exactly. Other models "
        "(nets, kernels, model trees, votes) and scores that are not a sum of the outputs "
        "(expected grades, calibrated scores) are explained by evaluating the model on documents "
        "that have some features of the document and the others of the reference: exactly if few "
        "features differ, otherwise on random feature orders (--orders), with standard errors. "
        "Their 'mean' is that of --background random rows of DATA. --output explains the outputs "
        "of the learner, such as one per grade, instead of the score.\n\n"
        "docs/guide/explain.md says what the numbers mean, and what they do not. With --json it "
        "prints the same as JSON, with all features that are not 0.",
    .options = explain_options,
    .operations = { "explain", "score", "read" },
    .examples = explain_examples,
    .run = explain_run,
};
