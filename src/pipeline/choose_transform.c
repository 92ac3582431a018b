/* SPDX-License-Identifier: Apache-2.0 */
/* Resolves --transform auto. With validation data, each transform is tried in a shorter training
 * with the same method and options on some of the queries, and the best validation metric decides.
 * Without, or where trials are impossible, the learner's default is used. Both depend only on the
 * data and the options, so that repeating a training repeats the choice.
 *
 * A learner that adapts each weight to the metric depends little on which transform it is, so that
 * the best of several trials on few queries is mostly noise: it changes its default only for a gain
 * of at least one standard error of the difference, paired by query. */
#include "pipeline/choose_transform.h"

#include "base/text.h"
#include "data/subset.h"
#include "model/predict.h"
#include "pipeline/dataset_lists.h"
#include "pipeline/finish.h"
#include "pipeline/narrow_training.h"
#include "pipeline/train.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum {
    TRIAL_ROWS = 20000, /* maximum rows of a trial, unless a single query has more */
    FEWEST_ROWS = 2000, /* smaller sets are used whole */
    SHORTER = 5,        /* rounds and steps are divided by this */
    FEWEST_ROUNDS = 10, /* unless fewer were requested */
    QUADRATIC_PART = 2, /* learners that are slow with many rows use half of them */
    MAX_KINDS = 16,
};

typedef struct trials {
    gradus_training *of;
    gradus_context context; /* without notes */
    gradus_training_input input;
    gradus_dataset *train, *valid; /* samples of the queries; NULL: all are used */
    bool keep_zeros;
    const char *kinds[MAX_KINDS]; /* the learner's default first */
    double values[MAX_KINDS];     /* NAN: the trial failed */
    double *by_query[MAX_KINDS];  /* of valid, NAN: left out; NULL: not needed, or unknown */
    size_t count, done;
    char metric[64]; /* of the last trial that succeeded */
    bool lower_is_better;
} trials;

static gradus_status set_transform(gradus_training *t, const char *kind, bool keep_zeros,
                                   gradus_error *err)
{
    GR_TRY(gr_options_set(t->given, "transform", kind, err));
    return keep_zeros ? gr_options_set(t->given, "keep-zeros", "true", err) : GRADUS_OK;
}

/* A warm-start model was fitted on features under its own transform. */
static gradus_status take_from_start(gradus_training *t, gradus_error *err)
{
    const char *kind = gr_model_setting(t->input.start, "transform");
    const char *zeros = gr_model_setting(t->input.start, "keep-zeros");

    return set_transform(t, kind ? kind : "none", zeros && strcmp(zeros, "true") == 0, err);
}

static bool is_sparse(const gradus_dataset *data)
{
    return data && data->arrays.features > 0 && !gr_dataset_is_dense(data);
}

/* Whether a transformed copy of the data fits in half of the memory, or of the context's limit. */
static bool can_copy(const gradus_training *t)
{
    const gradus_arrays *a = &t->train->arrays;
    const double limit = t->context ? (double)t->context->max_memory : 0.0;
    const double memory =
        limit > 0.0 ? limit : (double)sysconf(_SC_PHYS_PAGES) * (double)sysconf(_SC_PAGESIZE);
    const double values = a->row_starts ? 2.0 * (double)a->row_starts[a->rows]
                                        : (double)a->rows * (double)a->features;

    return values * sizeof(float) <= memory / 2.0;
}

static bool is_none(const char *kind)
{
    return strcmp(kind, "none") == 0;
}

/* Sparse rows are not standardised: divided by its deviation, a word that occurs in few documents
 * would outweigh all others. */
static const char *default_of(const gradus_training *t, bool keep_zeros)
{
    return keep_zeros ? "minmax" : t->recipe.learner->transform;
}

static gradus_status take_default(gradus_training *t, bool keep_zeros, gradus_error *err)
{
    snprintf(t->transform_note, sizeof t->transform_note,
             "chose transform %s%s: the default of '%s' without validation data",
             default_of(t, keep_zeros), keep_zeros ? " with keep-zeros" : "",
             t->recipe.ranker->about.name);
    return set_transform(t, default_of(t, keep_zeros), keep_zeros, err);
}

