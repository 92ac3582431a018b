#include "shared.h"

#include <stdlib.h>

static bool read_models(const arguments *given, gradus_model **models, int *status)
{
    gradus_error err;

    for (size_t i = 0; i < given->count; i++) {
        models[i] = gradus_model_read(given->words[i], &err);
        if (!models[i]) {
            *status = fail(&err);
            return false;
        }
    }
    return true;
}

static int make(const arguments *given, gradus_model **models)
{
    const char *valid = argument(given, "valid");
    gradus_dataset *data = NULL;
    gradus_model *made;
    gradus_error err;
    int status = 0;

    if (valid && !(data = read_data(given, valid, &status)))
        return status;
    made = gradus_ensemble(given->context, (const gradus_model *const *)models, given->count, data,
                           options_of(given, "ensemble"), &err);
    if (!made || gradus_model_write(made, argument(given, "output"), &err) != GRADUS_OK)
        status = fail(&err);
    gradus_model_free(made);
    gradus_dataset_free(data);
    return status ? status : report_file(given, argument(given, "output"), NULL);
}

static int ensemble_run(arguments *given)
{
    gradus_model **models;
    int status = 0;

    if (given->count == 0 || !argument(given, "output"))
        return fail_usage("gradus ensemble needs models and where to write: gradus ensemble "
                          "MODEL... --valid FILE -o MODEL");
    models = must_have(given->count, sizeof *models);
    if (read_models(given, models, &status))
        status = make(given, models);
    for (size_t i = 0; i < given->count; i++)
        gradus_model_free(models[i]);
    free(models);
    return status;
}

static const option ensemble_options[] = {
    { "valid", 0, "FILE", "data that the weights of members are found on", GRADUS_PATH_READ },
    { "output", 'o', "FILE", "the model of all", GRADUS_PATH_WRITTEN },
    { NULL, 0, NULL, NULL },
};

static const example ensemble_examples[] = {
    { "gradus ensemble a.model b.model c.model --valid vali.txt -o all.model",
      "members weigh by e^(rate * NDCG@10); the rate is the best of a list" },
    { "gradus ensemble a.model b.model --way reciprocal-rank -o all.model",
      "by the places that they give rows, whatever their scores are" },
    { "gradus ensemble a.model b.model --way mean --valid vali.txt -o all.model", "all alike" },
    { NULL, NULL },
};

const command command_ensemble = {
    .name = "ensemble",
    .summary = "combine models into one",
    .usage = "gradus ensemble MODEL... --valid FILE -o MODEL [--way NAME] [options]",
    .description =
        "Writes one model that is the weighted sum of several, which must have been trained on the "
        "same features. If all give probabilities of the same grades, these are mixed, and the "
        "ensemble gives probabilities too; else scores are, after they were brought to [0, 1] by "
        "what they reach on --valid. Weights are e^(rate * metric) of each member on --valid "
        "(exponential; rate 0: all alike), all alike (mean), or those that fit the gain 2^grade - "
        "1 "
        "best by least squares (stacking), none of them negative (stacking-nonnegative); the last "
        "two mix scores. borda and reciprocal-rank fuse orders instead, and need no --valid: the "
        "score is the mean share of the other rows of the query that a member puts below a row, or "
        "the mean of 1 / (K + place). Such a model sees whole queries: a row that is scored alone "
        "is a query of its own, and always gets the same score.",
    .options = ensemble_options,
    .operations = { "ensemble", "read" },
    .examples = ensemble_examples,
    .run = ensemble_run,
};
