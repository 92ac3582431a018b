/* SPDX-License-Identifier: Apache-2.0 */
/* Configures and checks a training before the first round: learner, options, data, scorer,
 * metric. */
#include "pipeline/train.h"

#include "base/text.h"
#include "pipeline/data_defaults.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const gr_reduction *reduction_of(const gradus_training *t)
{
    const bool gain = t->options.target == GR_TARGET_GAIN && t->ranker->of_gain;
    gr_score_rule rule;

    if (t->ranker->reduce)
        return t->ranker->reduce(&t->options, t->train, &rule);
    return gain ? t->ranker->of_gain : t->ranker->reduction;
}

/* The method's own learner of a name; NULL: none. */
static const gr_learner *own_learner(const gr_ranker *ranker, const char *name)
{
    for (size_t i = 0; ranker->own_learners && ranker->own_learners[i]; i++)
        if (strcmp(ranker->own_learners[i]->about.name, name) == 0)
            return ranker->own_learners[i];
    return NULL;
}

static bool is_own(const gradus_training *t)
{
    return own_learner(t->ranker, t->learner->about.name) == t->learner;
}

static gradus_status refuse_learner(const gradus_training *t, gradus_error *err)
{
    const gr_ranker *ranker = t->ranker;
    char names[200] = "";

    for (size_t i = 0; ranker->only_own && ranker->own_learners[i]; i++) {
        gr_text_append(names, sizeof names, i ? " or " : ", which is fitted by ");
        gr_text_append(names, sizeof names, ranker->own_learners[i]->about.name);
    }
    return gr_fail(err, GRADUS_BAD_ARGUMENT, "the learner '%s' is not for '%s'%s",
                   t->learner->about.name, ranker->about.name, names);
}

/* Chooses the learner: the method's own of the given name, if it has one. */
static gradus_status settle_learner(gradus_training *t, gradus_error *err)
{
    const gr_learner *own;

    t->ranker = gr_ranker_number((size_t)t->options.method);
    if (t->ranker->only_own && !gr_options_given(t->given, "learner")) {
        GR_TRY(gr_options_set(t->given, "learner", t->ranker->own_learners[0]->about.name, err));
        GR_TRY(gr_options_get(t->given, &gr_operation_train, &t->options, err));
    }
    t->learner = gr_learner_number((size_t)t->options.learner);
    own = own_learner(t->ranker, t->learner->about.name);
    if (own)
        t->learner = own;
    else if (t->learner->by_method || t->ranker->only_own)
        return refuse_learner(t, err);
    return GRADUS_OK;
}

static bool has_param(const gr_param *params, const char *name)
{
    const gr_operation part = { .params = params };
    gr_param param;

    for (size_t i = 0; params && gr_param_number(&part, i, &param); i++)
        if (strcmp(param.about.name, name) == 0)
            return true;
    return false;
}

/* The first learner, or method, that an option belongs to; NULL: none. */
static const gr_learner *learner_of(const char *name)
{
    const gr_learner *learner;
    const gr_ranker *method;

    for (size_t l = 0; (learner = gr_learner_number(l)); l++)
        if (has_param(learner->params, name))
            return learner;
    for (size_t m = 0; (method = gr_ranker_number(m)); m++)
        for (size_t l = 0; method->own_learners && method->own_learners[l]; l++)
            if (has_param(method->own_learners[l]->params, name))
                return method->own_learners[l];
    return NULL;
}

static const gr_ranker *ranker_of(const char *name)
{
    const gr_ranker *method;

    for (size_t m = 0; (method = gr_ranker_number(m)); m++)
        if (has_param(method->params, name))
            return method;
    return NULL;
}

static bool has_word(const char *words, const char *name)
{
    const size_t length = strlen(name);

    for (; words && *words; words += strspn(words, " ")) {
        const size_t word = strcspn(words, " ");

        if (word == length && memcmp(words, name, length) == 0)
            return true;
        words += word;
    }
    return false;
}

bool gr_recipe_reads(const gr_recipe *recipe, const char *name)
{
    const gr_learner *learner = recipe->learner;

    if (ranker_of(name))
        return has_param(recipe->ranker->params, name);
    return has_param(learner->params, name) || has_param(learner->more_params, name) ||
           has_word(learner->reads, name) || !learner_of(name);
}

/* The only regression loss that reads an option; NULL: none, or not an option of a loss. */
static const gr_objective *loss_of(const char *name)
{
    for (size_t i = 0; i < GR_REGRESSION_LOSSES; i++)
        if (has_word(gr_regression_losses[i]->reads, name))
            return gr_regression_losses[i];
    return NULL;
}