/* To the caller, trials are a single task; the progress function may cancel it. */
static bool report_progress(void *user, const char *what, double done)
{
    const trials *all = user;
    const gradus_context *outer = all->of->context;

    if (strcmp(what, "fitting") == 0)
        return outer->progress(outer->progress_user, what, done);
    return outer->progress(outer->progress_user, "choosing a transform",
                           0.99 * ((double)all->done + done) / (double)all->count);
}

/* Every n-th query, such that there are at most `most` rows; the whole set if it is no larger. */
static gradus_status take_queries(const gradus_dataset *data, size_t most, gr_pool *pool,
                                  const gradus_dataset **use, gradus_dataset **own,
                                  gradus_error *err)
{
    const size_t rows = data->arrays.rows, queries = data->arrays.queries;
    const size_t count = (size_t)((double)queries * ((double)most / (double)rows));
    size_t *chosen;

    *use = data;
    if (rows <= most || count < 1)
        return GRADUS_OK;
    chosen = gr_new_array(count, sizeof *chosen);
    if (!chosen)
        return gr_fail_memory(err, "queries");
    for (size_t i = 0; i < count; i++)
        chosen[i] = (size_t)((double)i * (double)queries / (double)count);
    *own = gr_dataset_subset(data, chosen, count, pool, err);
    free(chosen);
    *use = *own;
    return *own ? GRADUS_OK : err->status;
}

static size_t most_rows(const gradus_training *t)
{
    const size_t rows = t->train->arrays.rows;
    size_t most = t->recipe.learner->quadratic ? rows / QUADRATIC_PART : rows;

    most = most < FEWEST_ROWS ? FEWEST_ROWS : most;
    return most < TRIAL_ROWS ? most : TRIAL_ROWS;
}

static void list_kinds(trials *all)
{
    const gr_about *about;
    const char *first = default_of(all->of, all->keep_zeros);

    all->kinds[all->count++] = first;
    all->kinds[all->count++] = "none";
    for (size_t i = 0; all->count < MAX_KINDS && (about = gr_transform_at(i)); i++)
        if (strcmp(about->name, first) != 0)
            all->kinds[all->count++] = about->name;
}

static gradus_status set_count(gradus_options *options, const char *name, uint64_t count,
                               gradus_error *err)
{
    char text[GRADUS_NUMBER_SIZE];

    gr_format_count(count, text);
    return gr_options_set(options, name, text, err);
}

/* Nets are trained in full: the transform with which they learn fastest is not the one with which
 * they rank best in the end. */
static gradus_status shorten(const gradus_training *t, gradus_options *options, gradus_error *err)
{
    const uint64_t rounds = t->recipe.options->rounds;
    const uint64_t fewest = rounds < FEWEST_ROUNDS ? rounds : FEWEST_ROUNDS;

    if (t->recipe.learner->rounds && !gr_recipe_reads(&t->recipe, "net-rate"))
        GR_TRY(set_count(options, "rounds", rounds / SHORTER > fewest ? rounds / SHORTER : fewest,
                         err));
    if (gr_recipe_reads(&t->recipe, "steps"))
        GR_TRY(set_count(options, "steps",
                         strtoull(gr_options_value(options, "steps"), NULL, 10) / SHORTER + 1,
                         err));
    if (gr_recipe_reads(&t->recipe, "restarts"))
        GR_TRY(set_count(options, "restarts", 1, err));
    return GRADUS_OK;
}

/* The metric of each validation query. */
static gradus_status measure_queries(const gradus_training *trial, const gradus_model *model,
                                     const gradus_dataset *valid, double *scores, double *values,
                                     gradus_error *err)
{
    const gr_lists lists = gr_dataset_lists(valid, scores);
    gr_evaluation evaluation = { .queries = 0 };

    GR_TRY(gr_model_run(model, valid, trial->context, scores, NULL, err));
    GR_TRY(gr_evaluate(&lists, &trial->measuring.options, gr_pool_of(trial->context), &evaluation,
                       err));
    memcpy(values, evaluation.values[0].by_query, lists.queries * sizeof *values);
    gr_evaluation_end(&evaluation);
    return GRADUS_OK;
}

