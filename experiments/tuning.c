/* SPDX-License-Identifier: Apache-2.0 */
/* Tuning: options, search spaces of the methods, search, results. */
#include "experiments/tuning.h"

#include "base/clock.h"
#include "base/memory.h"
#include "base/text.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

gradus_status gr_budget_parse(const char *text, gr_budget *budget, gradus_error *err)
{
    static const struct {
        const char *name;
        double seconds;
    } units[] = { { "s", 1.0 }, { "sec", 1.0 }, { "min", 60.0 }, { "h", 3600.0 } };
    /* NOLINTNEXTLINE(clang-analyzer-core.NonNullParamChecker): options have values */
    const char *end = text + strlen(text), *rest;
    uint64_t count;
    double number;

    *budget = (gr_budget){ .seconds = (double)INFINITY };
    if (gr_parse_count(text, end, &count) == end && count >= 1 && count <= 10000) {
        budget->settings = (size_t)count;
        return GRADUS_OK;
    }
    rest = gr_parse_double(text, end, &number);
    for (size_t u = 0; rest && u < sizeof units / sizeof units[0]; u++)
        if (strcmp(rest, units[u].name) == 0 && number > 0.0 && number < 1e9) {
            budget->seconds = number * units[u].seconds;
            return GRADUS_OK;
        }
    return gr_fail(err, GRADUS_BAD_ARGUMENT,
                   "'budget' takes a number of settings from 1 to 10000, or a time such as 90s, "
                   "10min or 1h; found '%.60s'",
                   text);
}

static void end_entrant(gr_entrant *entrant)
{
    for (size_t s = 0; s < entrant->record_count; s++)
        free(entrant->records[s].failed);
    free(entrant->records);
    free(entrant->alive);
    free(entrant->method);
    free(entrant->failed);
    gr_space_free(&entrant->space);
    gr_setting_list_free(&entrant->settings);
}

/* The methods that can be trained, NULL-terminated. */
static const char *const *method_names(void)
{
    static const char *const none[] = { NULL };
    gradus_param param;

    return gradus_param_find("train", "method", &param) ? param.choices : none;
}

static gradus_status add_method(gr_tuning_run *run, const char *name, size_t length,
                                gradus_error *err)
{
    gr_entrant *more = realloc(run->entrants, (run->count + 1) * sizeof *more);
    char *method = more ? strndup(name, length) : NULL;

    if (more)
        run->entrants = more;
    if (!method)
        return gr_fail_memory(err, "methods");
    run->entrants[run->count++] = (gr_entrant){ .method = method, .best = (double)NAN };
    for (size_t e = 0; e + 1 < run->count; e++)
        if (strcmp(run->entrants[e].method, method) == 0)
            return gr_fail(err, GRADUS_BAD_ARGUMENT, "'method' names '%s' twice", method);
    const char *const *names = method_names();
    size_t count = 0;

    for (; names[count]; count++)
        if (strcmp(names[count], method) == 0)
            return GRADUS_OK;
    return gr_fail_unknown(err, "method", method, names, count);
}

/* All methods but "calibrated": it would take up to half of the time and is not better than others
 * (docs/methods/adaboost-mh.md has the measurement). */
static gradus_status take_all_methods(gr_tuning_run *run, gradus_error *err)
{
    for (const char *const *name = method_names(); *name; name++)
        if (strcmp(*name, "calibrated") != 0)
            GR_TRY(add_method(run, *name, strlen(*name), err));
    gr_send_note(
        run->context,
        "'all' leaves out 'calibrated', which takes much longer than other methods and is not "
        "better; it can be named");
    return GRADUS_OK;
}

static gradus_status take_methods(gr_tuning_run *run, gradus_error *err)
{
    const char *list = run->options.method;

    if (strcmp(list, "all") == 0)
        return take_all_methods(run, err);
    do {
        const size_t length = strcspn(list, ",");

        GR_TRY(add_method(run, list, length, err));
        list += length;
    } while (*list++ == ',');
    return GRADUS_OK;
}

