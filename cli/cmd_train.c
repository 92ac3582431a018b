/* SPDX-License-Identifier: Apache-2.0 */
/* gradus train: reads the sets, trains round by round, writes and evaluates the model. */
#include "cmd_train.h"

#include "progress.h"
#include "signals.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

const char *const set_names[SETS] = { "train", "valid", "test" };

/* An existing checkpoint is left unchanged. */
static int interrupted_early(const job *j, const char *doing)
{
    say("gradus: interrupted while %s; %s\n", doing,
        j->resumes ? "the checkpoint is unchanged" : "nothing to save yet");
    return signals_status();
}

static void print_resume(const job *j)
{
    ranks_print_command(&j->ranks, j->given, argument(j->given, "resume") ? "" : " --resume");
}

/* After a lost process, or a GPU that failed: where to continue. */
static int again(const job *j, int status)
{
    if (j->saving.ours && ranks_write(&j->ranks)) {
        say("gradus: the last checkpoint is in '%s'. To resume:\n", j->saving.path);
        print_resume(j);
    }
    return status;
}

static int failed(const job *j, const gradus_error *err, const char *doing)
{
    const int status =
        err->status == GRADUS_CANCELLED && signals_came() ? interrupted_early(j, doing) : fail(err);

    return err->status == GRADUS_LOST ? again(j, LOST_STATUS) : status;
}

/* A resumed training or one that starts from a model scores all rows, for which it needs their
 * values. Ranks read the values of their rows in any case. */
static gradus_dataset *read_train(job *j, gradus_error *err)
{
    const gradus_options *read = options_of(j->given, "read");
    const char *const *files;
    const size_t count = argument_list(j->given, set_names[SET_TRAIN], &files);

    if ((j->resumes || j->start) && !j->ranks.mpi)
        return gradus_dataset_read_files(j->given->context, files, count, read, err);
    return gradus_dataset_read_for_training(j->given->context, files, count, read,
                                            options_of(j->given, "train"), err);
}

static int read_sets(job *j)
{
    gradus_options *others = options_without_weights(j->given);
    const double started = seconds_now();
    gradus_error err;
    int status = -1;

    for (size_t s = 0; s < SETS && status < 0; s++) {
        if (!j->paths[s])
            continue;
        if (s == SET_VALID)
            valid_sets_read(j, others, &err);
        else
            j->sets[s] = s == SET_TRAIN ? read_train(j, &err)
                                        : read_files(j->given, set_names[s], others, &err);
        if (!j->sets[s])
            status = failed(j, &err, "reading");
    }
    gradus_options_free(others);
    j->read_seconds = seconds_now() - started;
    return status;
}

/* Checked before training, so that a test set with too few features does not fail after it. */
static int check_set_features(const job *j, const char *path, const gradus_dataset *data)
{
    const size_t wanted = gradus_dataset_features(j->sets[SET_TRAIN]);

    if (!data || gradus_dataset_features(data) >= wanted)
        return -1;
    return fail_usage(
        "%s has %zu features, %s has %zu; if its last features are merely absent from "
        "the text, add --features %zu",
        path, gradus_dataset_features(data), j->paths[SET_TRAIN], wanted, wanted);
}

static int check_features(const job *j)
{
    int status = check_set_features(j, j->paths[SET_TEST], j->sets[SET_TEST]);

    for (size_t i = 0; i < j->valid_count && status < 0; i++)
        status = check_set_features(j, j->valids[i].files[0], j->valids[i].data);
    return status;
}

static int read_initial(job *j, size_t set, const char *path, const char *option_name)
{
    int status = 0;

    if (!path)
        return -1;
    if (!j->sets[set])
        return fail_usage("--%s needs --%s", option_name, set_names[set]);
    j->initial[set] = read_scores(j->given, j->sets[set], path, &status);
    return j->initial[set] ? -1 : status;
}

static int read_start(job *j)
{
    const char *path = argument(j->given, "start");
    gradus_error err;

    if (!path || j->resumes) /* a checkpoint contains the trees of --start */
        return -1;
    j->start = gradus_model_read(path, &err);
    return j->start ? -1 : fail(&err);
}

