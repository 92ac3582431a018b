/* SPDX-License-Identifier: Apache-2.0 */
/* Configures and checks a training before the first round: learner, options, data, scorer,
 * metric. */
#include "pipeline/configure.h"

#include "backend/device.h"
#include "data/binary.h"
#include "data/binned.h"
#include "pipeline/binned_training.h"
#include "pipeline/check_data.h"
#include "pipeline/choose_transform.h"
#include "pipeline/custom_objective.h"
#include "pipeline/data_defaults.h"
#include "pipeline/device_monitor.h"
#include "pipeline/extra_sets.h"
#include "pipeline/fingerprint.h"
#include "pipeline/narrow_training.h"
#include "pipeline/resume.h"
#include "pipeline/share_training.h"
#include "pipeline/train.h"
#include "pipeline/training_gains.h"
#include "scoring/choose.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const gr_reduction *reduction_of(const gradus_training *t)
{
    const bool gain = t->recipe.options->target == GR_TARGET_GAIN && t->recipe.ranker->of_gain;
    gr_score_rule rule;

    if (t->recipe.ranker->reduce)
        return t->recipe.ranker->reduce(t->recipe.options, t->train, &rule);
    return gain ? t->recipe.ranker->of_gain : t->recipe.ranker->reduction;
}

/* A method's default learner is recorded like one that was given. */
static gradus_status choose_learner(gradus_training *t, gradus_error *err)
{
    GR_TRY(gr_recipe_of(t->given, &t->recipe, err));
    if (!t->recipe.ranker->only_own || gr_options_given(t->given, "learner"))
        return GRADUS_OK;
    return gr_options_set(t->given, "learner", t->recipe.learner->about.name, err);
}

static gradus_status settle_scorer(gradus_training *t, gradus_error *err)
{
    const gr_problem *problem = &t->built.problem;
    const gr_meaning meaning = reduction_of(t)->meaning;
    gr_score_rule rule = t->recipe.ranker->rule;
    const bool graded = meaning != GR_MEANS_SCORE, cut = gr_meaning_has_thresholds(meaning);
    double unknown[GR_MAX_LEVELS] = { 0.0 }; /* until the learner provides them */

    if (t->recipe.ranker->reduce)
        t->recipe.ranker->reduce(t->recipe.options, t->train, &rule);
    if (t->recipe.options->scoring)
        rule = (gr_score_rule)(t->recipe.options->scoring - 1);
    const gr_scorer wanted = {
        .meaning = meaning,
        .rule = rule,
        .outputs = problem->outputs,
        .levels = graded ? problem->levels : 0,
        .level_labels = graded ? t->built.level_labels : NULL,
        .weights = graded && problem->weights ? t->built.weights : NULL,
        .shares = graded ? t->built.shares : NULL,
        .threshold_sets = cut,
        .thresholds = cut ? unknown : NULL,
    };

    if (!gr_scorer_takes(&wanted, rule))
        return gr_fail(err, GRADUS_BAD_ARGUMENT, "'scoring %s' is not for '%s'%s",
                       gr_score_rules[rule], t->recipe.ranker->about.name,
                       gr_scorer_can(meaning, rule) ? " with this many grades" : "");
    if (rule == GR_SCORE_EXPECTED_GAIN &&
        !isfinite(exp2(problem->level_labels[problem->levels - 1])))
        return gr_fail(
            err, GRADUS_BAD_NUMBER,
            "the gain 2^%g of the highest grade is too large: '%s' takes grades up to 1023 unless "
            "another 'scoring' is chosen",
            problem->level_labels[problem->levels - 1], t->recipe.ranker->about.name);
    return gr_scorer_copy(&wanted, &t->scorer, err);
}

/* Loads and fingerprints a set. `parts`: those that training uses. */
static gradus_status look_at(gradus_training *t, const gradus_dataset *data, unsigned parts,
                             const double *initial, uint64_t *fingerprint, gradus_error *err)
{
    gr_pool *pool = gr_pool_of(t->context);
    const gradus_collectives *with = gr_training_is_shared(t) ? t->context->collectives : NULL;

    if (with && data->binary)
        GR_TRY(gr_binary_share_check(data->binary, with, pool, err));
    GR_TRY(gr_dataset_need(data, parts, pool, err));
    GR_TRY(gr_fingerprint(data, with, pool, fingerprint, err));
    if (initial)
        *fingerprint ^= gr_hash(initial, data->arrays.rows * sizeof *initial) | 1;
    return GRADUS_OK;
}

/* Some learners need only bins, which the data may have instead of values. If values can be loaded,
 * a warm start scores them, and several processes make their bins together. */