/* Builds the search space of each method. Fails if the space has an option that no method reads. */
static gradus_status take_spaces(gr_tuning_run *run, const gr_space *given, gradus_error *err)
{
    for (size_t e = 0; e < run->count; e++) {
        gr_entrant *entrant = &run->entrants[e];
        gradus_error fault = { GRADUS_OK, "" };
        const gradus_status status = gr_space_for(given, entrant->method, &entrant->space, &fault);

        if (status == GRADUS_OK)
            continue;
        if (status != GRADUS_BAD_ARGUMENT || run->count == 1)
            return gr_fail(err, status, "%s", fault.message);
        entrant->failed = strdup(fault.message);
        if (!entrant->failed)
            return gr_fail_memory(err, "methods");
    }
    for (size_t d = 0; d < given->count; d++) {
        bool read = false;

        for (size_t e = 0; e < run->count; e++)
            read = read || gr_space_has(&run->entrants[e].space, given->dimensions[d].name);
        if (!read)
            return gr_fail(err, GRADUS_BAD_ARGUMENT,
                           "'space': '%s' is not used by any method of 'method %.200s'",
                           given->dimensions[d].name, run->options.method);
    }
    return GRADUS_OK;
}

/* Describes a method with the options that the space fixes for all trials. */
static gradus_status describe_method(const gr_entrant *entrant, gradus_method_facts *facts,
                                     gradus_error *err)
{
    gradus_options *options = gradus_options_new("train", err);
    gradus_status status = options ? GRADUS_OK : GRADUS_NO_MEMORY;

    if (status == GRADUS_OK)
        status = gradus_options_set(options, "method", entrant->method, err);
    for (size_t d = 0; status == GRADUS_OK && d < entrant->space.count; d++)
        if (entrant->space.dimensions[d].count == 1)
            status = gradus_options_set(options, entrant->space.dimensions[d].name,
                                        entrant->space.dimensions[d].choices[0], err);
    if (status == GRADUS_OK)
        status = gradus_method_describe(options, facts, err);
    gradus_options_free(options);
    return status;
}

static void drop_left_out(gr_tuning_run *run)
{
    size_t kept = 0;

    for (size_t e = 0; e < run->count; e++)
        if (run->entrants[e].left_out)
            end_entrant(&run->entrants[e]);
        else
            run->entrants[kept++] = run->entrants[e];
    run->count = kept;
}

/* Without query ids, methods that compare rows within a query are left out of "all"; naming one is
 * an error. */
static gradus_status leave_out(gr_tuning_run *run, gradus_error *err)
{
    size_t out = 0;

    for (size_t e = 0; e < run->count; e++) {
        gr_entrant *entrant = &run->entrants[e];

        if (!entrant->failed) {
            gradus_method_facts facts;

            GR_TRY(describe_method(entrant, &facts, err));
            entrant->left_out = facts.needs_queries;
        }
        if (entrant->left_out && strcmp(run->options.method, "all") != 0)
            return gr_fail(err, GRADUS_BAD_ARGUMENT,
                           "the training data have no query ids, and '%s' compares rows of the "
                           "same query; if all rows are one query, add 'one-query'",
                           entrant->method);
        out += entrant->left_out;
    }
    if (out)
        gr_send_note(run->context,
                     "the training data have no query ids: %zu methods that compare rows within a "
                     "query are left out; if all rows are one query, add 'one-query'",
                     out);
    else
        gr_send_note(run->context, "the training data have no query ids: all rows are one query");
    drop_left_out(run);
    return GRADUS_OK;
}

/* Classifies the labels of all folds: by the most general kind. */
static gradus_label_kind labels_of(const gr_tuning_run *run)
{
    gradus_label_kind all = GRADUS_LABELS_GRADES;

    for (size_t f = 0; f < run->data.folds.count; f++) {
        const gr_fold *fold = &run->data.folds.folds[f];
        const gradus_dataset *sets[] = { fold->train, fold->valid, fold->test };
        gradus_label_kind kind;

        for (size_t s = 0; s < 3; s++)
            if (sets[s] && gradus_dataset_labels(run->context, sets[s], &kind, NULL) == GRADUS_OK)
                all = kind > all ? kind : all;
    }
    return all;
}

