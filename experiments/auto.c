/* SPDX-License-Identifier: Apache-2.0 */
/* Automatic training: options, the sequence of trials, selection and refit. */
#include "base/clock.h"
#include "base/memory.h"
#include "base/text.h"
#include "experiments/auto_run.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Fractions of the run: of a time budget, the search gets the first part. */
static const double search_part = 0.75, select_part = 0.1;

const char *gr_auto_keep(gradus_auto_result *result, const char *text)
{
    if (result->text_count == result->text_room) {
        const size_t room = result->text_room ? 2 * result->text_room : 64;
        char **texts = realloc(result->texts, room * sizeof *texts);

        if (!texts)
            return NULL;
        result->texts = texts;
        result->text_room = room;
    }
    char *copy = strdup(text);

    if (copy)
        result->texts[result->text_count++] = copy;
    return copy;
}

void gr_auto_free(gradus_auto_result *result)
{
    if (!result)
        return;
    gradus_model_free(result->combined); /* before the models it uses */
    for (size_t m = 0; m < result->model_count; m++)
        gradus_model_free(result->models[m]);
    free(result->models);
    for (size_t i = 0; i < result->text_count; i++)
        free(result->texts[i]);
    free(result->texts);
    free(result->members);
    free(result);
}

static gradus_status take_options(gr_auto_run *run, const gradus_options *options,
                                  gradus_error *err)
{
    gradus_options *given = run->given = gr_copy_options("auto", options, err);

    if (!given)
        return err->status;
    run->options =
        (gr_auto_options){ .methods = gradus_options_value(given, "methods"),
                           .metric = gradus_options_value(given, "metric"),
                           .convention = gradus_options_value(given, "convention"),
                           .gain = gradus_options_value(given, "gain"),
                           .label_gain = gradus_options_value(given, "label-gain"),
                           .budget = gradus_options_value(given, "budget"),
                           .journal = gradus_options_value(given, "journal"),
                           .folds = gr_count_option(given, "folds"),
                           .members = gr_count_option(given, "members"),
                           .max_rounds = gr_count_option(given, "max-rounds"),
                           .seed = gr_count_option(given, "seed"),
                           .probabilities = *gradus_options_value(given, "probabilities") == 't' };
    return GRADUS_OK;
}

static gradus_status take_gains(gr_auto_run *run, gradus_error *err)
{
    gr_metric_choice choice = { .metric = run->options.metric,
                                .convention = run->options.convention,
                                .convention_given = gradus_options_given(run->given, "convention"),
                                .rule = run->options.gain,
                                .label_gain = run->options.label_gain };

    gradus_metric_facts metric;

    GR_TRY(gradus_metric_describe(run->options.metric, &metric, err));
    run->lower_is_better = metric.lower_is_better;
    GR_TRY(gradus_dataset_labels(run->context, run->data.all, &choice.labels, err));
    return gr_metric_choice_gains(run->context, &choice, &run->gains, err);
}

/* Whether the values of a metric are from 0 to 1. */
static bool is_fraction(const char *metric)
{
    static const char *const names[] = { "ndcg", "mean-ndcg", "err",    "map",     "gmap",
                                         "p",    "rprec",     "recall", "success", "mrr",
                                         "rbp",  "bpref",     "auc" };
    const size_t length = strcspn(metric, "@");

    for (size_t i = 0; i < sizeof names / sizeof names[0]; i++)
        if (strlen(names[i]) == length && strncmp(metric, names[i], length) == 0)
            return true;
    return false;
}

