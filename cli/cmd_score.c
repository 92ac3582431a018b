/* SPDX-License-Identifier: Apache-2.0 */
/* gradus score: writes scores, grades or grade probabilities for the rows of a file. */
#include "distributed.h"
#include "progress.h"
#include "common.h"
#include "device_option.h"

#include <stdlib.h>
#include <string.h>

/* Refuses options that apply to models only, instead of ignoring them. */
static int check_method(const arguments *given)
{
    gradus_options *options = options_of(given, "score");
    gradus_param param;

    for (size_t i = 0; gradus_param_at("score", i, &param); i++)
        if (strcmp(gradus_options_value(options, param.name), param.initial) != 0)
            return fail_usage("--%s applies to models, and '%s' is not one", param.name,
                              given->words[0]);
    if (argument(given, "probabilities"))
        return fail_usage("--probabilities applies to models, and '%s' is not one",
                          given->words[0]);
    if (argument(given, "grades"))
        return fail_usage("--grades applies to models, and '%s' is not one", given->words[0]);
    return 0;
}

/* What is computed for each row of the data: a score, a grade, or a probability per grade. */
typedef struct scored {
    const arguments *given;
    const ranks *ranks;
    const gradus_model *model; /* NULL: a method, or a file of scores */
    const gradus_dataset *data;
    double *values; /* rows x columns */
    size_t columns;
    gradus_model_info facts; /* of the model */
    double read_seconds, score_seconds;
    chosen_device *device;
} scored;

static gradus_status compute(const scored *s, gradus_error *err)
{
    const arguments *given = s->given;
    gradus_context *context = given->context;

    if (!s->model)
        return gradus_scores(context, s->data, given->words[0], given->seed, s->values, err);
    if (argument(given, "probabilities"))
        return gradus_model_probabilities(context, s->model, s->data, s->values, err);
    if (argument(given, "grades"))
        return gradus_model_grades(context, s->model, s->data, s->values, err);
    return gradus_model_score(context, s->model, s->data, s->values, err);
}

static int write_probabilities(const scored *s, const char *path)
{
    text heading = { NULL, 0, 0 };
    gradus_error err;
    int status = 0;

    for (size_t k = 0; k < s->columns; k++) {
        text_add(&heading, k ? " P(" : "P(");
        /* NOLINTNEXTLINE(clang-analyzer-core.NullDereference): one per column */
        text_label(&heading, s->facts.grade_values[k]);
        text_add(&heading, ")");
    }
    if (gradus_columns_write(s->data, s->values, s->columns, text_string(&heading), path, &err) !=
        GRADUS_OK)
        status = fail(&err);
    text_free(&heading);
    return status;
}

static int write_values(const scored *s, const char *path)
{
    gradus_error err;

    if (argument(s->given, "probabilities"))
        return write_probabilities(s, path);
    if (gradus_scores_write(s->data, s->values, path, argument(s->given, "run-name"), &err) !=
        GRADUS_OK)
        return fail(&err);
    return 0;
}

static void json_row(json *j, const scored *s, size_t row)
{
    if (!argument(s->given, "probabilities")) {
        json_number(j, NULL, s->values[row]);
        return;
    }
    json_open(j, NULL, '[');
    for (size_t k = 0; k < s->columns; k++)
        json_number(j, NULL, s->values[row * s->columns + k]);
    json_close(j, ']');
}

/* One per row, in the order of the file. */
static bool json_values(json *j, const scored *s, gradus_error *err)
{
    const bool probabilities = argument(s->given, "probabilities");
    const size_t rows = gradus_dataset_rows(s->data);
    size_t *order = must_have(rows, sizeof *order);
    const bool ordered = gradus_dataset_file_order(s->data, order, err) == GRADUS_OK;

    if (probabilities) {
        json_open(j, "grade_values", '[');
        for (size_t k = 0; k < s->columns; k++)
            /* NOLINTNEXTLINE(clang-analyzer-core.NullDereference): one per column */
            json_label(j, NULL, s->facts.grade_values[k]);
        json_close(j, ']');
    }
    json_open(j,
              probabilities                  ? "probabilities"
              : argument(s->given, "grades") ? "grades"
                                             : "scores",
              '[');
    for (size_t i = 0; ordered && i < rows; i++)
        json_row(j, s, order[i]);
    json_close(j, ']');
    free(order);
    return ordered;
}