static unsigned train_parts(const gradus_training *t)
{
    if (gr_dataset_is_divided(t->train) && t->recipe.learner->bins)
        return GR_NEED_ALL & ~(unsigned)GR_NEED_VALUES;
    const bool values =
        !gr_dataset_lacks_values(t->train) || !t->recipe.learner->bins ||
        (!gr_dataset_is_binned(t->train) && (t->input.start || gr_training_is_shared(t)));

    return values ? GR_NEED_ALL : GR_NEED_ALL & ~(unsigned)GR_NEED_VALUES;
}

static gradus_status transform_sets(gradus_training *t, gradus_error *err)
{
    const gr_transform *transform = gr_transform_number((size_t)t->recipe.options->transform.kind);

    if (!transform)
        return GRADUS_OK;
    GR_TRY(gr_transform_fit(transform, t->train, t->recipe.options->transform.keep_zeros,
                            gr_pool_of(t->context), &t->transform, err));
    t->own_train = gr_transform_apply(t->context, &t->transform, t->train, err);
    if (!t->own_train)
        return err->status;
    t->train = t->own_train;
    if (!t->valid)
        return GRADUS_OK;
    t->own_valid = gr_transform_apply(t->context, &t->transform, t->valid, err);
    if (!t->own_valid)
        return err->status;
    t->valid = t->own_valid;
    return GRADUS_OK;
}

/* Evaluates once, so that an invalid metric fails now rather than after hours of training. */
static gradus_status try_metric(gradus_training *t, gradus_error *err)
{
    const double *sums = NULL;
    double value;

    if (t->valid && !t->input.metric)
        GR_TRY(gr_measure_outputs(&t->measuring, &t->valid_monitor, t->valid_monitor.outputs.at,
                                  1.0, &value, err));
    if (t->recipe.options->train_eval_every && !t->input.metric)
        GR_TRY(gr_training_sums(t, &sums, err));
    if (sums)
        GR_TRY(gr_measure_outputs(&t->measuring, &t->train_monitor, sums, 1.0, &value, err));
    return GRADUS_OK;
}

static gradus_status ask_metric(void *user, const gradus_dataset *data, const double *scores,
                                double *value)
{
    const gradus_training *t = user;

    return t->input.metric(t->input.user, gr_given_set(t, data), scores, value);
}

/* The first metric in the list is the one used for validation. */
static gradus_status settle_metric(gradus_training *t, gradus_error *err)
{
    gr_measuring *m = &t->measuring;
    char *first;

    GR_TRY(gr_training_configure_gains(t, err));
    first = strndup(t->recipe.options->metric, strcspn(t->recipe.options->metric, ","));
    if (gr_options_get(NULL, &gr_operation_evaluate, &m->options, err) != GRADUS_OK) {
        m->options.metric = NULL;
        free(first);
        return err->status;
    }
    m->options.metric = first;
    if (!first)
        return gr_fail_memory(err, "a metric");
    m->options.convention = t->recipe.options->convention;
    if (gr_options_given(t->given, "gain"))
        m->options.gain = t->gain_options.rule;
    m->options.label_gain = t->gain_options.label_gain;
    m->scorer = &t->scorer;
    m->pool = gr_pool_of(t->context);
    m->custom = t->input.metric ? ask_metric : NULL;
    m->user = t;
    if (!m->custom) {
        gr_measures measures = { 0, NULL };

        GR_TRY(gr_measures_parse(first, &measures, err));
        if (t->valid && !measures.at[0].metric->pooled)
            gr_note_valid_labels(t->valid, first, t->context);
        gr_measures_free(&measures);
    }
    return GRADUS_OK;
}

static const gr_objective *objective_of(const gradus_training *t)
{
    if (t->input.objective)
        return &gr_custom_objective;
    return t->recipe.ranker->losses == GR_ALL_REGRESSION_LOSSES
               ? gr_regression_losses[t->recipe.options->loss]
               : t->recipe.ranker->objective;
}

static double largest_label(const gradus_dataset *data)
{
    double largest = 0.0;

    for (size_t r = 0; r < data->arrays.rows; r++)
        largest =
            (double)data->arrays.labels[r] > largest ? (double)data->arrays.labels[r] : largest;
    return largest;
}

/* Initialises the outputs of the validation rows; each round is added to them. */
static gradus_status start_valid(gradus_training *t, gradus_error *err)
{
    const size_t rows = t->valid->arrays.rows;
    double *sums;

    t->valid_monitor.data = t->valid;
    GR_TRY(gr_monitor_reserve(&t->valid_monitor, t->built.problem.outputs, err));
    sums = t->valid_monitor.outputs.at;
    if (t->input.initial_valid)
        memcpy(sums, t->input.initial_valid + gr_share_first_row(t->valid->share),
               rows * sizeof *sums);
    if (t->recipe.learner->validation || gr_training_rounds(t) == 0)
        return GRADUS_OK; /* the first round includes the base scores */
    return gr_training_add_sums(t, 0, gr_training_rounds(t), t->valid, sums, err);
}

