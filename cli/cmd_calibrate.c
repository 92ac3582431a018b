/* SPDX-License-Identifier: Apache-2.0 */
/* gradus calibrate: fits a calibration of a model on held-out data, and writes the new model. */
#include "measured_report.h"
#include "progress.h"

static int calibrate(measuring *m, gradus_model **made)
{
    const arguments *given = m->given;
    double started;
    gradus_error err;
    int status = check_metrics(m);

    if (status == 0)
        status = measuring_read(m, given->words[1]);
    if (status != 0)
        return status;
    started = seconds_now();
    *made = gradus_calibrate(given->context, m->models[0], m->sets[MEASURED_FIT].data,
                             options_of(given, "calibrate"), &err);
    m->fit_seconds = seconds_now() - started;
    m->made = *made;
    if (!*made || gradus_model_write(*made, argument(given, "output"), &err) != GRADUS_OK)
        return fail(&err);
    return report_measured(m);
}

static int calibrate_run(arguments *given)
{
    const char *metrics = argument(given, "metric"), *path;
    gradus_model *model, *made = NULL;
    gradus_error err;
    int status;

    if (given->count != 2 || !argument(given, "output"))
        return fail_usage("gradus calibrate needs a model, data and an output file: gradus "
                          "calibrate MODEL DATA -o MODEL");
    path = given->words[0];
    model = gradus_model_read(path, &err);
    if (!model)
        return fail(&err);
    measuring m = { .given = given,
                    .paths = &path,
                    .models = &model,
                    .count = 1,
                    .metrics = metrics ? metrics : "ndcg@10",
                    .convention = "gradus" };

    status = calibrate(&m, &made);
    measuring_free(&m);
    gradus_model_free(made);
    gradus_model_free(model);
    return status;
}

static const option calibrate_options[] = {
    { "output", 'o', "FILE", "file to write the calibrated model to", GRADUS_PATH_WRITTEN },
    { "test", 0, "FILE", "held-out data, to evaluate the model before and after calibration",
      GRADUS_PATH_READ, true },
    { "metric", 0, "LIST",
      "metrics to report besides log loss and calibration error (default "
      "ndcg@10)" },
    { NULL, 0, NULL, NULL },
};

static const example calibrate_examples[] = {
    { "gradus calibrate web.model calibration.txt -o better.model",
      "fit a sigmoid of the outputs that minimises the log loss" },
    { "gradus calibrate lambda.model calibration.txt --how isotonic -o graded.model",
      "grade probabilities from a model that gives only scores" },
    { "gradus calibrate web.model calibration.txt --test test.txt -o better.model",
      "evaluate the effect on held-out data as well" },
    { "gradus eval test.txt web.model better.model --calibration", "compare before and after" },
    { NULL, NULL },
};

const command command_calibrate = {
    .name = "calibrate",
    .summary = "calibrate a model's probabilities on held-out data",
    .usage = "gradus calibrate MODEL DATA -o MODEL2 [--how NAME] [options]",
    .description =
        "Fits a function of the outputs of MODEL on the rows of DATA, which should not be "
        "training data, and writes a model that applies the function after MODEL.\n\n"
        "ls, ewls, el, ell and sn fit one sigmoid for all grades and differ in the objective: log "
        "loss, log loss times a power of the entropy, expected squared error of the grade, "
        "squared error of the expected grade, and smoothed DCG. platt, isotonic and beta "
        "calibrate the probability of each grade separately, temperature all of them together. "
        "linear, polynomial, network and gaussian-process are regressions of the gain 2^grade - "
        "1: their output is a score. ordinal fits a proportional odds model. From a model that "
        "gives only a score, platt, isotonic and ordinal estimate probabilities of the grades in "
        "DATA. docs/methods/calibration.md has the formulas.\n\n"
        "Prints the metric, the log loss and the expected calibration error of both models on "
        "DATA and on --test data. The values on DATA are optimistic, because the calibration was "
        "fitted there.",
    .options = calibrate_options,
    .operations = { "calibrate", "read" },
    .examples = calibrate_examples,
    .run = calibrate_run,
};