/* If labels are not grades, methods that require grades are left out of "all". */
static gradus_status leave_out_graded(gr_tuning_run *run, gradus_error *err)
{
    char names[400] = "";

    for (size_t e = 0; e < run->count; e++) {
        gr_entrant *entrant = &run->entrants[e];
        gradus_method_facts facts = { .needs_grades = false };

        if (!entrant->failed)
            GR_TRY(describe_method(entrant, &facts, err));
        entrant->left_out = facts.needs_grades;
        if (entrant->left_out) {
            gr_text_append(names, sizeof names, *names ? ", " : "");
            gr_text_append(names, sizeof names, entrant->method);
        }
    }
    if (*names)
        gr_send_note(run->context,
                     "the labels are not grades: methods that require grades are left "
                     "out: %s",
                     names);
    drop_left_out(run);
    return GRADUS_OK;
}

static gradus_status take_gains(gr_tuning_run *run, gradus_error *err)
{
    const gr_metric_choice choice = { .metric = run->options.metric,
                                      .convention = run->options.convention,
                                      .convention_given = run->convention_given,
                                      .rule = run->options.gain,
                                      .label_gain = run->options.label_gain,
                                      .labels = labels_of(run) };

    if (choice.labels != GRADUS_LABELS_GRADES && strcmp(run->options.method, "all") == 0)
        GR_TRY(leave_out_graded(run, err));
    return gr_metric_choice_gains(run->context, &choice, &run->gains, err);
}

static gradus_status check_data(gr_tuning_run *run, gradus_error *err)
{
    const gr_fold *first = &run->data.folds.folds[0];

    for (size_t f = 0; f < run->data.folds.count; f++) {
        const gr_fold *fold = &run->data.folds.folds[f];

        if (fold->valid)
            GR_TRY(gradus_dataset_check_valid(run->context, fold->train, fold->valid, err));
    }
    return !gradus_dataset_has_queries(first->train) && !run->options.one_query
               ? leave_out(run, err)
               : GRADUS_OK;
}

/* Maps the progress of a rung to the progress of the whole search. When its time is over, running
 * trials are dropped, unless there is no result yet. */
static bool tell(void *user, const char *what, double done)
{
    gr_tuning_run *run = user;

    if (gr_seconds() - run->clock.start > run->clock.most && atomic_load(&run->some)) {
        run->dropped = true;
        return false;
    }
    double share =
        run->weight_all > 0.0 ? (run->weight_done + done * run->weight_now) / run->weight_all : 0.0;

    (void)what;
    if (!run->budget.settings)
        share = (gr_seconds() - run->clock.start) / run->budget.seconds;
    return !run->progress ||
           run->progress(run->progress_user, "tuning", share < 0.999 ? share : 0.999);
}

/* Lists the options that any method searches on a logarithmic scale. */
static void list_log_scale(gr_tuning_run *run)
{
    for (size_t e = 0; e < run->count; e++)
        for (size_t d = 0; d < run->entrants[e].space.count; d++) {
            const gr_dimension *dimension = &run->entrants[e].space.dimensions[d];
            bool known = !dimension->log;

            for (size_t before = 0; before < e; before++)
                known = known || gr_space_has(&run->entrants[before].space, dimension->name);
            if (known)
                continue;
            gr_text_append(run->log_scale, sizeof run->log_scale, *run->log_scale ? "," : "");
            gr_text_append(run->log_scale, sizeof run->log_scale, dimension->name);
        }
}