/* The metric of some scores. Fails if no query has a value. */
static gradus_status try_scores(gr_auto_run *run, const gradus_dataset *data, const char *name,
                                bool other_scale, double *value, gradus_error *err)
{
    const size_t rows = gradus_dataset_rows(data);
    double *scores = gr_new_array(rows, sizeof *scores);
    gradus_evaluation *evaluation = NULL;
    gradus_result result = { .mean = 0.0 };

    for (size_t r = 0; scores && r < rows; r++)
        scores[r] =
            (other_scale ? 3.0 : 1.0) * (double)(r * 7919 % 1009) + (other_scale ? 1.0 : 0.0);
    gradus_status status = scores ? gr_auto_evaluate(run, data, scores, &evaluation, err)
                                  : gr_fail_memory(err, "scores");

    if (status == GRADUS_OK && gradus_evaluation_at(evaluation, 0, &result)) {
        *value = result.mean;
        run->is_fraction = is_fraction(result.metric);
        if (result.counted == 0)
            status = gr_fail(err, GRADUS_BAD_ARGUMENT,
                             "no query of the %s has a value of %.60s: their documents all have "
                             "the same label, or none is relevant",
                             name, result.metric);
    }
    gradus_evaluation_free(evaluation);
    free(scores);
    return status;
}

/* Fails for data without any value of the metric, and for metrics that depend on the scale of
 * scores (rmse, log loss): those of members and of their sum are not on the scale of labels. */
static gradus_status check_metric(gr_auto_run *run, gradus_error *err)
{
    double one = 0.0, other = 0.0, test = 0.0;

    GR_TRY(try_scores(run, run->data.held, "training data", false, &one, err));
    GR_TRY(try_scores(run, run->data.held, "training data", true, &other, err));
    if (one != other)
        return gr_fail(err, GRADUS_BAD_ARGUMENT,
                       "'%.60s' depends on the scale of scores: automatic training needs a ranking "
                       "metric, such as ndcg@10",
                       run->options.metric);
    return run->input->test ? try_scores(run, run->input->test, "test data", false, &test, err)
                            : GRADUS_OK;
}

/* The progress at the start of a trial. Trials of an earlier run count from the beginning, so that
 * the time left can be estimated from the others. */
static void set_progress(gr_auto_run *run)
{
    const size_t most = run->budget.settings;
    const size_t past = run->trial_count > run->resumed ? run->trial_count : run->resumed;

    if (!most)
        return;
    const double each = search_part / (double)most;

    run->step = run->trial_count < run->resumed ? 0.0 : each;
    run->done = (double)(past < most ? past : most) * each;
}

static gradus_status open_journal(gr_auto_run *run, gradus_error *err)
{
    char about[400], repeated[48] = "";

    if (run->data.repeated && !run->data.apart) /* other folds than those of earlier versions */
        snprintf(repeated, sizeof repeated, ", %zu repeated", run->data.repeated);
    snprintf(about, sizeof about, "%.100s, convention %.120s, seed %llu, %zu %s%s%s, data %016llx",
             run->options.metric, run->gains.convention, (unsigned long long)run->options.seed,
             run->data.asked_folds, gr_plural(run->data.asked_folds, "fold", "folds"),
             run->options.probabilities ? ", probabilities" : "", repeated,
             (unsigned long long)run->data.fingerprint);
    run->journal = gr_journal_open(*run->options.journal ? run->options.journal : NULL, "auto",
                                   about, "", err);
    if (!run->journal)
        return err->status;
    run->start -= gr_journal_largest(run->journal, "used");
    run->used = gr_seconds() - run->start;
    run->resumed = gr_journal_count(run->journal);
    gr_auto_take_limit(run);
    return GRADUS_OK;
}

/* Maps the progress of a step to that of the run. */
static bool report_progress(void *user, const char *what, double done)
{
    gr_auto_run *run = user;
    double fraction = run->done + done * run->step;

    (void)what;
    if (gr_seconds() > run->deadline) {
        run->dropped = true;
        return false;
    }
    if (!run->budget.settings)
        fraction = (gr_seconds() - run->start) / run->budget.seconds;
    return !run->progress ||
           run->progress(run->progress_user, "tuning", fraction < 0.999 ? fraction : 0.999);
}

