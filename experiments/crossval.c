/* SPDX-License-Identifier: Apache-2.0 */
/* Cross-validation: runs every trial (candidate x settings x fold) that is not yet in the journal.
 */
#include "experiments/crossval.h"

#include "base/clock.h"
#include "experiments/experiment.h"
#include "experiments/jobs.h"

#include <math.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { KEY_SIZE = 1024 };

/* A trial to run. */
typedef struct trial {
    size_t candidate, setting, fold;
} trial;

/* A subsample of the training queries of a fold, for learners that are not trained in rounds. */
typedef struct share {
    size_t fold;
    uint64_t part;
    gradus_dataset *train;
} share;

typedef struct cv_run {
    const gr_crossval *cv;
    gr_journal *journal;
    trial *trials;
    size_t count;
    share *shares;
    size_t share_count;
    pthread_mutex_t telling;
} cv_run;

static uint64_t part_of(const gr_crossval *cv, size_t candidate)
{
    return cv->parts ? cv->parts[candidate] : 1;
}

/* The key of a trial's checkpoint. It does not contain the part, so that a longer trial resumes
 * from a shorter one. */
static int checkpoint_key(const gr_crossval *cv, const char *candidate, const char *settings,
                          size_t fold, char key[KEY_SIZE])
{
    return snprintf(key, KEY_SIZE, "%s | %s | %s", candidate, settings, cv->folds[fold].name);
}

static void key_of(const gr_crossval *cv, const trial *t, char key[KEY_SIZE])
{
    const gr_cv_candidate *candidate = &cv->candidates[t->candidate];
    const uint64_t part = part_of(cv, t->candidate);
    const int length =
        checkpoint_key(cv, candidate->name, candidate->settings[t->setting], t->fold, key);

    if (part > 1 && length > 0 && length < KEY_SIZE)
        snprintf(key + length, KEY_SIZE - (size_t)length, " | 1/%llu", (unsigned long long)part);
}

void gr_crossval_drop(const gr_crossval *cv, const char *candidate, const char *settings)
{
    char key[KEY_SIZE];

    for (size_t f = 0; cv->checkpoints && f < cv->fold_count; f++) {
        checkpoint_key(cv, candidate, settings, f, key);
        gr_checkpoints_drop(cv->checkpoints, key);
    }
}

const gr_json *gr_crossval_trial(const gr_crossval *cv, gr_journal *journal, size_t candidate,
                                 size_t setting, size_t fold)
{
    const trial t = { candidate, setting, fold };
    char key[KEY_SIZE];

    key_of(cv, &t, key);
    return gr_journal_find(journal, key);
}

gradus_options *gr_crossval_options(const gr_crossval *cv, const char *settings, gradus_error *err)
{
    gradus_options *options = gr_words_options("train", cv->common, err);

    if (options && gradus_options_set(options, "metric", cv->choose, err) == GRADUS_OK &&
        gradus_options_set(options, "convention", cv->convention, err) == GRADUS_OK &&
        gr_words_set(options, cv->gains ? cv->gains : "", err) == GRADUS_OK &&
        gr_words_set(options, settings, err) == GRADUS_OK)
        return options;
    gradus_options_free(options);
    return NULL;
}

/* The fold of a trial; for a partial trial without rounds, with subsampled training data. */
static gradus_status fold_of(const cv_run *c, const trial *t, const gradus_options *options,
                             gr_fold *fold, gradus_error *err)
{
    const uint64_t part = part_of(c->cv, t->candidate);
    bool by_rounds = true;

    *fold = c->cv->folds[t->fold];
    if (part == 1)
        return GRADUS_OK;
    GR_TRY(gr_trial_by_rounds(options, &by_rounds, err));
    for (size_t i = 0; !by_rounds && i < c->share_count; i++)
        if (c->shares[i].fold == t->fold && c->shares[i].part == part)
            fold->train = c->shares[i].train;
    return GRADUS_OK;
}

