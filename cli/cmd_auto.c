/* SPDX-License-Identifier: Apache-2.0 */
/* gradus auto: trains an ensemble of the best methods, and states what to expect of it. */
#include "cmd_auto.h"

#include "cmd_tune.h"
#include "progress.h"
#include "signals.h"

#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static const char journal_ending[] = ".auto.jsonl", scores_ending[] = ".scores";

typedef struct auto_job {
    arguments *given;
    gradus_dataset *sets[TUNE_SETS];
    char *journal;
    bool own_journal; /* not given by the user: deleted at the end */
    tune_watch watch;
    gradus_auto_result *result;
} auto_job;

static int check_arguments(const arguments *given)
{
    const char *output = argument(given, "output");
    gradus_error err;
    bool good;

    tune_trials(given, true, &good);
    if (!good)
        return fail_usage("--trials takes a count, not '%s'", argument(given, "trials"));
    if (given->count)
        return fail_usage("gradus auto takes options only, not '%s': gradus auto --train FILE "
                          "-o MODEL",
                          given->words[0]);
    if (!argument(given, "train"))
        return fail_usage("gradus auto needs training data: --train FILE");
    if (!output)
        return fail_usage("gradus auto needs a file for the model: -o MODEL");
    if (strcmp(output, "-") == 0)
        return fail_usage("a model cannot be written to standard output; name a file: -o MODEL");
    if (argument(given, "report") && !gradus_report_available())
        return fail_usage("--report is not available: gradus was built without Chart.js");
    const char *const written[] = { output, argument(given, "report") };

    for (size_t i = 0; i < 2; i++) {
        gradus_output *tried = written[i] ? gradus_output_new(written[i], &err) : NULL;

        if (written[i] && !tried)
            return fail(&err);
        gradus_output_abandon(tried);
    }
    return 0;
}

static char *joined(const char *first, const char *second)
{
    char *made = must_have(strlen(first) + strlen(second) + 1, 1);

    memcpy(made, first, strlen(first));
    memcpy(made + strlen(first), second, strlen(second) + 1);
    return made;
}

/* Without --journal, finished trials are recorded beside the model until it is written. */
static int take_journal(auto_job *j)
{
    gradus_options *options = options_of(j->given, "auto");
    const char *path = gradus_options_value(options, "journal");
    gradus_error err;
    int status;

    j->own_journal = !*path;
    j->journal = *path ? must_copy(path) : joined(argument(j->given, "output"), journal_ending);
    if (!j->own_journal)
        return 0;
    if ((status = check_output(j->given, "--journal", j->journal)) != 0)
        return status;
    return gradus_options_set(options, "journal", j->journal, &err) == GRADUS_OK ? 0 : fail(&err);
}

/* Deletes the journal beside the model, and the scores beside the journal. */
static void remove_journal(const auto_job *j)
{
    char *path = joined(j->journal, scores_ending);
    DIR *folder = j->own_journal ? opendir(path) : NULL;

    for (const struct dirent *entry; folder && (entry = readdir(folder));)
        if (strstr(entry->d_name, ".f64"))
            unlinkat(dirfd(folder), entry->d_name, 0);
    if (folder)
        closedir(folder);
    if (j->own_journal) {
        rmdir(path);
        unlink(j->journal);
    }
    free(path);
}

static int say_stopped(const auto_job *j)
{
    say("gradus: stopped; finished trials are saved in '%s'. To resume, run the same command "
        "again\n",
        j->journal);
    return signals_status();
}

static int read_sets(auto_job *j)
{
    const int status = tune_sets_read(j->given, j->sets);

    return status == TUNE_STOPPED ? say_stopped(j) : status;
}

static int search(auto_job *j)
{
    const arguments *given = j->given;
    const gradus_tuning_input input = { .train = j->sets[TUNE_TRAIN],
                                        .valid = j->sets[TUNE_VALID],
                                        .test = j->sets[TUNE_TEST],
                                        .watch = tune_watch_ended,
                                        .user = &j->watch };
    gradus_error err;

    tune_watch_begin(&j->watch, given);
    j->watch.noun = "trial";
    j->result = gradus_auto(given->context, &input, options_of(given, "auto"), &err);
    tune_watch_end(&j->watch);
    if (j->result)
        return 0;
    return err.status == GRADUS_CANCELLED && signals_came() ? say_stopped(j) : fail(&err);
}

static int write_model(const auto_job *j)
{
    gradus_error err;

    return gradus_model_write(gradus_auto_model(j->result), argument(j->given, "output"), &err) ==
                   GRADUS_OK
               ? 0
               : fail(&err);
}

/* Writes the results as lines of JSON, which the report shows; exit status. */
static int write_events(const auto_job *j, const char *path)
{
    gradus_error err;
    gradus_output *output = gradus_output_new(path, &err);
    text t = { NULL, 0, 0 };
    gradus_status status = output ? GRADUS_OK : err.status;

    auto_add_events(&t, j->given, j->result);
    if (status == GRADUS_OK)
        status = gradus_output_write(output, text_string(&t), t.length, &err);
    text_free(&t);
    if (status == GRADUS_OK)
        status = gradus_output_close(output, &err);
    else
        gradus_output_abandon(output);
    return status == GRADUS_OK ? 0 : fail(&err);
}

