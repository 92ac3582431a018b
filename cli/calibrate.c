#include "shared.h"

#include <stdlib.h>

static int calibrate_run(arguments *given)
{
    gradus_model *model = NULL, *made = NULL;
    gradus_dataset *data = NULL;
    gradus_error err;
    int status = 0;

    if (given->count != 2 || !argument(given, "output"))
        return fail_usage("gradus calibrate needs a model, data and where to write: gradus "
                          "calibrate MODEL DATA -o MODEL");
    model = gradus_model_read(given->words[0], &err);
    if (!model)
        return fail(&err);
    data = read_data(given, given->words[1], &status);
    if (data) {
        made = gradus_calibrate(given->context, model, data, options_of(given, "calibrate"), &err);
        if (!made || gradus_model_write(made, argument(given, "output"), &err) != GRADUS_OK)
            status = fail(&err);
    }
    if (status == 0)
        status = report_file(given, argument(given, "output"), NULL);
    gradus_model_free(made);
    gradus_dataset_free(data);
    gradus_model_free(model);
    return status;
}

static const option calibrate_options[] = {
    { "output", 'o', "FILE", "the calibrated model", GRADUS_PATH_WRITTEN },
    { NULL, 0, NULL, NULL },
};

static const example calibrate_examples[] = {
    { "gradus calibrate web.model calibration.txt -o better.model",
      "a sigmoid of the outputs that lowers the log loss" },
    { "gradus calibrate lambda.model calibration.txt --how isotonic -o graded.model",
      "probabilities of grades from a model that only ranks" },
    { "gradus eval test.txt web.model better.model --calibration", "before and after" },
    { NULL, NULL },
};

const command command_calibrate = {
    .name = "calibrate",
    .summary = "calibrate a model's probabilities on held-out data",
    .usage = "gradus calibrate MODEL DATA -o MODEL2 [--how NAME] [options]",
    .description =
        "Fits a function of the outputs of MODEL on the rows of DATA, which it should not have "
        "been "
        "trained on, and writes a model that is the old one and that function after it.\n\n"
        "ls, ewls, el, ell and sn fit one sigmoid for all grades by five targets: log loss, log "
        "loss "
        "times a power of the entropy, expected squared error of the grade, squared error of the "
        "expected grade, and smoothed DCG. platt, isotonic and beta calibrate the probability of "
        "each "
        "grade, temperature all of them together. linear, polynomial, network and "
        "gaussian-process "
        "fit the gain 2^grade - 1: their output is a score. ordinal fits proportional odds. Of a "
        "model that gives a score only, platt, isotonic and ordinal make probabilities of the "
        "grades "
        "of DATA. docs/calibration.md has the formulas.",
    .options = calibrate_options,
    .operations = { "calibrate", "read" },
    .examples = calibrate_examples,
    .run = calibrate_run,
};