static int begin_training(job *j)
{
    const gradus_training_input input = {
        .train = j->sets[SET_TRAIN],
        .valid = j->sets[SET_VALID],
        .start = j->start,
        .resume = j->resumes,
        .initial = j->initial[SET_TRAIN],
        .initial_valid = j->initial[SET_VALID],
        .others = j->others,
        .other_count = j->valid_count ? j->valid_count - 1 : 0,
    };
    gradus_error err;

    for (size_t i = 1; i < j->valid_count; i++)
        j->others[i - 1] = j->valids[i].data;
    device_to_train(&j->device, j->given, j->sets[SET_TRAIN]);
    do
        j->training =
            gradus_training_new(j->given->context, &input, options_of(j->given, "train"), &err);
    while (!j->training && device_leave(&j->device, j->given));
    return j->training ? -1 : failed(j, &err, "preparing");
}

/* The rounds before the GPU failed are in memory, so nothing but the current one need be lost. Without memory on it
 * no round may ever succeed: the exit status does not ask for another run unless rounds were saved. */
static int gpu_failed(job *j, const gradus_training_state *state, const gradus_error *err)
{
    const bool is_lost = err->status == GRADUS_LOST;
    const char *what = is_lost ? "lost" : "out of memory";
    const int failure = fail(err), status = is_lost ? LOST_STATUS : failure;
    gradus_error other;

    if (state->round == j->shown.first) { /* none in this run */
        if (!j->saving.ours)
            say("gradus: %s in the first round; nothing to save yet\n", what);
        return again(j, status);
    }
    if (checkpoints_write(j, &other) != GRADUS_OK) {
        say("gradus: cannot save the checkpoint of round %zu: %s\n", state->round, other.message);
        return again(j, status);
    }
    event_saved(j, "interrupted", state);
    say("gradus: %s after round %zu of %zu; checkpoint saved to '%s'. To resume:\n", what,
        state->round, state->rounds, j->saving.path);
    print_resume(j);
    return LOST_STATUS;
}

static int stop_here(job *j, const gradus_training_state *state)
{
    gradus_error err;

    rounds_end(&j->shown);
    if (!ranks_write(&j->ranks))
        return j->stop_status;
    if (checkpoints_write(j, &err) != GRADUS_OK) {
        say("gradus: interrupted after round %zu, without a checkpoint: %s\n", state->round,
            err.message);
        return j->stop_status;
    }
    event_saved(j, "interrupted", state);
    say("gradus: interrupted after round %zu of %zu; checkpoint saved to '%s'. To resume:\n",
        state->round, state->rounds, j->saving.path);
    print_resume(j);
    return j->stop_status;
}

/* A cancelled round is discarded; before the first complete round there is nothing to save. */
static int step_failed(job *j, gradus_training_state *state, const gradus_error *err)
{
    gradus_training_get_state(j->training, state);
    j->stop_status = signals_status();
    if (err->status == GRADUS_CANCELLED && signals_came() && state->by_rounds && state->round > 0)
        return stop_here(j, state);
    rounds_end(&j->shown);
    return j->device.opened && (err->status == GRADUS_LOST || err->status == GRADUS_NO_MEMORY)
               ? gpu_failed(j, state, err)
               : failed(j, err, "fitting");
}

/* Whether to stop: all ranks do after the same round if a signal has come to one of them. */
static bool must_stop(job *j, gradus_error *err, bool *lost)
{
    int64_t status = signals_came() ? signals_status() : 0;

    *lost = !ranks_agree(&j->ranks, &status, err);
    j->stop_status = (int)status;
    j->together = !*lost && status;
    return !*lost && status;
}

static int train_rounds(job *j, gradus_training_state *state)
{
    gradus_error err;
    bool done = false, lost;

    gradus_training_get_state(j->training, state);
    event_start(j, state);
    rounds_begin(&j->shown, j, state);
    while (!done) {
        if (must_stop(j, &err, &lost))
            return stop_here(j, state);
        if (lost)
            return step_failed(j, state, &err);
        if (gradus_training_step(j->training, &done, &err) != GRADUS_OK)
            return step_failed(j, state, &err);
        gradus_training_get_state(j->training, state);
        rounds_show(&j->shown, state);
        if (!done && ranks_write(&j->ranks))
            checkpoints_tend(j, state);
    }
    rounds_end(&j->shown);
    return -1;
}