bool gr_training_reads(const gradus_training *t, const char *name)
{
    const gr_recipe recipe = { t->ranker, t->learner };
    const gr_objective *loss = loss_of(name);

    return gr_recipe_reads(&recipe, name) &&
           (!loss || (t->options.loss < GR_REGRESSION_LOSSES &&
                      loss == gr_regression_losses[t->options.loss]));
}

/* Whether the method has the part that an option belongs to, for options that no learner owns. */
static bool takes_part(const gr_recipe *recipe, const char *name)
{
    if (strcmp(name, "cost") == 0)
        return recipe->ranker->reduction->takes_cost;
    if (strcmp(name, "transform") == 0)
        return recipe->learner->transform != NULL;
    return strcmp(name, "target") != 0 || recipe->ranker->of_gain;
}

/* Whether settings "name=value name=value" contain a name. */
static bool sets(const char *words, const char *name)
{
    const size_t length = strlen(name);

    for (const char *at = words; at && (at = strstr(at, name)); at += length)
        if ((at == words || at[-1] == ' ') && at[length] == '=')
            return true;
    return false;
}

bool gr_recipe_tunes(const gr_recipe *recipe, const gr_param *param)
{
    const char *name = param->about.name;

    return param->tuned && gr_recipe_reads(recipe, name) && takes_part(recipe, name) &&
           (strcmp(name, "transform") == 0 || !sets(recipe->ranker->implies, name));
}

gradus_status gr_recipe_of(const gradus_options *options, gr_recipe *recipe, gradus_error *err)
{
    gradus_training t = { .given = gr_options_copy(options, err) };
    gradus_status status = t.given ? GRADUS_OK : GRADUS_NO_MEMORY;

    if (status == GRADUS_OK)
        status = gr_options_get(t.given, &gr_operation_train, &t.options, err);
    if (status == GRADUS_OK)
        status = settle_learner(&t, err);
    *recipe = (gr_recipe){ t.ranker, t.learner };
    gr_options_free(t.given);
    return status;
}

/* Whether the objective, or the learner's own objective, uses a LambdaRank option. */
static bool reads_lambdas(const gr_recipe *recipe, const char *name)
{
    static const char names[] = "lambda-metric lambda-depth truncation sigma normalise";

    return !has_word(names, name) || recipe->ranker->objective == &gr_objective_lambdarank ||
           (recipe->learner->by_method && recipe->ranker->own_learners);
}

/* Unlike gr_recipe_reads, false for options of parts that the method does not have. */
static bool uses(const gr_recipe *recipe, const char *name)
{
    if (strcmp(name, "cost") == 0)
        return recipe->ranker->reduction->takes_cost || recipe->ranker->pair_costs;
    if (strcmp(name, "target") == 0)
        return recipe->ranker->of_gain != NULL;
    if (strcmp(name, "loss") == 0)
        return recipe->ranker->losses != 0;
    if (has_word("rounds patience keep eval-every train-eval-every", name))
        return recipe->learner->by_rounds; /* others fit everything in one step */
    return gr_recipe_reads(recipe, name) && reads_lambdas(recipe, name);
}

/* Whether the learner can fit the method's objective. */
static bool fit_together(const gr_recipe *recipe)
{
    const gr_learner *learner = recipe->learner;

    return own_learner(recipe->ranker, learner->about.name) == learner || learner->any_objective ||
           (learner->also && learner->also == recipe->ranker->objective) ||
           recipe->ranker->objective == &gr_objective_squared;
}

gradus_option_use gr_method_uses(const char *method, const char *learner, const char *option)
{
    gradus_options *options = gr_options_new(&gr_operation_train, NULL);
    gradus_option_use use = GRADUS_OPTION_UNUSED;
    gr_recipe recipe;
    gr_param param;

    if (options && gr_param_named(&gr_operation_train, option, &param) &&
        gr_options_set(options, "method", method, NULL) == GRADUS_OK &&
        (!learner || gr_options_set(options, "learner", learner, NULL) == GRADUS_OK) &&
        gr_recipe_of(options, &recipe, NULL) == GRADUS_OK && fit_together(&recipe) &&
        uses(&recipe, param.about.name))
        use = gr_recipe_tunes(&recipe, &param) ? GRADUS_OPTION_TUNED : GRADUS_OPTION_USED;
    gr_options_free(options);
    return use;
}