/* The model to start from is a candidate for the best round, so the result is never worse. */
static gradus_status measure_start(gradus_training *t, gradus_error *err)
{
    const gr_learner_rounds *rounds = t->recipe.learner->rounds;
    const uint64_t round = gr_training_rounds(t);
    gr_point point = { round, NAN, NAN };

    if (!t->valid || !t->input.start || t->input.resume || t->recipe.learner->validation ||
        round == 0)
        return GRADUS_OK;
    GR_TRY(gr_measure_outputs(&t->measuring, &t->valid_monitor, t->valid_monitor.outputs.at,
                              gr_training_scale(t, round), &point.valid, err));
    GR_TRY(gr_training_add_point(t, point, err));
    return rounds && rounds->snapshot ? rounds->snapshot(t->fitted, err) : GRADUS_OK;
}

static gradus_status start_learner(gradus_training *t, gradus_error *err)
{
    GR_TRY(gr_training_resume(t, err));
    const gr_fit fit = { .context = t->context,
                         .data = t->train,
                         .valid = t->valid,
                         .measuring = &t->measuring,
                         .problem = gr_training_problem(t),
                         .ranker = t->recipe.ranker,
                         .objective = objective_of(t),
                         .options = t->recipe.options,
                         .objective_options = &t->objective,
                         .start = t->input.start,
                         .initial = t->input.initial
                                        ? t->input.initial + gr_share_first_row(t->train->share)
                                        : NULL,
                         .last_round = t->first_round + t->recipe.options->rounds };

    if (t->input.initial && t->built.problem.outputs != 1)
        return gr_fail(err, GRADUS_BAD_ARGUMENT, "initial scores need a method with one output");
    t->objective.max_grade = largest_label(gr_whole_set(t->train));
    t->objective.gains = t->gains;
    t->objective.custom = t;
    t->objective.pair_costs = t->pair_costs;
    GR_TRY(t->recipe.learner->start(&fit, &t->fitted, err));
    if (!t->valid && t->recipe.learner->selection &&
        t->recipe.learner->selection->models(t->fitted) > 1)
        return gr_fail(
            err, GRADUS_BAD_ARGUMENT,
            "lists of 'alpha' or 'lambda' train %zu models, of which the validation data select "
            "one: there are no validation data",
            t->recipe.learner->selection->models(t->fitted));
    gr_training_take_thresholds(t);
    t->train_monitor.data = t->train;
    if (t->valid)
        GR_TRY(start_valid(t, err));
    GR_TRY(try_metric(t, err));
    GR_TRY(measure_start(t, err));
    GR_TRY(gr_monitor_use_boosting(t, err));
    return t->valid ? gr_monitor_use_device(t, &t->valid_monitor, err) : GRADUS_OK;
}

/* Costs of pairs for the grade fractions of the training data. */
static gradus_status take_pair_costs(gradus_training *t, gradus_error *err)
{
    const gr_problem *problem = &t->built.problem;
    const size_t levels = problem->levels;
    const double *labels = problem->level_labels;
    double *costs = gr_new_array(levels * levels, sizeof *costs);

    t->pair_costs = costs;
    if (!costs)
        return gr_fail_memory(err, "costs");
    GR_TRY(gr_cost_covers(&t->cost, labels[levels - 1], err));
    GR_TRY(gr_pair_costs(&t->cost, levels, labels, t->built.shares, costs, err));
    if (!(costs[levels - 1] > 0.0))
        return gr_fail(err, GRADUS_BAD_ARGUMENT,
                       "'%s' needs a positive cost of ranking grade %g below grade %g, but it is 0",
                       t->recipe.ranker->about.name, labels[levels - 1], labels[0]);
    if (!t->objective.pairrank.plain)
        gr_pair_costs_note(costs, levels, labels, t->recipe.ranker->about.name, t->context);
    return GRADUS_OK;
}

/* What the learner allocates for the training rows. */
static double row_memory(const gradus_training *t)
{
    const gr_learner *learner = t->recipe.learner;
    const gradus_arrays *a = &t->train->arrays;
    const double rows = (double)a->rows, cells = rows * (double)a->features;
    const double values = a->row_starts ? (double)a->row_starts[a->rows] : cells;

    return (double)learner->row_bytes * rows + (double)learner->value_bytes * values +
           (double)learner->cell_bytes * cells;
}

/* Checks the memory that learners allocate, per feature and per row: a single large feature id can
 * mean many features. */