/* Each rank scores its rows; all get the scores of all. */
static void score_together(job *j)
{
    const gradus_dataset *data = j->sets[SET_TRAIN];

    j->train_scores = must_have(gradus_dataset_rows(data), sizeof *j->train_scores);
    if (gradus_model_score(j->given->context, j->model, data, j->train_scores, &j->score_error) ==
        GRADUS_OK)
        return;
    free(j->train_scores);
    j->train_scores = NULL;
}

static int write_model(job *j)
{
    gradus_error err;

    j->model = gradus_training_finish(j->training, &err);
    if (!j->model ||
        (ranks_write(&j->ranks) && gradus_model_write(j->model, j->model_path, &err) != GRADUS_OK))
        return fail(&err);
    if (ranks_write(&j->ranks)) {
        checkpoints_end(j);
        signals_default();
    }
    if (j->ranks.mpi)
        score_together(j);
    j->together = true;
    return ranks_write(&j->ranks) ? -1 : 0;
}

/* Appends the comma-separated words that the list does not contain yet. */
static void add_new_words(text *list, const char *words)
{
    while (*words) {
        const size_t length = strcspn(words, ",");
        const char *at = text_string(list);
        bool known = false;

        while (*at && !known) {
            const size_t other = strcspn(at, ",");

            known = other == length && strncmp(at, words, length) == 0;
            at += other + (at[other] == ',');
        }
        if (!known) {
            text_add(list, list->length ? "," : "");
            text_add_bytes(list, words, length);
        }
        words += length + (words[length] == ',');
    }
}

/* Evaluates with the gains stored in the model: training may have chosen them by the labels. */
static void take_gains(const job *j, gradus_options *options)
{
    const char *name, *value;

    for (size_t i = 0; gradus_model_option_at(j->model, i, &name, &value); i++)
        if (strcmp(name, "label-gain") == 0 ||
            (strcmp(name, "gain") == 0 && strcmp(value, "method") != 0))
            gradus_options_set(options, name, value, NULL);
}

/* Options to evaluate with `metric`, and with the other metrics of training and the defaults of
 * `gradus eval` if `others`. */
static gradus_options *evaluate_options(const job *j, const char *metric, bool others)
{
    gradus_options *options = gradus_options_new("evaluate", NULL);
    gradus_options *train = options_of(j->given, "train");
    text list = { NULL, 0, 0 };

    if (!options)
        return NULL;
    add_new_words(&list, metric);
    if (others) {
        add_new_words(&list, gradus_options_value(train, "metric"));
        add_new_words(&list, gradus_options_value(options, "metric"));
    }
    gradus_options_set(options, "metric", text_string(&list), NULL);
    gradus_options_set(options, "convention", gradus_options_value(train, "convention"), NULL);
    take_gains(j, options);
    text_free(&list);
    return options;
}

static bool score_set(const job *j, const gradus_dataset *data, double *scores, gradus_error *err)
{
    if (!j->ranks.mpi || data != j->sets[SET_TRAIN])
        return gradus_model_score(j->given->context, j->model, data, scores, err) == GRADUS_OK;
    *err = j->score_error;
    if (j->train_scores)
        memcpy(scores, j->train_scores, gradus_dataset_rows(data) * sizeof *scores);
    return j->train_scores;
}

static bool evaluate_set(job *j, const char *name, const gradus_dataset *data,
                         const double *initial, const gradus_options *options, gradus_error *err)
{
    const size_t rows = gradus_dataset_rows(data);
    double *scores = must_have(rows, sizeof *scores);
    gradus_evaluation *evaluation = NULL;

    if (score_set(j, data, scores, err)) {
        for (size_t r = 0; initial && r < rows; r++)
            scores[r] += initial[r];
        evaluation = gradus_evaluate(j->given->context, data, scores, options, err);
    }
    free(scores);
    if (evaluation)
        j->columns[j->column_count++] = (column){ .name = name, .evaluation = evaluation };
    return evaluation;
}

static void free_columns(job *j)
{
    while (j->column_count)
        gradus_evaluation_free(j->columns[--j->column_count].evaluation);
}