static gradus_status open_journal(gr_tuning_run *run, gradus_error *err)
{
    const gradus_collectives *with = run->input->collectives;
    char about[400];

    if (with && isfinite(run->budget.seconds))
        return gr_fail(err, GRADUS_BAD_ARGUMENT,
                       "a budget of time cannot be divided among processes, as they do not end "
                       "trials at the same time; give a number of settings, such as 'budget 40'");
    snprintf(about, sizeof about, "%.100s, convention %.120s, seed %llu, %zu %s, data %016llx",
             run->options.metric, run->gains.convention, (unsigned long long)run->options.seed,
             run->data.folds.count, run->data.folds.count == 1 ? "fold" : "folds",
             (unsigned long long)run->data.fingerprint);
    run->journal = gr_journal_open(
        *run->options.journal && (!with || with->rank == 0) ? run->options.journal : NULL, "tune",
        about, run->log_scale, err);
    if (!run->journal)
        return err->status;
    if (with)
        GR_TRY(gr_journal_share(run->journal, with, err));
    run->clock.start = gr_seconds() - gr_journal_largest(run->journal, "used");
    run->clock.most = run->budget.seconds;
    return GRADUS_OK;
}

/* Checkpoints are stored next to the journal, so that a resumed search also reuses them. */
static gradus_status open_checkpoints(gr_tuning_run *run, gradus_error *err)
{
    static const char ending[] = ".checkpoints";
    const gradus_collectives *with = run->input->collectives;
    const size_t length = with && with->rank > 0 ? 0 : strlen(run->options.journal);
    char *folder = length ? malloc(length + sizeof ending) : NULL;

    if (length && !folder)
        return gr_fail_memory(err, "checkpoints");
    if (folder) {
        memcpy(folder, run->options.journal, length);
        memcpy(folder + length, ending, sizeof ending);
    }
    run->checkpoints = gr_checkpoints_new(folder, err);
    free(folder);
    return run->checkpoints ? GRADUS_OK : GRADUS_NO_MEMORY;
}

static gradus_status set_up(gr_tuning_run *run, gradus_error *err)
{
    gr_space given = { .count = 0 };

    GR_TRY(gr_metric_choice_check(run->options.metric, err));
    GR_TRY(gr_budget_parse(run->options.budget, &run->budget, err));
    GR_TRY(take_methods(run, err));
    GR_TRY(gr_space_parse(run->options.space, &given, err));
    const gradus_status status = take_spaces(run, &given, err);

    gr_space_free(&given);
    GR_TRY(status);
    list_log_scale(run);
    GR_TRY(gr_tune_data_take(run->context, run->input, &run->options, &run->data, err));
    GR_TRY(check_data(run, err));
    GR_TRY(take_gains(run, err));
    GR_TRY(open_journal(run, err));
    GR_TRY(open_checkpoints(run, err));
    snprintf(run->common, sizeof run->common, "seed=%llu train-eval-every=0%s",
             (unsigned long long)run->options.seed,
             run->options.one_query ? " one-query=true" : "");
    run->cv = (gr_crossval){ .folds = run->data.folds.folds,
                             .fold_count = run->data.folds.count,
                             .common = run->common,
                             .choose = run->options.metric,
                             .measures = run->options.metric,
                             .convention = run->options.convention,
                             .gains = run->gains.words,
                             .lenient = true,
                             .clock = &run->clock,
                             .with = run->input->collectives,
                             .checkpoints = run->checkpoints };
    run->state = (gradus_tuning_state){ .metric = run->options.metric,
                                        .most = run->budget.seconds,
                                        .folds = run->data.folds.count,
                                        .best_method = "",
                                        .best_settings = "",
                                        .best = (double)NAN };
    return GRADUS_OK;
}