/* Rejects options of other learners and methods, which would otherwise be ignored silently. */
static gradus_status check_foreign_options(const gradus_training *t, gradus_error *err)
{
    gr_param param;

    for (size_t i = 0; gr_param_number(&gr_operation_train, i, &param); i++) {
        const char *name = param.about.name;

        if (!t->given->given[i] || gr_training_reads(t, name))
            continue;
        if (ranker_of(name) == t->ranker && loss_of(name))
            return gr_fail(err, GRADUS_BAD_ARGUMENT, "'%s' is for 'loss %s', not 'loss %s'", name,
                           loss_of(name)->about.name, gr_options_value(t->given, "loss"));
        if (ranker_of(name))
            return gr_fail(err, GRADUS_BAD_ARGUMENT, "'%s' is for %s, not for '%s'", name,
                           ranker_of(name)->about.name, t->ranker->about.name);
        return gr_fail(err, GRADUS_BAD_ARGUMENT, "'%s' is for the learner '%s', not for '%s'%s%s",
                       name, learner_of(name)->about.name, t->learner->about.name,
                       is_own(t) ? " of " : "", is_own(t) ? t->ranker->about.name : "");
    }
    return GRADUS_OK;
}

static bool fits_also(const gradus_training *t)
{
    return t->learner->also && t->ranker->objective == t->learner->also && !t->input.objective;
}

/* Rejects options that the method would ignore silently. */
static gradus_status check_options(const gradus_training *t, gradus_error *err)
{
    const char *method = t->ranker->about.name;
    const int loss = t->options.loss;

    if (t->options.target != GR_TARGET_GRADE && !t->ranker->of_gain)
        return gr_fail(err, GRADUS_BAD_ARGUMENT, "'target gain' is for regression, not '%s'",
                       method);
    if (!(t->ranker->losses >> loss & 1u) && (t->ranker->losses || loss != GR_LOSS_SQUARED))
        return gr_fail(
            err, GRADUS_BAD_ARGUMENT, "'loss %s' is for %s, not '%s'",
            gr_options_value(t->given, "loss"),
            loss != GR_LOSS_SQUARED && loss < GR_REGRESSION_LOSSES ? "regression" : "crr", method);
    if (strcmp(t->options.cost, "absolute") != 0 && !t->ranker->reduction->takes_cost &&
        !t->ranker->pair_costs)
        return gr_fail(err, GRADUS_BAD_ARGUMENT, "'cost' is for cocr and pairrank, not '%s'",
                       method);
    if (is_own(t) && t->input.objective)
        return gr_fail(err, GRADUS_BAD_ARGUMENT, "the learner '%s' of '%s' has its own objective",
                       t->learner->about.name, method);
    if (!is_own(t) && !t->learner->any_objective && !fits_also(t) &&
        (t->input.objective || loss != GR_LOSS_SQUARED ||
         t->ranker->objective != &gr_objective_squared))
        return gr_fail(
            err, GRADUS_BAD_ARGUMENT,
            "the learner '%s' minimises squared error: it is for regression and cocr, not for "
            "'%s'%s",
            t->learner->about.name, method,
            t->ranker->objective == &gr_objective_squared ? " with that loss" : "");
    if (t->input.resume && !t->input.start)
        return gr_fail(err, GRADUS_BAD_ARGUMENT, "there is no checkpoint to resume");
    return GRADUS_OK;
}

static gradus_status settle_scorer(gradus_training *t, gradus_error *err)
{
    const gr_problem *problem = &t->built.problem;
    const gr_meaning meaning = reduction_of(t)->meaning;
    gr_score_rule rule = t->ranker->rule;
    const bool graded = meaning != GR_MEANS_SCORE, cut = gr_meaning_has_thresholds(meaning);
    double unknown[GR_MAX_LEVELS] = { 0.0 }; /* until the learner provides them */

    if (t->ranker->reduce)
        t->ranker->reduce(&t->options, t->train, &rule);
    if (t->options.scoring)
        rule = (gr_score_rule)(t->options.scoring - 1);
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
                       gr_score_rules[rule], t->ranker->about.name,
                       gr_scorer_can(meaning, rule) ? " with this many grades" : "");
    if (rule == GR_SCORE_EXPECTED_GAIN &&
        !isfinite(exp2(problem->level_labels[problem->levels - 1])))
        return gr_fail(
            err, GRADUS_BAD_NUMBER,
            "the gain 2^%g of the highest grade is too large: '%s' takes grades up to 1023 unless "
            "another 'scoring' is chosen",
            problem->level_labels[problem->levels - 1], t->ranker->about.name);
    return gr_scorer_copy(&wanted, &t->scorer, err);
}