/* Keeps what is needed for standard errors. A custom metric has no values of queries. */
static gradus_status keep_queries(trials *all, const gradus_training *trial, gradus_error *err)
{
    const gradus_dataset *valid = all->input.valid;
    gradus_model *model;
    double *scores, *values;
    gradus_status status;

    if (!trial->recipe.learner->needs_clear_gain || trial->measuring.custom)
        return GRADUS_OK;
    model = gr_training_model(trial, gr_training_kept(trial), true, err);
    if (!model)
        return err->status;
    scores = gr_new_array(valid->arrays.rows, sizeof *scores);
    values = gr_new_array(valid->arrays.queries, sizeof *values);
    all->by_query[all->done] = values;
    status = scores && values ? measure_queries(trial, model, valid, scores, values, err)
                              : gr_fail_memory(err, "scores");
    free(scores);
    gradus_model_free(model);
    return status;
}

static gradus_status run(trials *all, const gradus_options *options, double *value,
                         gradus_error *err)
{
    gradus_training *trial = gr_training_new(&all->context, &all->input, options, err);
    gradus_status status = trial ? GRADUS_OK : err->status;
    bool over = false;

    while (status == GRADUS_OK && !over)
        status = gr_training_step(trial, &over, err);
    /* NOLINTNEXTLINE(clang-analyzer-core.NullDereference): made if the status is OK */
    if (status == GRADUS_OK && trial->best_round) {
        *value = trial->best_value;
        all->lower_is_better = trial->measuring.lower_is_better;
        gr_text_copy(all->metric, sizeof all->metric, trial->measuring.metric, "");
        status = keep_queries(all, trial, err);
        if (status != GRADUS_OK)
            *value = NAN;
    }
    gr_training_free(trial);
    return status;
}

/* A transform with which training fails (the weights diverge) is not a candidate. */
static gradus_status try_kind(trials *all, gradus_error *err)
{
    const char *kind = all->kinds[all->done];
    gradus_error failure = { GRADUS_OK, "" };
    gradus_options *options = gr_options_copy(all->of->given, &failure);
    gradus_status status = options ? GRADUS_OK : GRADUS_NO_MEMORY;

    all->values[all->done] = NAN;
    if (status == GRADUS_OK)
        status = gr_options_set(options, "transform", kind, &failure);
    if (status == GRADUS_OK && all->keep_zeros && !is_none(kind))
        status = gr_options_set(options, "keep-zeros", "true", &failure);
    if (status == GRADUS_OK)
        status = shorten(all->of, options, &failure);
    if (status == GRADUS_OK)
        status = run(all, options, &all->values[all->done], &failure);
    gr_options_free(options);
    all->done++;
    if (status == GRADUS_CANCELLED || status == GRADUS_NO_MEMORY)
        return gr_fail(err, status, "%s", failure.message);
    return GRADUS_OK;
}

/* Whether the differences of the queries' values have a mean of at least one standard error. */
static bool is_clear(const double *from, const double *to, size_t queries, double sign)
{
    double sum = 0.0, squares = 0.0;
    size_t count = 0;

    for (size_t q = 0; q < queries; q++)
        if (!isnan(from[q]) && !isnan(to[q])) {
            sum += sign * (to[q] - from[q]);
            count++;
        }
    if (count < 2)
        return false;
    const double mean = sum / (double)count;

    for (size_t q = 0; q < queries; q++)
        if (!isnan(from[q]) && !isnan(to[q])) {
            const double rest = sign * (to[q] - from[q]) - mean;

            squares += rest * rest;
        }
    return mean > 0.0 && mean * mean * (double)count * (double)(count - 1) >= squares;
}

/* Whether trial k succeeded with a better value than trial other, which may have failed. */
static bool is_better(const trials *all, size_t k, size_t other)
{
    const double value = all->values[k], than = all->values[other];

    return !isnan(value) && (isnan(than) || (all->lower_is_better ? value < than : value > than));
}

/* Whether trial k may replace the learner's default. */
static bool is_candidate(const trials *all, size_t k)
{
    const double *base = all->by_query[0], *values = all->by_query[k];

    return !base || !values || isnan(all->values[0]) ||
           is_clear(base, values, all->input.valid->arrays.queries,
                    all->lower_is_better ? -1.0 : 1.0);
}

/* The default, if all failed. */
static size_t best_of(const trials *all)
{
    size_t best = 0;

    for (size_t k = 1; k < all->count; k++)
        if (is_better(all, k, best) && is_candidate(all, k))
            best = k;
    return best;
}