/* The report page: model and best single model on the test data, and the trials. */
static int write_page(const auto_job *j, const char *events)
{
    const gradus_report_system systems[] = {
        { .name = argument(j->given, "output"),
          .model = gradus_auto_model(j->result),
          .command = j->given->typed },
        { .name = "best single model", .model = gradus_auto_single(j->result) },
    };
    const gradus_report_set set = { .name = argument(j->given, "test"),
                                    .data = j->sets[TUNE_TEST] };
    const char *const runs[] = { events, j->journal };
    const bool both = systems[1].model && systems[1].model != systems[0].model;
    const char *title = argument(j->given, "title");
    const gradus_report_input input = { .title = title ? title : argument(j->given, "output"),
                                        .command = j->given->typed,
                                        .systems = systems,
                                        .system_count = both ? 2 : 1,
                                        .sets = &set,
                                        .set_count = j->sets[TUNE_TEST] ? 1 : 0,
                                        .runs = runs,
                                        .run_count = 2,
                                        .seed = 1 };
    gradus_error err;

    return gradus_report(j->given->context, &input, argument(j->given, "report"), &err) == GRADUS_OK
               ? 0
               : fail(&err);
}

static int write_report(const auto_job *j)
{
    char *events = joined(j->journal, ".events");
    int status = 0;

    if (argument(j->given, "report") && (status = write_events(j, events)) == 0)
        status = write_page(j, events);
    unlink(events);
    free(events);
    return status;
}

static int run_all(auto_job *j)
{
    int status;

    if ((status = check_arguments(j->given)) != 0 || (status = take_journal(j)) != 0)
        return status;
    signals_remember("\nstopping\n");
    progress_show(j->given->context, !j->given->quiet);
    if ((status = read_sets(j)) != 0 || (status = search(j)) != 0 ||
        (status = write_model(j)) != 0 || (status = write_report(j)) != 0)
        return status;
    signals_default();
    remove_journal(j);
    return auto_report(j->given, j->result);
}

static int auto_run(arguments *given)
{
    auto_job j = { .given = given };
    const int status = run_all(&j);

    gradus_auto_free(j.result);
    tune_sets_free(j.sets);
    free(j.journal);
    return status;
}

static const option auto_options[] = {
    { "train", 0, "FILE", "training data; repeat the option for several files", GRADUS_PATH_READ,
      true },
    { "valid", 0, "FILE", "more training data; held-out queries are taken from both",
      GRADUS_PATH_READ, true },
    { "test", 0, "FILE", "test data, to evaluate the finished model; not used otherwise",
      GRADUS_PATH_READ, true },
    { "output", 'o', "MODEL", "file to write the model to", GRADUS_PATH_WRITTEN },
    { "report", 0, "FILE", "also write an HTML report of the trials and the model",
      GRADUS_PATH_WRITTEN },
    { "title", 0, "TEXT", "title of the report" },
    { "trials", 0, "N", "number of trials to show that were not selected (default 0)" },
    { NULL, 0, NULL, NULL },
};

static const example auto_examples[] = {
    { "gradus auto --train train.txt -o best.model", "try 40 settings of many methods" },
    { "gradus auto --train train.txt --valid valid.txt --test test.txt --budget 10min -o "
      "best.model --report best.html",
      "search for ten minutes, test the result, and write a report" },
    { "gradus auto --train train.txt --probabilities --budget 30 -o best.model",
      "an ensemble with grade probabilities, which can be scored by any cost" },
    { NULL, NULL },
};

const command command_auto = {
    .name = "auto",
    .summary = "train an ensemble of the best methods",
    .usage = "gradus auto --train FILE [--valid FILE] [--test FILE] [--budget N|TIME] -o MODEL "
             "[options]",
    .description =
        "Tries many methods and settings, combines the best ones, and states what to expect of the "
        "result on new queries. No settings are needed.\n\n"
        "Every setting is trained on folds of the data, split by query. Scores of held-out queries "
        "select the members of an ensemble (greedy forward selection on bootstrap samples), which "
        "are then trained again on all data, --valid included. The model is one file, used like "
        "any other.\n\n"
        "The expected value of the metric is estimated on held-out queries, with members selected "
        "on other queries than those evaluated, so that it is neither optimistic because of the "
        "selection nor because of the number of rounds. The same holds for the best single "
        "setting, which the ensemble is compared with.\n\n"
        "With --budget N, the same command gives the same model on any machine. With a time, the "
        "output ends with the command that does: the time limits the number of trials, and if it "
        "is short for the data, the folds of all trials (--folds) and their rounds "
        "(--max-rounds). Finished trials are recorded beside the model until it is written (or in "
        "--journal FILE, which is kept): if the command is stopped, running it again resumes.\n\n"
        "With --json every line of standard output is an object with an \"event\": warning, "
        "member, done.",
    .options = auto_options,
    .operations = { "auto", "read" },
    .examples = auto_examples,
    .run = auto_run,
};