/* Loads and fingerprints a set; training uses all of its parts. */
static gradus_status look_at(gradus_training *t, const gradus_dataset *data, const double *initial,
                             uint64_t *fingerprint, gradus_error *err)
{
    gr_pool *pool = gr_pool_of(t->context);

    GR_TRY(gr_dataset_need(data, GR_NEED_ALL, pool, err));
    GR_TRY(gr_fingerprint(data, pool, fingerprint, err));
    if (initial)
        *fingerprint ^= gr_hash(initial, data->arrays.rows * sizeof *initial) | 1;
    return GRADUS_OK;
}

static gradus_status transform_sets(gradus_training *t, gradus_error *err)
{
    const gr_transform *transform = gr_transform_number((size_t)t->options.transform.kind);

    if (!transform)
        return GRADUS_OK;
    GR_TRY(gr_transform_fit(transform, t->train, t->options.transform.keep_zeros,
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
    double value;

    if (t->valid && !t->input.metric)
        GR_TRY(gr_measure_outputs(&t->measuring, &t->valid_monitor, t->valid_monitor.outputs.at,
                                  1.0, &value, err));
    if (t->options.train_eval_every && !t->input.metric && t->learner->outputs(t->fitted))
        GR_TRY(gr_measure_outputs(&t->measuring, &t->train_monitor, t->learner->outputs(t->fitted),
                                  1.0, &value, err));
    return GRADUS_OK;
}

/* The first metric in the list is the one used for validation. */
static gradus_status settle_metric(gradus_training *t, gradus_error *err)
{
    gr_measuring *m = &t->measuring;
    char *first;

    GR_TRY(gr_training_configure_gains(t, err));
    first = strndup(t->options.metric, strcspn(t->options.metric, ","));
    if (gr_options_get(NULL, &gr_operation_evaluate, &m->options, err) != GRADUS_OK) {
        m->options.metric = NULL;
        free(first);
        return err->status;
    }
    m->options.metric = first;
    if (!first)
        return gr_fail_memory(err, "a metric");
    m->options.convention = t->options.convention;
    if (gr_options_given(t->given, "gain"))
        m->options.gain = t->options.gains.rule;
    m->options.label_gain = t->options.gains.label_gain;
    m->scorer = &t->scorer;
    m->pool = gr_pool_of(t->context);
    m->custom = t->input.metric;
    m->user = t->input.user;
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
    return t->ranker->losses == GR_ALL_REGRESSION_LOSSES ? gr_regression_losses[t->options.loss]
                                                         : t->ranker->objective;
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
    size_t bytes;

    t->valid_monitor.data = t->valid;
    if (!gr_size_times(rows, t->built.problem.outputs, &bytes) ||
        !gr_size_times(bytes, sizeof(double), &bytes) ||
        !gr_array_reserve(&t->valid_monitor.outputs, bytes))
        return gr_fail_memory(err, "validation scores");
    memset(t->valid_monitor.outputs.at, 0, bytes);
    if (t->input.initial_valid)
        memcpy(t->valid_monitor.outputs.at, t->input.initial_valid, rows * sizeof(double));
    if (t->learner->look || gr_training_rounds(t) == 0)
        return GRADUS_OK; /* the first round includes the base scores */
    return t->learner->add_outputs(t->fitted, 0, gr_training_rounds(t), t->valid,
                                   t->valid_monitor.outputs.at, gr_pool_of(t->context), err);
}

/* The model to start from is a candidate for the best round, so the result is never worse. */
static gradus_status measure_start(gradus_training *t, gradus_error *err)
{
    const gr_learner *learner = t->learner;
    const uint64_t round = gr_training_rounds(t);
    gr_point point = { round, NAN, NAN };

    if (!t->valid || !t->input.start || t->input.resume || learner->look || round == 0)
        return GRADUS_OK;
    GR_TRY(gr_measure_outputs(&t->measuring, &t->valid_monitor, t->valid_monitor.outputs.at,
                              learner->share ? learner->share(t->fitted, round) : 1.0, &point.valid,
                              err));
    GR_TRY(gr_training_add_point(t, point, err));
    return learner->keep ? learner->keep(t->fitted, err) : GRADUS_OK;
}

static gradus_status start_learner(gradus_training *t, gradus_error *err)
{
    GR_TRY(gr_training_resume(t, err));
    const gr_fit fit = { .context = t->context,
                         .data = t->train,
                         .valid = t->valid,
                         .measuring = &t->measuring,
                         .problem = &t->built.problem,
                         .ranker = t->ranker,
                         .objective = objective_of(t),
                         .options = &t->options,
                         .start = t->input.start,
                         .initial = t->input.initial,
                         .last_round = t->first_round + t->options.rounds };

    if (t->input.initial && t->built.problem.outputs != 1)
        return gr_fail(err, GRADUS_BAD_ARGUMENT, "initial scores need a method with one output");
    t->options.boost.objective.max_grade = largest_label(t->train);
    t->options.boost.objective.gains = t->gains;
    t->options.boost.objective.custom = t;
    t->options.boost.objective.pair_costs = t->pair_costs;
    GR_TRY(t->learner->start(&fit, &t->fitted, err));
    if (!t->valid && t->learner->models && t->learner->models(t->fitted) > 1)
        return gr_fail(
            err, GRADUS_BAD_ARGUMENT,
            "lists of 'alpha' or 'lambda' train %zu models, of which the validation data select "
            "one: there are no validation data",
            t->learner->models(t->fitted));
    gr_training_take_thresholds(t);
    t->train_monitor.data = t->train;
    if (t->valid)
        GR_TRY(start_valid(t, err));
    GR_TRY(try_metric(t, err));
    return measure_start(t, err);
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
                       t->ranker->about.name, labels[levels - 1], labels[0]);
    if (!t->options.boost.objective.pairrank.plain)
        gr_pair_costs_note(costs, levels, labels, t->ranker->about.name, t->context);
    return GRADUS_OK;
}

/* What the learner allocates for the training rows. */
static double row_memory(const gradus_training *t)
{
    const gr_learner *learner = t->learner;
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
    const gr_learner *learner = t->learner;
    const double features = (double)t->train->arrays.features;
    const size_t rows = t->train->arrays.rows + (t->valid ? t->valid->arrays.rows : 0);
    const bool copies = gr_transform_number((size_t)t->options.transform.kind) != NULL;
    double each = (double)learner->feature_bytes;
    char what[120];

    if (learner->more_bytes)
        each += learner->more_bytes(&t->options);
    if (copies && !t->options.transform.keep_zeros)
        each += (double)rows * sizeof(float);
    if (row_memory(t) > each * features)
        snprintf(what, sizeof what, "'%s' on %zu rows of %zu %sfeatures", t->ranker->about.name,
                 t->train->arrays.rows, t->train->arrays.features,
                 t->train->columns ? "used " : "");
    else
        snprintf(what, sizeof what, "'%s' with %zu %sfeatures", t->ranker->about.name,
                 t->train->arrays.features, t->train->columns ? "used " : "");
    return gr_check_memory(t->context, what, each * features + row_memory(t), err);
}

gradus_status gr_training_configure(gradus_training *t, gradus_error *err)
{
    GR_TRY(settle_learner(t, err));
    t->train = t->input.train;
    t->valid = t->input.valid;
    GR_TRY(check_options(t, err));
    GR_TRY(check_foreign_options(t, err));
    GR_TRY(gr_training_narrow(t, err));
    GR_TRY(gr_training_choose_defaults(t, err));
    if (t->learner->check)
        GR_TRY(t->learner->check(&t->options, t->given, err));
    GR_TRY(gr_training_choose_transform(t, err));
    GR_TRY(gr_cost_choose(t->options.cost, &t->cost, err));
    if (t->cost.cost && !t->cost.cost->of && !t->ranker->pair_costs)
        return gr_fail(err, GRADUS_BAD_ARGUMENT,
                       "the cost '%s' is defined for pairs in a list, not for a single wrong grade",
                       t->options.cost);
    GR_TRY(check_memory(t, err));
    GR_TRY(look_at(t, t->input.train, t->input.initial, &t->fingerprint, err));
    if (t->valid)
        GR_TRY(look_at(t, t->input.valid, t->input.initial_valid, &t->valid_fingerprint, err));
    GR_TRY(gr_training_check_data(t, err));
    if (t->valid)
        GR_TRY(gr_check_valid(t->input.train, t->input.valid, t->context, err));
    GR_TRY(gr_problem_build(t->train, t->ranker, reduction_of(t), &t->cost, &t->built, err));
    if (reduction_of(t)->takes_cost)
        gr_cost_note_shape(&t->cost, t->built.level_labels, t->built.problem.levels, t->context);
    if (t->ranker->pair_costs)
        GR_TRY(take_pair_costs(t, err));
    GR_TRY(settle_scorer(t, err));
    GR_TRY(settle_metric(t, err));
    GR_TRY(transform_sets(t, err));
    GR_TRY(start_learner(t, err));
    GR_TRY(gr_others_start(t, err));
    gr_training_note_defaults(t);
    if (*t->transform_note)
        gr_note(t->context, "%s", t->transform_note);
    return GRADUS_OK;
}