static gradus_status check_memory(const gradus_training *t, gradus_error *err)
{
    const gr_learner *learner = t->recipe.learner;
    const double features = (double)t->train->arrays.features;
    const size_t rows = t->train->arrays.rows + (t->valid ? t->valid->arrays.rows : 0);
    const bool copies = gr_transform_number((size_t)t->recipe.options->transform.kind) != NULL;
    double each = gr_training_hashes(t) ? 0.0 : (double)learner->feature_bytes;
    char what[120];

    if (learner->more_bytes && !gr_training_hashes(t))
        each += learner->more_bytes(t->recipe.options);
    if (copies && !t->recipe.options->transform.keep_zeros)
        each += (double)rows * sizeof(float);
    if (row_memory(t) > each * features)
        snprintf(what, sizeof what, "'%s' on %zu rows of %zu %sfeatures",
                 t->recipe.ranker->about.name, t->train->arrays.rows, t->train->arrays.features,
                 t->train->columns ? "used " : "");
    else
        snprintf(what, sizeof what, "'%s' with %zu %sfeatures", t->recipe.ranker->about.name,
                 t->train->arrays.features, t->train->columns ? "used " : "");
    return gr_check_memory(t->context, what, each * features + row_memory(t), err);
}

/* Refuses what a device cannot help to train, with what to use instead. */
static gradus_status check_device(const gradus_training *t, gradus_error *err)
{
    const gradus_device *device = t->context ? t->context->device : NULL;

    if (!device)
        return GRADUS_OK;
    if (t->context->collectives)
        return gr_fail(err, GRADUS_BAD_ARGUMENT,
                       "a training on several processes cannot use a GPU: leave out one of them");
    if (!t->recipe.learner->on_devices)
        return gr_fail(err, GRADUS_BAD_ARGUMENT,
                       "'%s' with the learner '%s' cannot be trained on a GPU, which grows trees "
                       "only; use a method of boosted trees (learner gbrt), or the CPU",
                       t->recipe.ranker->about.name, t->recipe.learner->about.name);
    if (!device->trees)
        return gr_fail(err, GRADUS_BAD_ARGUMENT,
                       "the plug-in for '%.100s' cannot grow trees; use the CPU", device->name);
    return GRADUS_OK;
}

gradus_status gr_training_configure(gradus_training *t, gradus_error *err)
{
    GR_TRY(gr_training_agree(t, err));
    GR_TRY(choose_learner(t, err));
    t->train = t->input.train;
    t->valid = t->input.valid;
    GR_TRY(gr_recipe_check(&t->recipe, t->given, t->input.objective != NULL, err));
    GR_TRY(gr_training_take_binning(t, err));
    if (t->input.resume && !t->input.start)
        return gr_fail(err, GRADUS_BAD_ARGUMENT, "there is no checkpoint to resume");
    GR_TRY(gr_training_check_shared(t, err));
    GR_TRY(check_device(t, err));
    GR_TRY(gr_training_narrow(t, err));
    GR_TRY(gr_training_choose_defaults(t, err));
    if (t->recipe.learner->check)
        GR_TRY(t->recipe.learner->check(t->recipe.options, t->given, err));
    GR_TRY(gr_training_choose_transform(t, err));
    t->objective = *GR_TRAIN_BLOCK(t->recipe.options, objective);
    GR_TRY(gr_cost_choose(t->recipe.options->cost, &t->cost, err));
    if (t->cost.cost && !t->cost.cost->of && !t->recipe.ranker->pair_costs)
        return gr_fail(err, GRADUS_BAD_ARGUMENT,
                       "the cost '%s' is defined for pairs in a list, not for a single wrong grade",
                       t->recipe.options->cost);
    GR_TRY(check_memory(t, err));
    GR_TRY(look_at(t, t->input.train, train_parts(t), t->input.initial, &t->fingerprint, err));
    if (t->valid)
        GR_TRY(look_at(t, t->input.valid, GR_NEED_ALL, t->input.initial_valid,
                       &t->valid_fingerprint, err));
    GR_TRY(gr_training_check_data(t, err));
    if (t->valid)
        GR_TRY(gr_check_valid(t->input.train, t->input.valid, t->context, err));
    GR_TRY(gr_problem_build(t->train, t->recipe.ranker, reduction_of(t), &t->cost, &t->built, err));
    if (reduction_of(t)->takes_cost)
        gr_cost_note_shape(&t->cost, t->built.level_labels, t->built.problem.levels, t->context);
    if (t->recipe.ranker->pair_costs)
        GR_TRY(take_pair_costs(t, err));
    GR_TRY(settle_scorer(t, err));
    GR_TRY(settle_metric(t, err));
    GR_TRY(transform_sets(t, err));
    GR_TRY(gr_training_share(t, err));
    GR_TRY(start_learner(t, err));
    GR_TRY(gr_others_start(t, err));
    gr_training_note_defaults(t);
    if (*t->transform_note)
        gr_note(t->context, "%s", t->transform_note);
    return GRADUS_OK;
}