static gradus_status run_trial(gradus_context *context, const cv_run *c, const trial *t,
                               gr_json_writer *value, gradus_error *err)
{
    const gr_crossval *cv = c->cv;
    const gr_cv_candidate *candidate = &cv->candidates[t->candidate];
    const char *settings = candidate->settings[t->setting];
    gradus_options *options = gr_crossval_options(cv, settings, err);
    char key[KEY_SIZE];
    gr_fold fold;
    gradus_status status = options ? fold_of(c, t, options, &fold, err) : err->status;

    checkpoint_key(cv, candidate->name, settings, t->fold, key);
    if (status == GRADUS_OK) {
        const gr_trial one = { .fold = &fold,
                               .options = options,
                               .measures = cv->measures,
                               .convention = cv->convention,
                               .gains = cv->gains,
                               .part = part_of(cv, t->candidate),
                               .checkpoints = cv->checkpoints,
                               .key = key,
                               .since = cv->clock ? cv->clock->start : (double)NAN };

        status = gr_trial_run(context, &one, value, err);
    }
    gradus_options_free(options);
    return status;
}

static void write_failure(const gr_crossval *cv, const gradus_error *fault, gr_json_writer *value)
{
    gr_json_writer_free(value);
    *value = (gr_json_writer){ 0 };
    gr_json_open(value, NULL, '{');
    gr_json_put_text(value, "failed", fault->message);
    if (cv->clock)
        gr_json_put_number(value, "used", gr_seconds() - cv->clock->start);
    gr_json_close(value, '}');
}

static void tell(cv_run *c, const trial *t, const char *key)
{
    if (!c->cv->ended)
        return;
    pthread_mutex_lock(&c->telling);
    c->cv->ended(c->cv->user, t->candidate, t->setting, t->fold, gr_journal_find(c->journal, key));
    pthread_mutex_unlock(&c->telling);
}

/* The number of the index-th trial of this process. */
static size_t trial_at(const gradus_collectives *with, size_t index)
{
    return with ? index * with->size + with->rank : index;
}

static gradus_status run_job(void *argument, size_t index, gradus_context *context,
                             gradus_error *err)
{
    cv_run *c = argument;
    const trial *t = &c->trials[trial_at(c->cv->with, index)];
    const gr_crossval_clock *clock = c->cv->clock;
    gr_json_writer value = { 0 };
    gradus_error fault = { GRADUS_OK, "" };
    char key[KEY_SIZE];

    if (clock && gr_seconds() - clock->start >= clock->most)
        return GRADUS_OK;
    key_of(c->cv, t, key);
    gradus_status status = run_trial(context, c, t, &value, &fault);

    if (c->cv->lenient && gr_trial_is_at_fault(status)) {
        write_failure(c->cv, &fault, &value);
        status = GRADUS_OK;
    }
    if (status == GRADUS_OK) {
        status = gr_journal_add(c->journal, key, &value, err);
        if (status == GRADUS_OK && c->cv->checkpoints && part_of(c->cv, t->candidate) == 1)
            gr_checkpoints_drop(c->cv->checkpoints, key);
        if (status == GRADUS_OK)
            tell(c, t, key);
    } else if (status == GRADUS_CANCELLED) {
        gr_fail(err, status, "%s", fault.message);
    } else {
        gr_fail(err, status, "%.200s: %.280s", key, fault.message);
    }
    gr_json_writer_free(&value);
    return status;
}

/* Lists the trials missing from the journal: the first settings of all candidates, then the second
 * ones, and so on. */
static gradus_status plan(cv_run *c, gradus_error *err)
{
    const gr_crossval *cv = c->cv;
    size_t all = 0, most = 0;

    for (size_t i = 0; i < cv->count; i++) {
        size_t count = 0;

        while (cv->candidates[i].settings[count])
            count++;
        all += count;
        most = count > most ? count : most;
    }
    c->trials = gr_new_array(all * cv->fold_count, sizeof *c->trials);
    bool *ended = gr_new_array(cv->count, sizeof *ended);

    if (!c->trials || !ended) {
        free(ended);
        return gr_fail_memory(err, "trials");
    }
    for (size_t s = 0; s < most; s++)
        for (size_t i = 0; i < cv->count; i++) {
            ended[i] = ended[i] || !cv->candidates[i].settings[s];
            for (size_t f = 0; !ended[i] && f < cv->fold_count; f++)
                if (!gr_crossval_trial(cv, c->journal, i, s, f))
                    c->trials[c->count++] = (trial){ i, s, f };
        }
    free(ended);
    return GRADUS_OK;
}

static bool has_share(const cv_run *c, size_t fold, uint64_t part)
{
    for (size_t i = 0; i < c->share_count; i++)
        if (c->shares[i].fold == fold && c->shares[i].part == part)
            return true;
    return false;
}