/* False, with the reason in *err, if a set cannot be evaluated with these metrics. */
static bool evaluate_with(job *j, const char *metric, bool others, gradus_error *err)
{
    gradus_options *options = evaluate_options(j, metric, others);
    bool good = options;

    for (size_t s = 0; good && s < SETS; s++) {
        if (j->sets[s] && (!j->initial[SET_TRAIN] || j->initial[s]))
            good = evaluate_set(j, s == SET_VALID ? j->valids[0].name : set_names[s], j->sets[s],
                                j->initial[s], options, err);
        for (size_t i = 1; s == SET_VALID && good && !j->initial[SET_TRAIN] && i < j->valid_count;
             i++)
            good = evaluate_set(j, j->valids[i].name, j->valids[i].data, NULL, options, err);
    }
    gradus_options_free(options);
    if (!good)
        free_columns(j);
    return good;
}

/* The model is already written, so a failed evaluation is only a note. If the labels are not
 * grades, most metrics fail: then only the metric of training is tried. */
static void evaluate_sets(job *j, const gradus_training_state *state)
{
    const double started = seconds_now();
    const bool lacks = j->initial[SET_TRAIN] && ((j->sets[SET_VALID] && !j->initial[SET_VALID]) ||
                                                 j->valid_count > 1 || j->sets[SET_TEST]);
    gradus_error err = { GRADUS_NO_MEMORY, "no memory" };

    if (!evaluate_with(j, state->metric, true, &err) &&
        (!state->metric[0] || !evaluate_with(j, state->metric, false, &err)) && !j->given->quiet)
        say("note: cannot evaluate the model: %s\n", err.message);
    note_letor(j->given, j->sets[SET_TRAIN], j->paths[SET_TRAIN]);
    if (lacks && !j->given->quiet)
        say("note: sets without initial scores are not evaluated: the model predicts only "
            "what is added to the initial scores\n");
    j->evaluate_seconds = seconds_now() - started;
}

static bool setting_is(const gradus_model *model, const char *wanted, const char *then)
{
    const char *name, *value;

    for (size_t i = 0; gradus_model_option_at(model, i, &name, &value); i++)
        if (strcmp(name, wanted) == 0)
            return strcmp(value, then) == 0;
    return false;
}

/* Gaussian kernels and nets with random initial weights depend on the features left out of
 * training, unless a transform maps constant features to 0. */
static void note_unused_features(const job *j)
{
    gradus_options *read = options_of(j->given, "read");
    gradus_model_fact fact;

    if (j->given->quiet || !setting_is(j->model, "transform", "none") ||
        (!*gradus_options_value(read, "use-features") &&
         !*gradus_options_value(read, "ignore-features")))
        return;
    if (gradus_model_fact_find(j->model, "activation", &fact) ||
        (gradus_model_fact_find(j->model, "kernel.name", &fact) &&
         strcmp(fact.text, "gaussian") == 0))
        say("note: the scores of this model depend on all features: use the same --use-features "
            "and --ignore-features when scoring, or train with --transform standardise\n");
}

/* Checks that a file can be written before the work, not after it. */
static int try_output(const char *path)
{
    gradus_error err;
    gradus_output *output = gradus_output_new(path, &err);

    if (!output)
        return fail(&err);
    gradus_output_abandon(output);
    return -1;
}

static int check_arguments(job *j)
{
    const arguments *given = j->given;
    int status;

    if (given->count)
        return fail_usage("gradus train takes options only, not '%s': gradus train --method M "
                          "--train FILE -o MODEL",
                          given->words[0]);
    for (size_t s = 0; s < SETS; s++) {
        if (s == SET_VALID)
            continue;
        j->paths[s] = argument(given, set_names[s]);
        if (check_no_models(given, set_names[s]) != 0)
            return 2;
    }
    if ((status = valid_sets_begin(j)) >= 0)
        return status;
    j->model_path = argument(given, "output");
    if (!j->paths[SET_TRAIN])
        return fail_usage("gradus train needs data: --train FILE");
    if (!j->model_path)
        return fail_usage("gradus train needs an output file: -o MODEL");
    if (strcmp(j->model_path, "-") == 0)
        return fail_usage("a model cannot be written to standard output; name a file: -o MODEL");
    return ranks_write(&j->ranks) ? try_output(j->model_path) : -1;
}