static int print_json(const scored *s)
{
    const char *path = argument(s->given, "output");
    text t = { NULL, 0, 0 };
    json j = JSON_TO(&t);
    gradus_error err;

    json_open(&j, NULL, '{');
    json_string(&j, "model", s->given->words[0]);
    json_string(&j, "data", s->given->words[1]);
    json_count(&j, "rows", gradus_dataset_rows(s->data));
    json_count(&j, "features", gradus_dataset_features(s->data));
    json_count(&j, "queries", gradus_dataset_queries(s->data));
    json_open(&j, "seconds", '{');
    json_number(&j, "read", s->read_seconds);
    json_number(&j, "score", s->score_seconds);
    json_close(&j, '}');
    if (path) {
        json_string(&j, "file", path);
    } else if (!json_values(&j, s, &err)) {
        text_free(&t);
        return fail(&err);
    }
    json_close(&j, '}');
    text_add(&t, "\n");
    return print_text(&t);
}

static int score_rows(scored *s)
{
    const char *path = argument(s->given, "output");
    const double started = seconds_now();
    gradus_error err;
    int status = 0;

    s->columns = 1;
    if (s->model)
        gradus_model_describe(s->model, &s->facts);
    if (argument(s->given, "probabilities") && s->facts.grades)
        s->columns = s->facts.grades;
    s->values = must_have(gradus_dataset_rows(s->data), s->columns * sizeof *s->values);
    device_to_score(s->device, s->given, s->data, s->model);
    while (compute(s, &err) != GRADUS_OK)
        if (!device_leave(s->device, s->given))
            return fail(&err);
    s->score_seconds = seconds_now() - started;
    if (!ranks_write(s->ranks))
        return 0;
    if (path || !s->given->json)
        status = write_values(s, path ? path : "-");
    if (status == 0 && s->given->json && (!path || strcmp(path, "-") != 0))
        status = print_json(s);
    return status;
}

static int score_data(const arguments *given, const ranks *all, const gradus_model *model,
                      chosen_device *device)
{
    const double started = seconds_now();
    int status = 0;
    gradus_dataset *data = read_data(given, given->words[1], &status);
    scored s = { .given = given, .ranks = all, .model = model, .data = data, .device = device };

    if (!data)
        return status;
    s.read_seconds = seconds_now() - started;
    status = score_rows(&s);
    free(s.values);
    gradus_dataset_free(data);
    return status;
}

static int score(const arguments *given, const ranks *all)
{
    gradus_model *read = NULL, *model = NULL;
    chosen_device device;
    int status = 0;

    if (given->count != 2)
        return fail_usage("gradus score needs a model and data: gradus score MODEL DATA");
    if (argument(given, "probabilities") && argument(given, "run-name"))
        return fail_usage("a TREC run has scores, not probabilities: omit --run-name");
    if (argument(given, "run-name") && given->json && !argument(given, "output"))
        return fail_usage("--json with --run-name needs an output file for the run: -o FILE");
    if (argument(given, "probabilities") && argument(given, "grades"))
        return fail_usage("--grades and --probabilities cannot be combined");
    if (gradus_model_is_file(given->words[0]))
        model = take_model(given, given->words[0], &read, &status);
    else
        status = check_method(given);
    if (status == 0 && (status = device_begin(&device, given)) < 0) {
        status = score_data(given, all, model, &device);
        device_end(&device, given);
    }
    gradus_model_free(model);
    gradus_model_free(read);
    return status;
}

