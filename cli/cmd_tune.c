/* SPDX-License-Identifier: Apache-2.0 */
/* gradus tune: searches for the best settings and methods, and trains the best again. */
#include "cmd_tune.h"

#include "distributed.h"
#include "progress.h"
#include "signals.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

typedef struct tuning_job {
    arguments *given;
    ranks ranks;
    gradus_dataset *sets[TUNE_SETS];
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
        return fail_usage("a model cannot be written to standard output; name a file: -o MODEL");
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
        say("gradus: stopped; finished work is saved in '%s'. To resume, run the same command "
            "again\n",
            journal);
    else
        say("gradus: stopped; nothing is saved (with --journal FILE, finished trials are "
            "saved)\n");
    return signals_status();
}

static int read_sets(tuning_job *j)
{
    const int status = tune_sets_read(j->given, j->sets);

    return status == TUNE_STOPPED ? say_stopped(j->given) : status;
}

/* Without -o no model is trained at the end. */
static int configure_refit(const arguments *given)
{
    gradus_options *options = options_of(given, "tune");
    gradus_error err;

    if (!argument(given, "output") &&
        gradus_options_set(options, "refit", "none", &err) != GRADUS_OK)
        return fail(&err);
    if (argument(given, "output") && strcmp(gradus_options_value(options, "refit"), "none") == 0)
        return fail_usage("--refit none trains no model: omit -o");
    return 0;
}

static int search(tuning_job *j)
{
    const arguments *given = j->given;
    const gradus_tuning_input input = { .train = j->sets[TUNE_TRAIN],
                                        .valid = j->sets[TUNE_VALID],
                                        .test = j->sets[TUNE_TEST],
                                        .watch = tune_watch_ended,
                                        .user = &j->watch,
                                        .collectives = ranks_collectives(&j->ranks) };
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

    if (!path || !ranks_write(&j->ranks) ||
        gradus_model_write(gradus_tuning_model(j->tuning), path, &err) == GRADUS_OK)
        return 0;
    return fail(&err);
}

static int tune_all(tuning_job *j)
{
    int status;

    if ((status = check_arguments(j->given)) != 0 || (status = configure_refit(j->given)) != 0)
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
    int status = ranks_begin(&j.ranks, given);

    if (status < 0) {
        /* each trial runs on one process */
        gradus_context_set_collectives(given->context, NULL);
        status = tune_all(&j);
    }

    gradus_tuning_free(j.tuning);
    tune_sets_free(j.sets);
    ranks_end(&j.ranks, status == 0, status);
    return status;
}

static const option tune_options[] = {
    { "train", 0, "FILE", "training data; repeat the option for several files", GRADUS_PATH_READ,
      true },
    { "valid", 0, "FILE", "validation data, to select settings and rounds", GRADUS_PATH_READ,
      true },
    { "test", 0, "FILE", "test data, to evaluate the selected settings; not used by the search",
      GRADUS_PATH_READ, true },
    { "output", 'o', "MODEL",
      "train with the best settings again, and write the model to this file", GRADUS_PATH_WRITTEN },
    { "distributed", 0, "WITH",
      "divide the trials among processes started by mpirun, mpiexec or srun: mpi (the implementation "
      "of the launcher), openmpi or mpich" },
    { "trials", 0, "N", "number of trials to show (default 20; 0 with several methods)" },
    { NULL, 0, NULL, NULL },
};

static const example tune_examples[] = {
    { "gradus tune --method all --train train.txt --folds 5 -o best.model",
      "find the best method for the data by cross-validation" },
    { "gradus tune --method lambdamart --train train.txt --valid valid.txt --test test.txt "
      "--budget 40 -o best.model",
      "try 40 settings of one method" },
    { "gradus tune --method cocr,mcrank,lambdamart --fold-dirs MQ2008 --budget 1h --journal "
      "mq2008.jsonl",
      "a tournament of one hour on LETOR's folds, which can be stopped and resumed" },
    { "gradus tune --method cocr --train train.txt --valid valid.txt --search grid --budget 20 "
      "--space 'leaves=8..128:log:4, cost=absolute|squared|oerr' -o best.model",
      "a grid of 4 x 3 points" },
    { NULL, NULL },
};

const command command_tune = {
    .name = "tune",
    .summary = "search for the best settings and the best method",
    .usage = "gradus tune --method LIST --train FILE (--valid FILE | --folds K) [--test FILE] "
             "[-o MODEL] [options]\n"
             "gradus tune --method LIST --fold-dirs LIST [-o MODEL] [options]",
    .description =
        "Tries settings of one or several methods, selects by the metric on validation data, and "
        "trains the best again. Trials run in parallel and share the data and their bins. The "
        "default settings are always tried first. If the budget is a time, the defaults of all "
        "methods are trained to the end before other settings; methods that three quarters of the "
        "time are not enough for are left out.\n\n"
        "With several methods it is a tournament: each method with its best settings, the mean on "
        "test data with a 95% confidence interval, and the p-value against the winner (paired t "
        "test on queries, Holm's correction). The winner is the best on validation data. With "
        "folds, the test part of each fold is evaluated with the settings selected on its own "
        "validation part. P(best) is the probability of being the best method: the fraction of "
        "10,000 bootstrap resamples of the test queries (without test data, of the validation "
        "queries) in which its mean is the best. If the winner is not clear, a sentence names the "
        "methods that it is not clearly better than: the fewest whose P(best) add up to 0.95.\n\n"
        "--train, --valid and --test can be repeated, as for 'gradus train'.\n\n"
        "Finished trials are saved in the journal. If the command is stopped at any moment, "
        "running it again resumes from the journal; at most the training runs in progress are "
        "lost. The same command gives the same results with any number of threads, interrupted or "
        "not, unless the budget is a time. With --distributed mpi, 'mpirun -n 4 gradus tune ...' divides "
        "the trials among four processes, with the same results. A larger budget reuses the trials of a smaller one.\n\n"
        "With --json every line of standard output is an object with an \"event\": trial, place, "
        "done.",
    .options = tune_options,
    .operations = { "tune", "read" },
    .examples = tune_examples,
    .run = tune_run,
};