static void note_choice(const trials *all, size_t best)
{
    char text[256] = "", number[64];
    bool is_best = true;

    for (size_t k = 0; k < all->count; k++) {
        if (isnan(all->values[k]))
            snprintf(number, sizeof number, "%s%s failed", k ? ", " : "", all->kinds[k]);
        else
            snprintf(number, sizeof number, "%s%s %.4f", k ? ", " : "", all->kinds[k],
                     all->values[k]);
        gr_text_append(text, sizeof text, number);
        is_best = is_best && !is_better(all, k, best);
    }
    snprintf(all->of->transform_note, sizeof all->of->transform_note,
             "chose transform %s%s: %s %s on valid in short trainings (%s)", all->kinds[best],
             all->keep_zeros && !is_none(all->kinds[best]) ? " with keep-zeros" : "",
             is_best ? "best"
             : best  ? "a clearly better"
                     : "no other has a clearly better",
             all->metric, text);
}

static gradus_status run_trials(trials *all, gradus_error *err)
{
    gr_pool *pool = gr_pool_of(all->of->context);
    size_t best;

    GR_TRY(take_queries(all->of->train, most_rows(all->of), pool, &all->input.train, &all->train,
                        err));
    GR_TRY(take_queries(all->of->valid, TRIAL_ROWS, pool, &all->input.valid, &all->valid, err));
    while (all->done < all->count)
        GR_TRY(try_kind(all, err));
    best = best_of(all);
    if (!isnan(all->values[best])) /* otherwise the training itself reports why it fails */
        note_choice(all, best);
    return set_transform(all->of, all->kinds[best], all->keep_zeros && !is_none(all->kinds[best]),
                         err);
}

static gradus_status choose_by_trials(gradus_training *t, bool keep_zeros, gradus_error *err)
{
    trials all = { .of = t, .input = t->input, .keep_zeros = keep_zeros };
    gradus_status status;

    all.input.other_count = 0; /* they do not influence training */
    if (t->context)
        all.context = *t->context;
    all.context.note = NULL;
    if (all.context.progress) {
        all.context.progress = report_progress;
        all.context.progress_user = &all;
    }
    list_kinds(&all);
    status = run_trials(&all, err);
    for (size_t k = 0; k < all.count; k++)
        free(all.by_query[k]);
    gradus_dataset_free(all.train);
    gradus_dataset_free(all.valid);
    return status;
}

/* On many rows, quadratic learners are too slow for trials unless queries can be left out. */
static bool can_try(const gradus_training *t)
{
    const gradus_dataset *train = t->train, *valid = t->valid;

    if (!valid || !train->arrays.labels || !valid->arrays.labels || valid->arrays.rows == 0 ||
        t->input.initial || t->input.initial_valid)
        return false;
    return !t->recipe.learner->quadratic || train->arrays.rows <= FEWEST_ROWS ||
           train->arrays.queries >= QUADRATIC_PART;
}

gradus_status gr_training_choose_transform(gradus_training *t, gradus_error *err)
{
    gr_pool *pool = gr_pool_of(t->context);

    if (t->recipe.options->transform.kind != GR_TRANSFORM_AUTO)
        return GRADUS_OK;
    if (t->input.start)
        return take_from_start(t, err);
    if (!t->recipe.learner->transform || t->train->arrays.rows == 0)
        return set_transform(t, "none", false, err);
    if (t->train->arrays.features >= gr_wide_features(t->context) && gr_training_hashes(t)) {
        gr_text_copy(t->transform_note, sizeof t->transform_note,
                     "chose transform none: hashing many features needs no memory per feature, a "
                     "transform would",
                     "");
        return set_transform(t, "none", false, err);
    }
    if (!can_copy(t)) {
        gr_text_copy(
            t->transform_note, sizeof t->transform_note,
            "chose transform none: a transformed copy of the data would take more than half of the "
            "memory",
            "");
        return set_transform(t, "none", false, err);
    }
    GR_TRY(gr_dataset_need(t->train, GR_NEED_ALL, pool, err));
    if (t->valid)
        GR_TRY(gr_dataset_need(t->valid, GR_NEED_ALL, pool, err));
    const bool sparse = is_sparse(t->train) || is_sparse(t->valid);

    return can_try(t) ? choose_by_trials(t, sparse, err) : take_default(t, sparse, err);
}