static void watch(gr_auto_run *run, const gr_auto_trial *trial)
{
    gradus_tuning_state *s = &run->state;
    const gr_auto_trial *best = NULL;

    for (size_t t = 0; t < run->trial_count; t++)
        if (!run->trials[t].failed &&
            (!best || gr_auto_better(run, run->trials[t].value, best->value)))
            best = &run->trials[t];
    s->done = run->trial_count;
    s->used = gr_seconds() - run->start;
    s->method = run->entries[trial->entry].name;
    s->settings = gr_setting_words(trial->settings);
    s->fold = s->folds;
    s->valid = trial->failed ? (double)NAN : trial->value;
    s->best_method = best ? run->entries[best->entry].name : "";
    s->best_settings = best ? gr_setting_words(best->settings) : "";
    s->best = best ? best->value : (double)NAN;
    if (run->input->watch)
        run->input->watch(run->input->user, s);
}

/* Runs a trial unless it takes too long. *dropped: it did, and never was. */
static gradus_status run_trial(gr_auto_run *run, gr_auto_trial *trial, bool *dropped,
                               gradus_error *err)
{
    run->dropped = false;
    run->deadline = gr_auto_deadline(run, &run->entries[trial->entry]);
    const gradus_status status = gr_auto_trial_run(run, trial, err);

    run->deadline = (double)INFINITY;
    *dropped = run->dropped && status == GRADUS_CANCELLED;
    if (!*dropped)
        return status;
    gr_auto_trial_free(trial);
    run->trial_count--;
    run->used = gr_seconds() - run->start;
    return GRADUS_OK;
}

static gradus_status add_trial(gr_auto_run *run, size_t entry, const char *settings, bool *dropped,
                               gradus_error *err)
{
    gr_auto_trial *more = realloc(run->trials, (run->trial_count + 1) * sizeof *more);
    gr_auto_entry *e = &run->entries[entry];

    if (!more)
        return gr_fail_memory(err, "trials");
    run->trials = more;
    gr_auto_trial *trial = &more[run->trial_count];

    *trial = (gr_auto_trial){ .entry = entry,
                              .settings = settings,
                              .value = (double)NAN,
                              .error = (double)NAN,
                              .part = 1.0 };
    run->trial_count++;
    GR_TRY(run_trial(run, trial, dropped, err));
    if (*dropped)
        return GRADUS_OK;
    e->tries++;
    if (trial->seconds > e->seconds)
        e->seconds = trial->seconds;
    if (!trial->failed && gr_auto_better(run, trial->value, e->best))
        e->best = trial->value;
    if (!trial->resumed)
        watch(run, trial);
    return GRADUS_OK;
}

static gradus_status search(gr_auto_run *run, gradus_error *err)
{
    const size_t most = run->budget.settings ? run->budget.settings : SIZE_MAX;

    while (run->trial_count < most) {
        const char *settings = NULL;
        size_t entry = 0;
        bool dropped = false;

        set_progress(run);
        GR_TRY(gr_auto_next(run, &entry, &settings, err));
        if (!settings)
            break;
        GR_TRY(add_trial(run, entry, settings, &dropped, err));
        run->out_of_time = dropped && run->entries[entry].tries > 0;
        if (run->out_of_time) /* defaults are left out, but random settings have an order */
            break;
    }
    for (size_t t = 0; t < run->trial_count; t++)
        if (!run->trials[t].failed)
            return GRADUS_OK;
    return gr_fail(err, GRADUS_BAD_ARGUMENT, "no method can be trained; %s: %.400s",
                   run->entries[run->trials[0].entry].name, run->trials[0].failed);
}

/* Members of the ensemble first, by weight; then the others, best first; failed ones last. */
static bool goes_before(const gr_auto_run *run, const gr_auto_trial *a, const gr_auto_trial *b)
{
    if (a->weight != b->weight)
        return a->weight > b->weight;
    if (!a->failed != !b->failed)
        return !a->failed;
    return !a->failed && gr_auto_better(run, a->value, b->value);
}

