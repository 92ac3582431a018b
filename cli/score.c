#include "shared.h"

#include <stdlib.h>
#include <string.h>

/* Options that only a model heeds are not passed over in silence. */
static int check_method(const arguments *given)
{
    gradus_options *options = options_of(given, "score");
    gradus_param param;

    for (size_t i = 0; gradus_param_at("score", i, &param); i++)
        if (strcmp(gradus_options_value(options, param.name), param.initial) != 0)
            return fail_usage("--%s is for models, and '%s' is none", param.name, given->words[0]);
    if (argument(given, "probabilities"))
        return fail_usage("--probabilities is for models, and '%s' is none", given->words[0]);
    if (argument(given, "grades"))
        return fail_usage("--grades is for models, and '%s' is none", given->words[0]);
    return 0;
}

static int write_probabilities(const arguments *given, const gradus_model *model,
                               const gradus_dataset *data, const char *path)
{
    gradus_model_facts facts;
    text heading = { NULL, 0, 0 };
    gradus_error err;
    int status = 0;

    gradus_model_describe(model, &facts);
    double *probabilities = must_have(gradus_dataset_rows(data), facts.grades * sizeof(double));

    for (size_t k = 0; k < facts.grades; k++) {
        text_add(&heading, k ? " P(" : "P(");
        text_label(&heading, facts.grade_values[k]);
        text_add(&heading, ")");
    }
    if (gradus_model_probabilities(given->context, model, data, probabilities, &err) != GRADUS_OK ||
        gradus_columns_write(data, probabilities, facts.grades, text_string(&heading), path,
                             &err) != GRADUS_OK)
        status = fail(&err);
    text_free(&heading);
    free(probabilities);
    return status;
}

static int write_scores(const arguments *given, const gradus_model *model,
                        const gradus_dataset *data, const char *path)
{
    double *scores = must_have(gradus_dataset_rows(data), sizeof *scores);
    gradus_error err;
    const gradus_status status =
        !model ? gradus_scores(given->context, data, given->words[0], given->seed, scores, &err)
        : argument(given, "grades") ? gradus_model_grades(given->context, model, data, scores, &err)
                                    : gradus_model_score(given->context, model, data, scores, &err);
    const bool done =
        status == GRADUS_OK &&
        gradus_scores_write(data, scores, path, argument(given, "run-name"), &err) == GRADUS_OK;

    free(scores);
    return done ? 0 : fail(&err);
}

static int score_data(const arguments *given, const gradus_model *model)
{
    const char *path = argument(given, "output") ? argument(given, "output") : "-";
    int status = 0;
    gradus_dataset *data = read_data(given, given->words[1], &status);

    if (!data)
        return status;
    status = argument(given, "probabilities") ? write_probabilities(given, model, data, path)
                                              : write_scores(given, model, data, path);
    if (status == 0)
        status = report_file(given, path, data);
    gradus_dataset_free(data);
    return status;
}

static int score_run(arguments *given)
{
    gradus_model *read = NULL, *model = NULL;
    int status = 0;

    if (given->count != 2)
        return fail_usage("gradus score needs a model and data: gradus score MODEL DATA");
    if (argument(given, "probabilities") && argument(given, "run-name"))
        return fail_usage("a TREC run has scores, not probabilities: leave out --run-name");
    if (argument(given, "probabilities") && argument(given, "grades"))
        return fail_usage("--grades or --probabilities, not both");
    if (gradus_model_is_file(given->words[0]))
        model = take_model(given, given->words[0], &read, &status);
    else
        status = check_method(given);
    if (status == 0)
        status = score_data(given, model);
    gradus_model_free(model);
    gradus_model_free(read);
    return status;
}

static const option score_options[] = {
    { "output", 'o', "FILE", "where to write; default: standard output", GRADUS_PATH_WRITTEN },
    { "run-name", 0, "NAME", "write a TREC run of that name, best first, instead of plain scores" },
    { "probabilities", 0, NULL,
      "write the probability of each grade instead: a column a grade, after a line that names "
      "them" },
    { "grades", 0, NULL, "write the predicted grade of each row instead of a score" },
    { NULL, 0, NULL, NULL },
};

static const example score_examples[] = {
    { "gradus score web.model test.txt -o test.scores", "scores of a trained model" },
    { "gradus score web.model test.txt --probabilities", "P(grade) of each row" },
    { "gradus score web.model test.txt --grades", "the predicted grade of each row" },
    { "gradus score web.model test.txt --rounds 100", "as if it had been trained for 100 rounds" },
    { "gradus score web.model test.txt --scoring expected-gain", "the best order for DCG" },
    { "gradus score web.model test.txt --scoring expected-gain --gains 0,1,3,7,30",
      "the same, with gains of your own" },
    { "gradus score web.model test.txt --scoring cost-ratio --cost costs.txt",
      "the best order where mistakes cost what a matrix says" },
    { "gradus score web.model test.txt --scoring expected-grade --prior 80,12,5,2,1",
      "for a population with other shares of grades" },
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
        "Writes one score a row, in the order of DATA, higher is better. MODEL is a model that "
        "'gradus train' made, a method that needs no training ('gradus help methods'), or a file "
        "of scores to be written in another form.\n\n"
        "A model needs the features it was trained with; DATA may have more, which are passed "
        "over with a note. Methods that estimate grades (cocr, mcrank, mcrank-ordinal, propodds) "
        "also give "
        "probabilities, none negative and summing to one in each row. --grades predicts the grade: "
        "of models with thresholds (propodds, orboost) by how many the output reaches, of cocr by "
        "how many of its outputs reach one half, of mcrank the most probable.\n\n"
        "Such a model is trained once and ranks by any cost. With P_k the probability of grade k, "
        "--scoring is one of: expected-grade, the sum of k P_k; expected-gain, the sum of gain(k) "
        "P_k (--gains), best for DCG; cost-ratio, best for a cost c of ranking grade i under grade "
        "j < i (--cost): the sum of c[lowest][i] P_i over the sum of c[j][highest] P_j; "
        "weights-and-scales, the sum of w_k s_k P_k over the sum of w_k P_k (--weights, --scales), "
        "best for c[j][i] = w_j w_i (s_i - s_j); hard, the most probable grade; median-grade. "
        "Methods have rules of their own: output, sum and count. With --prior every P_k is "
        "multiplied by its share in the population over that in the training data, and rescaled. "
        "docs/scoring.md has more.",
    .options = score_options,
    .operations = { "score", "read" },
    .examples = score_examples,
    .run = score_run,
};