/* Runs the search with a bin cache shared by trainings on the same data. */
static gradus_status run_shared(gr_tuning_run *run, gradus_tuning *tuning, gradus_error *err)
{
    gradus_context *context = run->context;
    const size_t folds = run->data.folds.count;
    const gradus_dataset **sets = gr_new_array(folds + 1, sizeof *sets);

    if (!sets)
        return gr_fail_memory(err, "folds");
    for (size_t f = 0; f < folds; f++)
        sets[f] = run->data.folds.folds[f].train;
    sets[folds] = run->data.refit.train;
    gradus_status status = gradus_context_share_bins(context, sets, folds + 1, err);

    free(sets);
    GR_TRY(status);
    run->progress = gradus_context_progress(context, &run->progress_user);
    gradus_context_on_progress(context, tell, run);
    status = gr_search(run, err);
    run->clock.most = (double)INFINITY;
    if (status == GRADUS_OK)
        gr_checkpoints_clear(run->checkpoints);
    if (status == GRADUS_OK)
        status = gr_tuning_results(run, tuning, err);
    gradus_context_on_progress(context, run->progress, run->progress_user);
    gradus_context_share_bins(context, NULL, 0, NULL);
    return status == GRADUS_OK ? gr_send_progress(context, "tuning", 1.0, err) : status;
}

static void end_run(gr_tuning_run *run)
{
    for (size_t e = 0; e < run->count; e++)
        end_entrant(&run->entrants[e]);
    free(run->entrants);
    gr_checkpoints_free(run->checkpoints);
    gr_journal_close(run->journal);
    gr_tune_data_free(&run->data);
    gradus_options_free(run->given);
}

void gr_tuning_free(gradus_tuning *tuning)
{
    if (!tuning)
        return;
    for (size_t i = 0; i < tuning->text_count; i++)
        free(tuning->texts[i]);
    free(tuning->texts);
    free(tuning->trials);
    free(tuning->places);
    free(tuning->metric);
    free(tuning->convention);
    free(tuning->log_scale);
    gradus_model_free(tuning->model);
    free(tuning);
}

static int choice(gradus_options *options, const char *name, const char *const *choices)
{
    const char *value = gradus_options_value(options, name);
    int chosen = 0;

    while (choices[chosen] && strcmp(choices[chosen], value) != 0)
        chosen++;
    return chosen;
}

static gradus_status take_options(gr_tuning_run *run, const gradus_options *options,
                                  gradus_error *err)
{
    static const char *const searches[] = { "halving", "random", "grid", NULL };
    static const char *const refits[] = { "train", "all", "none", NULL };
    gradus_options *given = run->given = gr_copy_options("tune", options, err);

    if (!given)
        return err->status;
    run->options = (gr_tune_options){ .method = gradus_options_value(given, "method"),
                                      .metric = gradus_options_value(given, "metric"),
                                      .convention = gradus_options_value(given, "convention"),
                                      .gain = gradus_options_value(given, "gain"),
                                      .label_gain = gradus_options_value(given, "label-gain"),
                                      .search = choice(given, "search", searches),
                                      .budget = gradus_options_value(given, "budget"),
                                      .space = gradus_options_value(given, "space"),
                                      .folds = gr_count_option(given, "folds"),
                                      .fold_dirs = gradus_options_value(given, "fold-dirs"),
                                      .journal = gradus_options_value(given, "journal"),
                                      .refit = choice(given, "refit", refits),
                                      .one_query = *gradus_options_value(given, "one-query") == 't',
                                      .seed = gr_count_option(given, "seed") };
    run->convention_given = gradus_options_given(given, "convention");
    return GRADUS_OK;
}

gradus_tuning *gr_tune(gradus_context *context, const gradus_tuning_input *input,
                       const gradus_options *options, gradus_error *err)
{
    gradus_error fault = { GRADUS_OK, "" };
    gradus_context *own = context ? NULL : gradus_context_new(1, &fault);
    gr_tuning_run run = { .context = context ? context : own, .input = input };
    gradus_tuning *tuning = run.context ? calloc(1, sizeof *tuning) : NULL;
    gradus_status status = tuning ? GRADUS_OK : gr_fail_memory(&fault, "tuning");

    if (status == GRADUS_OK)
        status = take_options(&run, options, &fault);
    if (status == GRADUS_OK)
        status = set_up(&run, &fault);
    if (status == GRADUS_OK)
        status = run_shared(&run, tuning, &fault);
    end_run(&run);
    gradus_context_free(own);
    if (status == GRADUS_OK)
        return tuning;
    gr_fail(err, status, "%s", fault.message);
    gr_tuning_free(tuning);
    return NULL;
}