/* All ranks must have read the same checkpoint, or none. */
static int check_resumed(const job *j)
{
    int64_t numbers[2] = { j->resumes, !j->resumes };
    gradus_error err;

    for (size_t i = 0; i < 2; i++)
        if (!ranks_agree(&j->ranks, &numbers[i], &err))
            return failed(j, &err, "preparing");
    if (numbers[0] && numbers[1])
        return fail_usage(
            "some processes do not see the checkpoint '%s': it must be in a folder that "
            "all machines share",
            j->saving.path);
    return -1;
}

static int train(job *j)
{
    gradus_training_state state;
    int status;

    if ((status = check_arguments(j)) >= 0 || (status = checkpoints_begin(j)) >= 0 ||
        (ranks_write(&j->ranks) && (status = try_output(j->saving.path)) >= 0))
        return status;
    signals_remember(NULL);
    progress_show(j->given->context, !j->given->quiet);
    if ((status = checkpoints_resume(j)) >= 0 || (status = read_start(j)) >= 0 ||
        (status = read_sets(j)) >= 0 || (status = check_features(j)) >= 0 ||
        (status = read_initial(j, SET_TRAIN, argument(j->given, "initial"), "initial")) >= 0 ||
        (status = read_initial(j, SET_VALID, argument(j->given, "initial-valid"),
                               "initial-valid")) >= 0 ||
        (status = check_resumed(j)) >= 0)
        return status;
    const double started = seconds_now();

    if (j->ranks.mpi) /* ranks stop between rounds, all of them together */
        gradus_context_on_progress(j->given->context, NULL, NULL);
    if ((status = begin_training(j)) >= 0)
        return status;
    /* from here on progress is shown by round */
    if (!j->ranks.mpi)
        progress_show(j->given->context, false);
    signals_remember("\nstopping; press Ctrl-C again to quit now\n");
    if ((status = train_rounds(j, &state)) >= 0 || (status = write_model(j)) >= 0)
        return status;
    if (argument(j->given, "distributed") && !j->given->quiet)
        ranks_report(&j->ranks, seconds_now() - started);
    evaluate_sets(j, &state);
    note_unused_features(j);
    status = report_training(j, &state);
    return status == 0 && signals_came() ? signals_status() : status; /* during the evaluation */
}

static int train_run(arguments *given)
{
    job j = { .given = given };
    int status = device_begin(&j.device, given);

    if (status < 0)
        status = ranks_begin(&j.ranks, given);
    if (status < 0)
        status = train(&j);

    free_columns(&j);
    free(j.train_scores);
    gradus_training_free(j.training);
    gradus_model_free(j.model);
    gradus_model_free(j.start);
    valid_sets_free(&j);
    for (size_t s = 0; s < SETS; s++) {
        gradus_dataset_free(j.sets[s]);
        free(j.initial[s]);
    }
    free(j.saving.path);
    device_end(&j.device, given);
    ranks_end(&j.ranks, status == 0 || j.together, status);
    return status;
}

static const option train_options[] = {
    { "train", 0, "FILE", "training data; repeat the option for several files", GRADUS_PATH_READ,
      true },
    { "valid", 0, "FILE",
      "validation data: the model keeps the rounds up to the best one; without it, all rounds. "
      "NAME=FILE: a named set; the first set selects the best round, the others are only reported",
      GRADUS_PATH_READ, true, true },
    { "test", 0, "FILE", "test data, to evaluate the finished model; not used in training",
      GRADUS_PATH_READ, true },
    { "output", 'o', "MODEL", "file to write the model to", GRADUS_PATH_WRITTEN },
    { "start", 0, "MODEL", "warm start: add rounds to this model, which must be of the same method",
      GRADUS_PATH_READ },
    { "initial", 0, "SCORES",
      "initial scores of the --train rows: a file of scores, a model, or feature:N; the new model "
      "predicts only what is added to them",
      GRADUS_PATH_READ },
    { "initial-valid", 0, "SCORES", "the same for --valid", GRADUS_PATH_READ },
    { "checkpoint", 0, "FILE",
      "file for checkpoints (default MODEL.checkpoint); they are saved once a minute unless one "
      "of the next two options is given",
      GRADUS_PATH_WRITTEN },
    { "checkpoint-every", 0, "N", "save a checkpoint every N rounds, instead of once a minute" },
    { "checkpoint-seconds", 0, "S", "save a checkpoint every S seconds, instead of once a minute" },
    { "resume", 0, NULL, "resume from the checkpoint, if it exists" },
    { "distributed", 0, "WITH",
      "train on several processes started by mpirun, mpiexec or srun, each with some of the queries: "
      "mpi (the implementation of the launcher), openmpi or mpich" },
    DEVICE_OPTION,
    { NULL, 0, NULL, NULL },
};