static gradus_status put_member(const gr_auto_run *run, const gr_auto_trial *t,
                                gradus_auto_member *member, gradus_error *err)
{
    const gr_auto_entry *entry = &run->entries[t->entry];
    char chosen[GR_AUTO_FIXED + 32];

    snprintf(chosen, sizeof chosen, "%s", t->fixed);
    if (t->rounds)
        snprintf(chosen + strlen(chosen), 32, "%srounds=%llu", *chosen ? " " : "",
                 (unsigned long long)t->rounds);
    *member =
        (gradus_auto_member){ .method = gr_auto_keep(run->result, entry->name),
                              .family = entry->method.family,
                              .settings = gr_auto_keep(run->result, gr_setting_words(t->settings)),
                              .chosen = gr_auto_keep(run->result, chosen),
                              .value = t->value,
                              .error = t->error,
                              .weight = t->weight,
                              .scale = t->scale,
                              .seconds = t->seconds,
                              .failed = gr_auto_keep(run->result, t->failed ? t->failed : "") };
    return member->method && member->settings && member->chosen && member->failed
               ? GRADUS_OK
               : gr_fail_memory(err, "trials");
}

static gradus_status list_members(gr_auto_run *run, gradus_error *err)
{
    gradus_auto_result *result = run->result;
    size_t *order = gr_new_array(run->trial_count, sizeof *order);
    gradus_status status = GRADUS_OK;

    result->members = gr_new_array(run->trial_count, sizeof *result->members);
    if (!order || !result->members)
        status = gr_fail_memory(err, "trials");
    for (size_t t = 0; order && t < run->trial_count; t++) {
        size_t at = t;

        for (; at > 0 && goes_before(run, &run->trials[t], &run->trials[order[at - 1]]); at--)
            order[at] = order[at - 1];
        order[at] = t;
    }
    for (size_t i = 0; status == GRADUS_OK && i < run->trial_count; i++) {
        status = put_member(run, &run->trials[order[i]], &result->members[i], err);
        result->member_count += status == GRADUS_OK;
    }
    free(order);
    return status;
}

/* The methods that were tried, or those that were not, in order. */
static const char *list_methods(gr_auto_run *run, bool tried)
{
    char names[1024] = "";

    for (size_t e = 0; e < run->entry_count; e++)
        if ((run->entries[e].tries > 0) == tried) {
            gr_text_append(names, sizeof names, *names ? "," : "");
            gr_text_append(names, sizeof names, run->entries[e].name);
        }
    return gr_auto_keep(run->result, names);
}

static gradus_status describe(gr_auto_run *run, gradus_error *err)
{
    gradus_auto_facts *facts = &run->result->facts;

    facts->metric = gr_auto_keep(run->result, run->options.metric);
    facts->convention = gr_auto_keep(run->result, run->gains.convention);
    facts->methods = list_methods(run, true);
    facts->skipped = list_methods(run, false);
    if (!facts->metric || !facts->convention || !facts->methods || !facts->skipped)
        return gr_fail_memory(err, "results");
    facts->lower_is_better = run->lower_is_better;
    facts->folds = run->data.fold_count;
    facts->trials = run->trial_count;
    facts->max_rounds = run->max_rounds;
    facts->out_of_time = run->out_of_time;
    return list_members(run, err);
}

static gradus_status run_all(gr_auto_run *run, gradus_error *err)
{
    const double began = gr_seconds();

    GR_TRY(search(run, err));
    run->done = search_part;
    run->step = select_part;
    GR_TRY(gr_auto_select(run, err));
    run->result->facts.search_seconds = gr_seconds() - began;
    run->done += run->step;
    run->step = 1.0 - run->done;
    const double refit_began = gr_seconds();

    GR_TRY(gr_auto_refit(run, err));
    run->result->facts.refit_seconds = gr_seconds() - refit_began;
    return describe(run, err);
}

