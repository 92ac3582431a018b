/* SPDX-License-Identifier: Apache-2.0 */
#include "measured.h"
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
        return fail_usage("gradus calibrate needs a model, data and where to write: gradus "
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
    { "output", 'o', "FILE", "the calibrated model", GRADUS_PATH_WRITTEN },
    { "test", 0, "FILE", "held-out data to measure the model on, before and after",
      GRADUS_PATH_READ, true },
    { "metric", 0, "LIST", "metrics to report besides log loss and calibration error (ndcg@10)" },
    { NULL, 0, NULL, NULL },
};

static const example calibrate_examples[] = {
    { "gradus calibrate web.model calibration.txt -o better.model",
      "a sigmoid of the outputs that lowers the log loss" },
    { "gradus calibrate lambda.model calibration.txt --how isotonic -o graded.model",
      "probabilities of grades from a model that only ranks" },
    { "gradus calibrate web.model calibration.txt --test test.txt -o better.model",
      "the same, with the effect on held-out data" },
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
        "of DATA. docs/methods/calibration.md has the formulas.\n\n"
        "Prints the metric, the log loss and the expected calibration error of both models on DATA "
        "and on --test data. On DATA the calibrated model has been fitted, so that its values there "
        "are optimistic.",
    .options = calibrate_options,
    .operations = { "calibrate", "read" },
    .examples = calibrate_examples,
    .run = calibrate_run,
};
