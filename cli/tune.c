/* SPDX-License-Identifier: Apache-2.0 */
#include "tune.h"

#include "progress.h"
#include "signals.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { TRAIN, VALID, TEST, SETS };
static const char *const set_words[SETS] = { "train", "valid", "test" };

/* What the command works with. */
typedef struct tuning_job {
    const arguments *given;
    gradus_dataset *sets[SETS];
    tune_watch watch;
    gradus_tuning *tuning;
} tuning_job;

static int check_arguments(const arguments *given)
{
    const char *output = argument(given, "output");
    gradus_error err;
    bool good;

    if (given->count)
        return fail_usage("gradus tune takes options only, not '%s': gradus tune --method M "
                          "--train FILE --valid FILE -o MODEL",
                          given->words[0]);
    tune_trials(given, false, &good);
    if (!good)
        return fail_usage("--trials takes a count, not '%s'", argument(given, "trials"));
    if (!output)
        return 0;
    if (strcmp(output, "-") == 0)
        return fail_usage("a model is written to a file, not to standard output: -o MODEL");
    gradus_output *tried = gradus_output_new(output, &err);

    if (!tried)
        return fail(&err);
    gradus_output_abandon(tried);
    return 0;
}

static int say_stopped(const arguments *given)
{
    const char *journal = gradus_options_value(options_of(given, "tune"), "journal");

    if (*journal)
        say("gradus: stopped; what is finished is kept in '%s', and the same command "
            "goes on\n",
            journal);
    else
        say("gradus: stopped, and nothing is kept: --journal FILE would keep what is "
            "finished\n");
    return signals_status();
}

static int read_sets(tuning_job *j)
{
    gradus_options *others = options_without_weights(j->given);
    gradus_error err;
    int status = 0;

    for (size_t s = 0; s < SETS && status == 0; s++) {
        if (!argument(j->given, set_words[s]) ||
            (status = check_no_models(j->given, set_words[s])) != 0)
            continue;
        j->sets[s] = read_files(j->given, set_words[s],
                                s == TRAIN ? options_of(j->given, "read") : others, &err);
        if (!j->sets[s])
            status = err.status == GRADUS_CANCELLED && signals_came() ? say_stopped(j->given)
                                                                      : fail(&err);
    }
    gradus_options_free(others);
    return status;
}

/* Without a place for the model none is made. */
static int settle_refit(const arguments *given)
{
    gradus_options *options = options_of(given, "tune");
    gradus_error err;

    if (!argument(given, "output") &&
        gradus_options_set(options, "refit", "none", &err) != GRADUS_OK)
        return fail(&err);
    if (argument(given, "output") && strcmp(gradus_options_value(options, "refit"), "none") == 0)
        return fail_usage("--refit none makes no model: leave out -o");
    return 0;
}

static int search(tuning_job *j)
{
    const arguments *given = j->given;
    const gradus_tuning_input input = { .train = j->sets[TRAIN],
                                        .valid = j->sets[VALID],
                                        .test = j->sets[TEST],
                                        .watch = tune_watch_ended,
                                        .user = &j->watch };
    gradus_error err;

    tune_watch_begin(&j->watch, given);
    j->tuning = gradus_tune(given->context, &input, options_of(given, "tune"), &err);
    tune_watch_end(&j->watch);
    if (j->tuning)
        return 0;
    return err.status == GRADUS_CANCELLED && signals_came() ? say_stopped(given) : fail(&err);
}

static int write_model(const tuning_job *j)
{
    const char *path = argument(j->given, "output");
    gradus_error err;

    if (!path || gradus_model_write(gradus_tuning_model(j->tuning), path, &err) == GRADUS_OK)
        return 0;
    return fail(&err);
}

static int tune_all(tuning_job *j)
{
    int status;

    if ((status = check_arguments(j->given)) != 0 || (status = settle_refit(j->given)) != 0)
        return status;
    signals_remember("\nstopping\n");
    progress_show(j->given->context, !j->given->quiet);
    if ((status = read_sets(j)) != 0 || (status = search(j)) != 0 || (status = write_model(j)) != 0)
        return status;
    signals_default();
    return tune_report(j->given, j->tuning);
}

static int tune_run(arguments *given)
{
    tuning_job j = { .given = given };
    const int status = tune_all(&j);

    gradus_tuning_free(j.tuning);
    for (size_t s = 0; s < SETS; s++)
        gradus_dataset_free(j.sets[s]);
    return status;
}

static const option tune_options[] = {
    { "train", 0, "FILE", "data to learn from; several files: give it again", GRADUS_PATH_READ,
      true },
    { "valid", 0, "FILE", "data to choose settings and rounds by", GRADUS_PATH_READ, true },
    { "test", 0, "FILE", "data to measure what was chosen on; the search does not see them",
      GRADUS_PATH_READ, true },
    { "output", 'o', "MODEL", "train the best settings again, and write the model there",
      GRADUS_PATH_WRITTEN },
    { "trials", 0, "N", "show N trials; 0: none (default 20)" },
    { NULL, 0, NULL, NULL },
};

static const example tune_examples[] = {
    { "gradus tune --method all --train train.txt --folds 5 -o best.model",
      "which ranker for my data: all methods, cross-validated" },
    { "gradus tune --method lambdamart --train train.txt --valid valid.txt --test test.txt "
      "--budget 40 -o best.model",
      "40 settings of one method" },
    { "gradus tune --method cocr,mcrank,lambdamart --fold-dirs MQ2008 --budget 1h --journal "
      "mq2008.jsonl",
      "a tournament on LETOR's folds, in an hour; it can be stopped and gone on with" },
    { "gradus tune --method cocr --train train.txt --valid valid.txt --search grid --budget 20 "
      "--space 'leaves=8..128:log:4, cost=absolute|squared|oerr' -o best.model",
      "a grid of 4 times 3 points" },
    { NULL, NULL },
};

const command command_tune = {
    .name = "tune",
    .summary = "find the best settings, and the best method",
    .usage = "gradus tune --method LIST --train FILE (--valid FILE | --folds K) [--test FILE] "
             "[-o MODEL] [options]\n"
             "gradus tune --method LIST --fold-dirs LIST [-o MODEL] [options]",
    .description =
        "Tries settings of one or several methods, chooses by the metric on validation data, and "
        "trains the best again. Trials run side by side on the threads there are, and share the "
        "data and their bins. The first settings that are tried are always the defaults.\n\n"
        "With several methods it is a tournament: each with the best of its settings, the mean on "
        "test data with a 95% confidence interval, and p against the winner (paired t test on "
        "queries, Holm's correction). The winner is the best on validation data. With folds, "
        "each fold's test part is measured with the settings that its own validation part "
        "chose.\n\n"
        "--train, --valid and --test may be given several times, as for 'gradus train'.\n\n"
        "What is finished is kept in the journal, from which the same command goes on after it was "
        "stopped, at whatever moment; at most the trainings that ran are lost. The same command "
        "gives the same results on any number of threads, stopped or not, unless the budget is a "
        "time. A larger budget goes on from the trials of a smaller one.\n\n"
        "With --json every line of standard output is an object with an \"event\": trial, place, "
        "done.",
    .options = tune_options,
    .operations = { "tune", "read" },
    .examples = tune_examples,
    .run = tune_run,
};