/* Runs with a bin cache shared by trainings on the same data. */
static gradus_status run_shared(gr_auto_run *run, gradus_error *err)
{
    gradus_context *context = run->context;
    const size_t folds = run->data.fold_count;
    const gradus_dataset **sets = gr_new_array(folds + 1, sizeof *sets);

    if (!sets)
        return gr_fail_memory(err, "folds");
    for (size_t f = 0; f < folds; f++)
        sets[f] = run->data.train[f];
    sets[folds] = run->data.all;
    gradus_status status = gradus_context_share_bins(context, sets, folds + 1, err);

    free(sets);
    GR_TRY(status);
    run->progress = gradus_context_progress(context, &run->progress_user);
    gradus_context_on_progress(context, report_progress, run);
    status = run_all(run, err);
    gradus_context_on_progress(context, run->progress, run->progress_user);
    gradus_context_share_bins(context, NULL, 0, NULL);
    return status == GRADUS_OK ? gr_send_progress(context, "tuning", 1.0, err) : status;
}

static gradus_status set_up(gr_auto_run *run, gradus_error *err)
{
    GR_TRY(gr_metric_choice_check(run->options.metric, err));
    GR_TRY(gr_budget_parse(run->options.budget, &run->budget, err));
    GR_TRY(gr_auto_data_take(run, err));
    GR_TRY(take_gains(run, err));
    GR_TRY(gr_auto_portfolio(run, err));
    snprintf(run->common, sizeof run->common, "seed=%llu train-eval-every=0",
             (unsigned long long)run->options.seed);
    GR_TRY(gr_auto_few_folds(run, err));
    GR_TRY(gr_auto_data_fold(run, err));
    GR_TRY(gr_auto_warn(run, err));
    GR_TRY(check_metric(run, err));
    GR_TRY(open_journal(run, err));
    run->state = (gradus_tuning_state){ .metric = run->options.metric,
                                        .planned = run->budget.settings,
                                        .most = run->budget.seconds,
                                        .folds = run->data.fold_count,
                                        .part = 1,
                                        .best_method = "",
                                        .best_settings = "",
                                        .best = (double)NAN };
    return GRADUS_OK;
}

static void end_run(gr_auto_run *run)
{
    for (size_t t = 0; t < run->trial_count; t++)
        gr_auto_trial_free(&run->trials[t]);
    free(run->trials);
    gr_auto_entries_free(run);
    gr_auto_data_free(&run->data);
    gr_journal_close(run->journal);
    gradus_options_free(run->given);
}

static gradus_auto_result *new_result(gradus_error *err)
{
    const gradus_interval none = { (double)NAN, (double)NAN, (double)NAN };
    gradus_auto_result *result = calloc(1, sizeof *result);

    if (!result)
        gr_fail_memory(err, "automatic training");
    else
        result->facts = (gradus_auto_facts){ .expected = none,
                                             .single = none,
                                             .test = none,
                                             .single_test = none,
                                             .difference = (double)NAN,
                                             .p = (double)NAN,
                                             .test_difference = (double)NAN,
                                             .test_p = (double)NAN,
                                             .row_seconds = (double)NAN,
                                             .single_row_seconds = (double)NAN };
    return result;
}

gradus_auto_result *gr_auto(gradus_context *context, const gradus_tuning_input *input,
                            const gradus_options *options, gradus_error *err)
{
    gradus_error fault = { GRADUS_OK, "" };
    gradus_context *own = context ? NULL : gradus_context_new(1, &fault);
    gr_auto_run run = { .context = context ? context : own,
                        .input = input,
                        .start = gr_seconds(),
                        .deadline = (double)INFINITY };
    gradus_status status = fault.status;

    run.result = run.context ? new_result(&fault) : NULL;
    if (!run.result)
        status = fault.status;
    if (status == GRADUS_OK)
        status = take_options(&run, options, &fault);
    if (status == GRADUS_OK)
        status = set_up(&run, &fault);
    if (status == GRADUS_OK)
        status = run_shared(&run, &fault);
    end_run(&run);
    gradus_context_free(own);
    if (status == GRADUS_OK)
        return run.result;
    gr_fail(err, status, "%s", fault.message);
    gr_auto_free(run.result);
    return NULL;
}