static int score_run(arguments *given)
{
    ranks all;
    int status = ranks_begin(&all, given);

    if (status < 0)
        status = score(given, &all);
    ranks_end(&all, status == 0, status);
    return status;
}

static const option score_options[] = {
    { "output", 'o', "FILE", "output file (default: standard output)", GRADUS_PATH_WRITTEN },
    { "run-name", 0, "NAME", "write a TREC run of that name, best first, instead of plain scores" },
    { "probabilities", 0, NULL,
      "write the probability of each grade instead of a score: one column per grade, after a "
      "header line" },
    { "grades", 0, NULL, "write the predicted grade of each row instead of a score" },
    DEVICE_OPTION,
    DISTRIBUTED_OPTION("score", "score"),
    { NULL, 0, NULL, NULL },
};

static const example score_examples[] = {
    { "gradus score web.model test.txt -o test.scores", "score with a trained model" },
    { "gradus score web.model test.txt --probabilities", "P(grade) of each row" },
    { "gradus score web.model test.txt --grades", "the predicted grade of each row" },
    { "gradus score web.model test.txt --rounds 100", "use only the first 100 rounds" },
    { "gradus score web.model test.txt --scoring expected-gain", "the best ranking for DCG" },
    { "gradus score web.model test.txt --scoring expected-gain --gains 0,1,3,7,30",
      "the same, with custom gains" },
    { "gradus score web.model test.txt --scoring cost-ratio --cost costs.txt",
      "the best ranking under a cost matrix" },
    { "gradus score web.model test.txt --scoring expected-grade --prior 80,12,5,2,1",
      "for a population with other grade frequencies" },
    { "gradus score feature:25 test.txt -o test.scores", "rank by one feature" },
    { "gradus score random test.txt --seed 7 --run-name chance", "a random TREC run" },
    { NULL, NULL },
};

const command command_score = {
    .name = "score",
    .summary = "score the rows of a file",
    .usage =
        "gradus score MODEL DATA [-o FILE] [--probabilities | --grades] [--scoring RULE] [options]",
    .description =
        "Writes one score per row, in the order of DATA; higher is better. MODEL is a model "
        "written by 'gradus train', a method that needs no training ('gradus help methods'), or a "
        "file of scores to convert to another format.\n\n"
        "DATA must have the features that the model was trained with; extra features are ignored, "
        "with a note. Methods that estimate grades (cocr, mcrank, mcrank-ordinal, propodds) also "
        "give probabilities, which are nonnegative and sum to one in each row. --grades predicts "
        "the grade: models with thresholds (propodds, orboost) by the number of thresholds that "
        "the output reaches, cocr by the number of its outputs that reach one half, mcrank by the "
        "highest probability.\n\n"
        "A model with probabilities is trained once and can rank for any cost. With P_k the "
        "probability of grade k, --scoring is one of: expected-grade, the sum of k P_k; "
        "expected-gain, the sum of gain(k) P_k (--gains), optimal for DCG; cost-ratio, optimal "
        "for a cost c of ranking grade i below grade j < i (--cost): the sum of c[lowest][i] P_i "
        "over the sum of c[j][highest] P_j; weights-and-scales, the sum of w_k s_k P_k over the "
        "sum of w_k P_k (--weights, --scales), optimal for c[j][i] = w_j w_i (s_i - s_j); hard, "
        "the most probable grade; median-grade. Some methods have additional rules: output, sum "
        "and count. --prior multiplies every P_k by the ratio of its frequency in the population "
        "to that in the training data, and renormalises. docs/methods/scoring-rules.md describes the rules.\n\n"
        "With --device cuda the trees of the model are evaluated on an NVIDIA GPU and everything else on "
        "the processor; the scores are the same to the last bit (docs/guide/gpu.md).\n\n"
        "With --json it prints rows, queries, seconds and the file written; without -o, the "
        "scores themselves as \"scores\" (or \"grades\", or \"probabilities\").",
    .options = score_options,
    .operations = { "score", "read" },
    .examples = score_examples,
    .run = score_run,
};