/* Takes every part-th query of the training data. */
static gradus_status add_share(gradus_context *context, cv_run *c, size_t fold, uint64_t part,
                               gradus_error *err)
{
    const gradus_dataset *train = c->cv->folds[fold].train;
    const size_t queries = gradus_dataset_queries(train);
    size_t *chosen = gr_new_array(queries, sizeof *chosen), count = 0;
    share *more = realloc(c->shares, (c->share_count + 1) * sizeof *more);

    if (more)
        c->shares = more;
    if (!chosen || !more) {
        free(chosen);
        return gr_fail_memory(err, "a subsample of the data");
    }
    for (size_t q = 0; q < queries; q += (size_t)part)
        chosen[count++] = q;
    gradus_dataset *made = gradus_dataset_subset(context, train, chosen, count, err);

    free(chosen);
    if (!made)
        return err->status;
    c->shares[c->share_count++] = (share){ fold, part, made };
    return GRADUS_OK;
}

/* Builds the subsamples required by partial trials of learners without rounds. */
static gradus_status make_shares(gradus_context *context, cv_run *c, gradus_error *err)
{
    for (size_t i = 0; i < c->count; i++) {
        const trial *t = &c->trials[i];
        const uint64_t part = part_of(c->cv, t->candidate);
        bool by_rounds = true;

        if (part == 1 || has_share(c, t->fold, part))
            continue;
        gradus_options *options =
            gr_crossval_options(c->cv, c->cv->candidates[t->candidate].settings[t->setting], err);
        gradus_status status = options ? gr_trial_by_rounds(options, &by_rounds, err) : err->status;

        gradus_options_free(options);
        if (status == GRADUS_OK && !by_rounds)
            status = add_share(context, c, t->fold, part, err);
        if (status != GRADUS_OK && !(c->cv->lenient && gr_trial_is_at_fault(status)))
            return status;
    }
    return GRADUS_OK;
}

/* All processes fail if one does, with the message of the first that has. */
static gradus_status agree(const gradus_collectives *with, gradus_status status,
                           gradus_error *fault, gradus_error *err)
{
    gradus_error *all = gr_new_array(with->size, sizeof *all);
    size_t *sizes = gr_new_array(with->size, sizeof *sizes);

    fault->status = status;
    for (size_t i = 0; sizes && i < with->size; i++)
        sizes[i] = sizeof *all;
    status = all && sizes ? with->gather(with->state, fault, sizes, all, err)
                          : gr_fail_memory(err, "trials");
    for (size_t i = 0; status == GRADUS_OK && i < with->size; i++)
        if (all[i].status != GRADUS_OK)
            status = gr_fail(err, all[i].status, "%s", all[i].message);
    free(all);
    free(sizes);
    return status;
}

/* Runs the trials of this process, then exchanges the results. */
static gradus_status run_planned(gradus_context *context, cv_run *c, gradus_error *err)
{
    const gradus_collectives *with = c->cv->with;
    const size_t size = with ? with->size : 1, rank = with ? with->rank : 0;
    const size_t own = (c->count + size - 1 - rank) / size;
    gradus_error fault = { GRADUS_OK, "" };
    gradus_status status = gr_jobs_run(context, "trials", own, run_job, c, &fault);

    if (!with)
        return status == GRADUS_OK ? status : gr_fail(err, status, "%s", fault.message);
    GR_TRY(agree(with, status, &fault, err));
    GR_TRY(gr_journal_share(c->journal, with, err));
    for (size_t i = 0; i < c->count; i++) {
        char key[KEY_SIZE];

        key_of(c->cv, &c->trials[i], key);
        if (i % size != rank)
            tell(c, &c->trials[i], key);
    }
    return GRADUS_OK;
}

gradus_status gr_crossval_run_trials(gradus_context *context, const gr_crossval *cv,
                                     gr_journal *journal, gradus_error *err)
{
    cv_run c = { .cv = cv, .journal = journal };
    gradus_error fault = { GRADUS_OK, "" };
    gradus_status status = plan(&c, &fault);

    pthread_mutex_init(&c.telling, NULL);
    if (status == GRADUS_OK)
        status = make_shares(context, &c, &fault);
    if (status == GRADUS_OK)
        status = run_planned(context, &c, &fault);
    pthread_mutex_destroy(&c.telling);
    for (size_t i = 0; i < c.share_count; i++)
        gradus_dataset_free(c.shares[i].train);
    free(c.shares);
    free(c.trials);
    return status == GRADUS_OK ? GRADUS_OK : gr_fail(err, status, "%s", fault.message);
}