static const example train_examples[] = {
    { "gradus train --method lambdamart --train train.txt --valid valid.txt -o web.model",
      "train a ranker, and keep the best round on valid.txt" },
    { "gradus train --method mcrank --train train.txt --rounds 300 --leaves 20 -o web.model",
      "a model that also predicts the probability of each grade" },
    { "gradus train --method cocr --cost squared --train train.txt --test test.txt -o web.model",
      "cost-sensitive ordinal classification, evaluated on test.txt" },
    { "gradus train --method lambdamart --train big.gradus -o big.model --checkpoint-seconds 60 "
      "--resume",
      "a long run that can be killed and started again to resume" },
    { NULL, NULL },
};

const command command_train = {
    .name = "train",
    .summary = "train a ranking model",
    .usage = "gradus train [--method METHOD] --train FILE [--valid FILE] [--test FILE] -o MODEL "
             "[options]",
    .description =
        "Trains on graded rows and writes a model for 'gradus score', 'gradus eval' and 'gradus "
        "show'. 'gradus help methods' lists the methods, 'gradus train --method METHOD --help' the "
        "options of one method, 'gradus help metrics' the metrics; 'gradus tune' searches for good "
        "settings. The same data, options and seed give a byte-identical "
        "model file for any number of threads, from text or binary data, and whether or not "
        "training was interrupted.\n\n"
        "With --valid the metric is computed on that set after each round, and the model keeps "
        "the rounds up to the best one. At the end the model is evaluated on all sets, and the "
        "convention is printed with the numbers.\n\n"
        "--train, --valid and --test can be repeated: the rows of the files, in order, form one "
        "set. A query id in two files is an error unless --join-queries is given. Text files may "
        "have different numbers of features; CSV files must have the same columns. Row and query "
        "weights given by options apply to --train only.\n\n"
        "--valid NAME=FILE adds a file to the validation set of that name; plain files form the "
        "set 'valid'. The first set selects the best round and decides when to stop; all sets are "
        "evaluated, and shown with each round and at the end.\n\n"
        "Ctrl-C (SIGINT), SIGTERM and SIGHUP stop training within about a second, write a "
        "checkpoint of the completed rounds and print the command that resumes from it; a second "
        "signal quits at once. The exit status is then 130, 143 or 129: 128 plus the signal "
        "number. The checkpoint is removed when the model is written.\n\n"
        "The help of an option that belongs to some methods or learners starts with their names: "
        "'svor' for svor-imc, svor-exc and svor-sl, 'nets' for netreg, ranknet, lambdarank, listnet "
        "and listmle. Options without names are for all methods or for boosted trees (the learner "
        "gbrt). An option of another method or learner is an error, except --lambda-metric, "
        "--lambda-depth, --truncation, --sigma and --normalise, which all boosted trees accept "
        "and only lambdamart uses. "
        "A method fits one or more outputs, from which --scoring makes the score: lambdamart and "
        "regression one, mcrank one per grade, cocr one per grade but the lowest.\n\n"
        "With --distributed mpi, 'mpirun -n 4 gradus train ...' trains on four processes of one or "
        "several machines; docs/guide/cluster.md explains it. The model is byte-identical to that of "
        "a single process. Each process reads its part of the training data; the first one prints "
        "and writes. Boosted trees and --learner linear only. The exit status is 75 if a process is lost: "
        "'--resume' continues from the last checkpoint, with any number of processes.\n\n"
        "With --device cuda, boosted trees are trained on an NVIDIA GPU; docs/guide/gpu.md explains it. "
        "The model is byte-identical to that of the processor. The exit status is 75 if the GPU "
        "fails: the completed rounds are saved to the checkpoint, and '--resume' continues from it, on the GPU or "
        "without it.\n\n"
        "With --json every line of standard output is an object with an \"event\": start, round, "
        "checkpoint, interrupted, done.",
    .options = train_options,
    .operations = { "train", "read" },
    .examples = train_examples,
    .run = train_run,
};
